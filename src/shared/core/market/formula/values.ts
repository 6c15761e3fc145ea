/** Values of a formula, and its operators. A missing value makes the result missing. Pure. */
import type { BarValues, Take } from '../indicators/indicator.ts'
import type { IndicatorFunction } from './functions.ts'
import type { BinaryOperator } from './syntax.ts'

/** A value of the current bar, or one that never changes. */
export type Value =
  | { readonly is: 'constant'; readonly value: number }
  | { readonly is: 'series'; readonly read: (bar: BarValues, take: Take) => number }
  | {
      readonly is: 'outputs'
      readonly of: IndicatorFunction
      readonly read: (bar: BarValues, take: Take) => readonly number[]
    }

/** Turns infinite results, such as those of division by zero, into missing values. */
export const known = (value: number): number => (Number.isFinite(value) ? value : NaN)
export const truth = (value: boolean): number => (value ? 1 : 0)
const OPERATORS: Readonly<Record<BinaryOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => known(a + b),
  '-': (a, b) => known(a - b),
  '*': (a, b) => known(a * b),
  '/': (a, b) => known(a / b),
  '%': (a, b) => known(a % b),
  '^': (a, b) => known(a ** b),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  and: (a, b) => truth(a !== 0 && b !== 0),
  or: (a, b) => truth(a !== 0 || b !== 0),
}
export const operate = (operator: BinaryOperator, a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? NaN : OPERATORS[operator](a, b)

export const readOf = (value: Value): ((bar: BarValues, take: Take) => number) => {
  if (value.is === 'constant') return () => value.value
  return value.is === 'series' ? value.read : (bar, take) => value.read(bar, take)[0]
}
