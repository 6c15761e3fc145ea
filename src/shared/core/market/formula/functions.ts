/** What a formula can use: one row per function. Checking, completion and the guide read this table. */
import { labelsOf } from '../../../base/text.ts'
import type { BarValues, Take } from '../indicators/indicator.ts'
import { PRICES, type IndicatorSpec, type Parameter } from '../indicators/row.ts'
import { INDICATORS } from '../indicators/table.ts'
import { Window, highest, lowest, sum } from '../indicators/windows.ts'

/** The values of a bar by name. `delta` is absent until the sides of its trades are read. */
export const BAR_VALUES = {
  ...PRICES,
  volume: ({ volume }) => volume ?? NaN,
  delta: ({ flow }) => (flow ? flow.buy - flow.sell : NaN),
} as const satisfies Readonly<Record<string, (bar: BarValues) => number>>
export type BarValueName = keyof typeof BAR_VALUES
export const isBarValue = (name: string): name is BarValueName => Object.hasOwn(BAR_VALUES, name)

/** What the values of a bar are, in English. */
export const barPhrase = labelsOf({
  open: 'First price of the bar',
  high: 'Highest price of the bar',
  low: 'Lowest price of the bar',
  close: 'Last price of the bar',
  hl2: 'Mean of high and low',
  hlc3: 'Mean of high, low and close',
  ohlc4: 'Mean of open, high, low and close',
  volume: 'Volume of the bar; quotes have none',
  delta: 'Volume bought less volume sold',
})

/** Takes the arguments' values at a bar and returns a value. `push` adds the bar; `peek` leaves the state unchanged. */
export type Step = (args: readonly number[], take: Take) => number
interface FormulaFunction {
  /** The names of the arguments. If `hasLength`, the last one is a length. */
  readonly args: readonly string[]
  /** How many arguments can be left out; `…` as the last one means any number more. */
  readonly optional?: number
  /** The last argument is a number of bars that doesn't change. */
  readonly hasLength?: true
  /** It has no state, so with constant arguments the result is a constant. */
  readonly isPlain?: true
  create(length: number): Step
}

const plain = (args: readonly string[], of: (...args: readonly number[]) => number, optional = 0): FormulaFunction => ({
  args,
  isPlain: true,
  ...(optional > 0 ? { optional } : {}),
  create: () => (values) => of(...values),
})

/** Returns the value from `bars` bars ago. Bars without a value count, too. */
export function ago(bars: number): (value: number, take: Take) => number {
  if (bars === 0) return (value) => value
  const ring = new Float64Array(bars).fill(NaN)
  let count = 0
  return (value, take) => {
    const found = ring[count % bars]
    if (take === 'push') ring[count++ % bars] = value
    return found
  }
}

/** A function of its arguments at this bar and at the previous one. */
const comparing = (of: (now: readonly number[], before: readonly number[]) => number): FormulaFunction => ({
  args: ['a', 'b'],
  create: () => {
    let before: readonly number[] = [NaN, NaN]
    return (now, take) => {
      const value = [...now, ...before].some(Number.isNaN) ? NaN : of(now, before)
      if (take === 'push') before = now
      return value
    }
  },
})

export const FUNCTIONS = {
  abs: plain(['x'], Math.abs),
  sign: plain(['x'], Math.sign),
  sqrt: plain(['x'], Math.sqrt),
  log: plain(['x'], Math.log),
  exp: plain(['x'], Math.exp),
  floor: plain(['x'], Math.floor),
  ceil: plain(['x'], Math.ceil),
  round: plain(['x'], Math.round),
  min: plain(['a', 'b', '…'], Math.min),
  max: plain(['a', 'b', '…'], Math.max),
  na: plain(['x'], (x) => (Number.isNaN(x) ? 1 : 0)),
  nz: plain(['x', 'y'], (x, y) => (Number.isNaN(x) ? y : x)),
  sum: { args: ['x', 'length'], hasLength: true, create: (n) => one(sum(n)) },
  highest: { args: ['x', 'length'], hasLength: true, create: (n) => one(highest(n)) },
  lowest: { args: ['x', 'length'], hasLength: true, create: (n) => one(lowest(n)) },
  stdev: {
    args: ['x', 'length'],
    hasLength: true,
    create: (n) => {
      const window = new Window(n)
      return ([x], take) => {
        if (Number.isNaN(x)) return NaN
        const { deviation } = window.peek(x)
        if (take === 'push') window.push(x)
        return deviation
      }
    },
  },
  change: {
    args: ['x', 'length'],
    optional: 1,
    hasLength: true,
    create: (n) => {
      const before = ago(n)
      return ([x], take) => x - before(x, take)
    },
  },
  crossover: comparing(([a, b], [c, d]) => (a > b && c <= d ? 1 : 0)),
  crossunder: comparing(([a, b], [c, d]) => (a < b && c >= d ? 1 : 0)),
  barssince: {
    args: ['condition'],
    create: () => {
      let since = NaN
      return ([condition], take) => {
        const now = condition !== 0 && !Number.isNaN(condition) ? 0 : since + 1
        if (take === 'push') since = now
        return now
      }
    },
  },
  valuewhen: {
    args: ['condition', 'x'],
    create: () => {
      let last = NaN
      return ([condition, x], take) => {
        const now = condition !== 0 && !Number.isNaN(condition) ? x : last
        if (take === 'push') last = now
        return now
      }
    },
  },
} as const satisfies Readonly<Record<string, FormulaFunction>>
export type FunctionName = keyof typeof FUNCTIONS

