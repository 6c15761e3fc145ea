/** Finds the peers of a company in a response of any shape. Pure. */
import {
  entriesOf,
  isList,
  isObject,
  isScalar,
  scalarText,
  type Scalar,
  type Value,
} from '../../../../shared/features/research/value.ts'

const SYMBOL = /^[A-Z][A-Z0-9.-]{0,9}$/
const NAMED = /^(symbol|ticker)$/i
/** Keys of an object whose texts are symbols. */
const LISTED = /peer|symbol|ticker/i
const DEEPEST = 8
const MOST = 100

/**
 * The symbols of a response without `symbol` itself, each once, in the order they were sent: items of lists (alone or as
 * objects with a symbol, also mixed), and texts with commas such as "MSFT, GOOG" under a key that says so.
 */
export function peersOf(value: Value | undefined, symbol: string): readonly string[] {
  const found = new Set<string>()
  const take = (one: Scalar): void => {
    const text = scalarText(one)
    if (SYMBOL.test(text) && text !== symbol && found.size < MOST) found.add(text)
  }
  const visit = (here: Value, depth: number): void => {
    if (depth > DEEPEST || found.size >= MOST) return
    if (isList(here)) {
      for (const one of here) {
        if (isScalar(one)) take(one)
        else visit(one, depth + 1)
      }
      return
    }
    if (!isObject(here)) return
    const entries = entriesOf(here)
    const isRecord = entries.some(([key, one]) => NAMED.test(key) && isScalar(one))
    for (const [key, one] of entries) {
      if (isScalar(one)) {
        if (LISTED.test(key)) for (const part of scalarText(one).split(/[,;\s]+/)) take(part)
      } else if (!isRecord || LISTED.test(key)) visit(one, depth + 1)
    }
  }
  if (value !== undefined) visit(value, 0)
  return [...found]
}
