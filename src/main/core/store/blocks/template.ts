/**
 * A message's template: all text between its number literals. Messages of one feed and instrument differ only in their
 * numbers, so a block stores the text once. Nothing here requires valid JSON: other text also comes back byte for byte,
 * only without named numbers.
 */
import { FEEDS } from '../../../../service/feeds.ts'
import { isFeedId } from '../../../../shared/base/units.ts'
import { literalEnd } from '../kernels/literal.ts'

/** A number's position in a message. */
interface Slot {
  /** Path of keys and indexes. Templates with equal paths share a column. */
  readonly path: string
  /** Its key, if it is in the message's own object; undefined if nested. */
  readonly key: string | undefined
}

/** parts[0] slot[0] parts[1] … slot[n-1] parts[n]. */
export interface Template {
  readonly parts: readonly Uint8Array[]
  readonly slots: readonly Slot[]
  /** The symbol as the service wrote it; '' if the message names none. */
  readonly symbol: string
}

/** Offset of slot i's literal, set by `shapeOf`. */
export interface Shape extends Template {
  readonly starts: readonly number[]
}

const SYMBOL_KEYS = ['pair', 'sym', 'symbol', 'ticker', 'S', 's', 'p', 'product_id'] as const
const QUOTE = 34
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

interface Level {
  array: boolean
  index: number
  key: string | undefined
  wantsKey: boolean
}

/** Deepest nesting that is parsed. Deeper text becomes part of the template. */
const MAX_DEPTH = 64
const MAX_SLOTS = 512

/** Splits bytes[from, to) into text and literals; undefined if it has more literals than are worth splitting. */
export function shapeOf(feed: string, bytes: Uint8Array, from: number, to: number): Shape | undefined {
  const symbolKeys: readonly string[] = isFeedId(feed) ? [FEEDS[feed].fields.symbol, ...SYMBOL_KEYS] : SYMBOL_KEYS
  const symbols = new Map<string, string>()
  const parts: Uint8Array[] = []
  const slots: Slot[] = []
  const starts: number[] = []
  const seen = new Map<string, number>()
  const levels: Level[] = []
  let base = 0
  let partFrom = from
  let i = from

  const slot = (start: number, end: number): boolean => {
    if (slots.length === MAX_SLOTS) return false
    const path = levels.map((l) => (l.array ? `[${l.index}]` : (l.key ?? ''))).join('\u0000')
    const again = seen.get(path) ?? 0
    seen.set(path, again + 1)
    const own = levels.length === base && base > 0
    slots.push({
      path: again === 0 ? path : `${path}\u0001${again}`,
      key: own ? levels[base - 1]?.key : undefined,
    })
    starts.push(start)
    parts.push(bytes.slice(partFrom, start))
    partFrom = end
    return true
  }

  while (i < to) {
    const c = bytes[i]
    if (c === QUOTE) {
      const close = stringEnd(bytes, i, to)
      const level = levels.at(-1)
      if (level !== undefined && !level.array && level.wantsKey) {
        level.key = textOf(bytes, i, close)
        level.wantsKey = false
      } else if (levels.length === base && base > 0 && level?.key !== undefined && symbolKeys.includes(level.key)) {
        // digits under a symbol key are still a symbol; a quoted price under such a key is a number
        const end = literalEnd(bytes, i + 1, close)
        const numeric = isNumberText(bytes, i + 1, close) && end === close
        const names = level.key === symbolKeys[0] || !numeric
        if (names) symbols.set(level.key, textOf(bytes, i, close))
        else if (!slot(i + 1, close)) return undefined
      } else if (isNumberText(bytes, i + 1, close) && !slot(i + 1, close)) return undefined
      i = close + 1
    } else if ((c >= 48 && c <= 57) || c === 45) {
      const end = literalEnd(bytes, i, to)
      if (levels.length <= MAX_DEPTH && !slot(i, end)) return undefined
      i = end
    } else {
      if (c === 123 || c === 91) {
        if (levels.length > MAX_DEPTH) return undefined
        levels.push({ array: c === 91, index: 0, key: undefined, wantsKey: c === 123 })
        if (base === 0 && c === 123) base = levels.length
      } else if (c === 125 || c === 93) {
        levels.pop()
        // a second object of a batch is another message, so only the numbers of the first one have keys
        if (levels.length < base) base = -1
      } else if (c === 44) {
        const level = levels.at(-1)
        if (level !== undefined) {
          level.index++
          level.wantsKey = !level.array
        }
      }
      i++
    }
  }
  parts.push(bytes.slice(partFrom, to))
  const named = symbolKeys.find((key) => symbols.has(key))
  return { parts, slots, starts, symbol: named === undefined ? '' : (symbols.get(named) ?? '') }
}

/** The closing quote of a string; `to` if it has none. */
function stringEnd(bytes: Uint8Array, open: number, to: number): number {
  let i = open + 1
  while (i < to && bytes[i] !== QUOTE) i += bytes[i] === 92 ? 2 : 1
  return Math.min(i, to)
}

/** Whether all of bytes[from, to) are literal bytes that start like a number. */
function isNumberText(bytes: Uint8Array, from: number, to: number): boolean {
  if (to <= from) return false
  const first = bytes[from] === 45 ? bytes[from + 1] : bytes[from]
  return first !== undefined && first >= 48 && first <= 57 && literalEnd(bytes, from, to) === to
}

/** The text of a JSON string with quotes at `open` and `close`. */
function textOf(bytes: Uint8Array, open: number, close: number): string {
  const inner = decoder.decode(bytes.subarray(open + 1, close))
  if (!inner.includes('\\')) return inner
  try {
    const value: unknown = JSON.parse(`"${inner}"`)
    return typeof value === 'string' ? value : inner
  } catch {
    return inner
  }
}

/** Key of a template's text; equal templates have equal keys. */
export function shapeKey(template: Template): string {
  let key = ''
  for (const part of template.parts)
    key += `${Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')}\u0100`
  return key
}