function one(smoother: { peek(value: number): number; push(value: number): number }): Step {
  return ([x], take) => smoother[take](x)
}

/** What a function returns, in English. */
export const functionPhrase = labelsOf({
  abs: 'Absolute value',
  sign: '1, 0 or -1',
  sqrt: 'Square root',
  log: 'Natural logarithm',
  exp: 'e to the power of x',
  floor: 'Rounded down to an integer',
  ceil: 'Rounded up to an integer',
  round: 'Rounded to the nearest integer',
  min: 'Smallest of the values',
  max: 'Largest of the values',
  na: '1 if there is no value, else 0',
  nz: 'x, or y if x has no value',
  sum: 'Sum of the last values',
  highest: 'Largest of the last values',
  lowest: 'Smallest of the last values',
  stdev: 'Standard deviation of the last values (of the population)',
  change: 'Difference from the value that many bars ago (default: 1)',
  crossover: '1 on the bar where a rises from at or below b to above it, else 0',
  crossunder: '1 on the bar where a falls from at or above b to below it, else 0',
  barssince: 'Bars since the condition last held; 0 on that bar itself',
  valuewhen: 'Value of x on the last bar where the condition held',
})

/** The functions of lines that declare something. */
export const declarationPhrase = labelsOf({
  input: 'A setting of the formula: title, default, and optionally the minimum and maximum',
  plot: 'A line on the chart, with its title',
  level: 'A horizontal line at a number',
})
export const DECLARATIONS = {
  input: ['"title"', 'default', 'minimum', 'maximum'],
  plot: ['"title"', 'x'],
  level: ['number'],
} as const

/** Names of outputs, titles and ids as formulas write them: "+DI" is plus_di. */
const formulaName = (title: string): string =>
  title
    .replace(/\+/g, 'plus ')
    .replace(/−/g, 'minus ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')

export interface IndicatorFunction {
  readonly name: string
  readonly spec: IndicatorSpec
  readonly outputs: readonly string[]
}

/** The parameters that a formula can set. It can't set choices, which only menus name, or instants. */
export const settableOf = ({ parameters }: IndicatorSpec): readonly Parameter[] =>
  parameters.filter(({ choices, isInstant }) => choices === undefined && !isInstant)

/** `delta` is a value of the bar; the others are summed from trades, which formulas don't get. */
const NO_FUNCTIONS: readonly string[] = ['delta', 'session-vwap', 'anchored-vwap']

/** The indicators by the names that formulas call them. */
export const INDICATOR_FUNCTIONS: ReadonlyMap<string, IndicatorFunction> = new Map(
  Object.values(INDICATORS)
    .filter(({ id }) => !NO_FUNCTIONS.includes(id))
    .map((spec) => {
      const name = formulaName(spec.id)
      return [name, { name, spec, outputs: spec.outputs.map(formulaName) }]
    }),
)

const isFunctionName = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name)
export const functionOf = (name: string): FormulaFunction | undefined =>
  isFunctionName(name) ? FUNCTIONS[name] : undefined

/** How a function is called: "macd(x, fast, slow, signal)". Undefined if there is none. */
export function signatureOf(name: string): string | undefined {
  if (isFunctionName(name)) return `${name}(${FUNCTIONS[name].args.join(', ')})`
  const indicator = INDICATOR_FUNCTIONS.get(name)
  if (indicator) {
    const { takesPrice } = indicator.spec
    return `${name}(${[...(takesPrice ? ['x'] : []), ...settableOf(indicator.spec).map(({ title }) => formulaName(title))].join(', ')})`
  }
  if (name === 'input' || name === 'plot' || name === 'level') return `${name}(${DECLARATIONS[name].join(', ')})`
  return undefined
}
