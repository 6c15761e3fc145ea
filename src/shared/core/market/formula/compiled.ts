/** Formulas by their text, each compiled once. */
import { t } from '../../../base/text.ts'
import { compileFormula, type Compiled } from './compile.ts'
import { placeIn } from './syntax.ts'

/** What a new formula says. */
export const FIRST_FORMULA = 'length = input("Length", 20)\n(close - sma(close, length)) / stdev(close, length)'

const MOST_COMPILED = 100
const compiled = new Map<string, Compiled>()

/** A formula, compiled once. */
export function compiledFormula(text: string): Compiled {
  const found = compiled.get(text) ?? compileFormula(text)
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  compiled.set(text, found)
  return found
}

/** Where a formula has an error, and which; null if it has none. */
export function formulaProblem(text: string): string | null {
  const found = compiledFormula(text)
  if (found.ok) return null
  const { message, from } = found.error
  return t('Line {line}, column {column}: {message}', { ...placeIn(text, from), message })
}
