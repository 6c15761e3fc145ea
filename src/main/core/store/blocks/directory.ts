/** A block's directory: templates, columns and texts, and the offset of each. */
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import { ByteReader, corruptBlock } from './bytes.ts'
import { MAX_ROWS, MAX_TEMPLATES, TIME, TIME_UNITS } from './format.ts'
import { LOW_PADDING, type IntColumn } from './ints.ts'
import { MAX_DECIMALS } from '../kernels/literal.ts'
import { STYLE, type Style } from '../kernels/number-form.ts'
import { readIntColumn } from './read-ints.ts'

export interface Numbers {
  readonly key: string | undefined
  readonly style: Style
  readonly decimals: number
  readonly values: number
  /** Column of the decimals (style `explicit`), else -1. */
  readonly perRow: number
  readonly exceptionRows: number
  readonly exceptions: readonly Uint8Array[]
}

export interface KnownTemplate {
  readonly symbol: string
  readonly columns: readonly number[]
  readonly parts: readonly Uint8Array[]
}

/** Ids of the columns that every block has. */
export const SEQ = 0
export const CONN = 1
export const CONN_SEQ = 2
export const MONO = 3
export const RECV = 4
export const FLAGS = 5
export const TEMPLATE = 6

export interface Directory {
  readonly feed: FeedId
  readonly count: number
  readonly ints: readonly IntColumn[]
  readonly templates: readonly KnownTemplate[]
  readonly numbers: readonly Numbers[]
  /** End offset of each exception text in the cold part, counted from `rawFrom`. */
  readonly rawEnds: readonly number[]
  readonly rawFrom: number
  readonly time: { readonly is: number; readonly at: number; readonly unit: number }
}

/**
 * Reads the first `headLength` bytes of the hot part. Throws `store-damaged` if the sizes of all parts don't add up.
 */
export function readDirectory(
  body: Uint8Array,
  headLength: number,
  sizes: { readonly cold: number; readonly low: number },
): Directory {
  const head = new ByteReader(body, 0, headLength)
  const feed = head.text()
  if (!isFeedId(feed)) throw corruptBlock('its feed is unknown')
  const count = head.count(MAX_ROWS, 'the count of rows')
  const names: (string | undefined)[] = []
  const columns = head.count(headLength, 'the count of columns')
  for (let i = 0; i < columns; i++) names.push(head.byte() === 0 ? undefined : head.text())
  const templates: KnownTemplate[] = []
  for (let i = head.count(MAX_TEMPLATES, 'the count of templates'); i > 0; i--) {
    const symbol = head.text()
    const slots = head.count(columns, 'the count of numbers')
    const ids: number[] = []
    for (let s = 0; s < slots; s++) ids.push(head.count(columns - 1, 'a column'))
    if (new Set(ids).size !== slots) throw corruptBlock('a template uses a column twice')
    const parts: Uint8Array[] = []
    for (let s = 0; s <= slots; s++) parts.push(head.block())
    templates.push({ symbol, columns: ids, parts })
  }
  const raws = head.count(count, 'the count of texts')
  const rawEnds: number[] = []
  let rawBytes = 0
  for (let i = 0; i < raws; i++) rawEnds.push((rawBytes += head.count(sizes.cold, 'a length')))
  const hotLength = body.length - headLength

  const ints: IntColumn[] = []
  const numbers: Numbers[] = []
  const offsets = { hot: 0, cold: 0, low: 0 }
  const column = (rows: number | undefined, cold = false): number => {
    const read = readIntColumn(head, offsets, count, cold)
    if (rows !== undefined && read.count !== rows) throw corruptBlock('a column has the wrong length')
    return ints.push(read) - 1
  }
  for (let i = SEQ; i <= TEMPLATE; i++) column(count, i >= CONN && i <= RECV)
  column(raws)
  for (const key of names) {
    const style = head.byte()
    if (style !== STYLE.fixed && style !== STYLE.js && style !== STYLE.python && style !== STYLE.explicit) {
      throw corruptBlock('a column has an unknown number format')
    }
    const decimals = head.byte()
    if (decimals > MAX_DECIMALS) throw corruptBlock('a column has too many decimals')
    const values = column(undefined)
    const rows = ints[values].count
    const perRow = style === STYLE.explicit ? column(rows) : -1
    const exceptionRows = column(undefined)
    const exceptions: Uint8Array[] = []
    for (let i = ints[exceptionRows].count; i > 0; i--) exceptions.push(head.block())
    numbers.push({ key, style, decimals, values, perRow, exceptionRows, exceptions })
  }
  let time: Directory['time']
  const is = head.byte()
  if (is === TIME.column) {
    const at = head.count(columns - 1, 'the time column')
    const unit = head.count(TIME_UNITS.length - 1, 'the time unit')
    if (ints[numbers[at].values].count !== count) throw corruptBlock('it doesn’t have a time for each message')
    time = { is, at, unit }
  } else if (is === TIME.own) {
    const at = column(count)
    column(undefined)
    time = { is, at, unit: 0 }
  } else if (is === TIME.none) time = { is, at: 0, unit: 0 }
  else throw corruptBlock('its times have an unknown encoding')
  const isConsistent = offsets.hot === hotLength && offsets.cold + rawBytes === sizes.cold
  if (head.at !== headLength || !isConsistent || offsets.low + LOW_PADDING !== sizes.low) {
    throw corruptBlock('its sections don’t match its size')
  }
  return { feed, count, ints, templates, numbers, rawEnds, rawFrom: offsets.cold, time }
}
