/** Converts rows of an open block to the tick columns that readers return. */
import type { SessionId } from '../../../../shared/base/units.ts'
import type { BatchNumbers, TickColumns } from '../types/ticks.ts'
import type { OpenBlock } from './open-block.ts'

/**
 * Rows [from, to) of a block, or a list of ascending rows, as tick columns. A range shares the block's arrays; a list
 * copies. Undated rows have NaN in `eventMs`.
 */
export function blockTicks(
  block: OpenBlock,
  session: SessionId,
  rows: Uint32Array | { readonly from: number; readonly to: number } = { from: 0, to: block.count },
): TickColumns {
  const list = rows instanceof Uint32Array ? rows : undefined
  const from = rows instanceof Uint32Array ? 0 : rows.from
  const count = rows instanceof Uint32Array ? rows.length : rows.to - rows.from
  const at = (row: number): number => (list === undefined ? from + row : list[row])
  const part = <A extends Float64Array | Uint32Array | Uint8Array>(whole: A): A => {
    if (list !== undefined) {
      const picked = whole.slice(0, count)
      for (let i = 0; i < count; i++) picked[i] = whole[list[i]]!
      return picked as A // slice returns the same type of array
    }
    return (from === 0 && count === whole.length ? whole : whole.subarray(from, from + count)) as A // as above
  }
  const columns = new Map<string, Float64Array>()
  let seq: Float64Array | undefined
  let recvMs: Float64Array | undefined
  let eventMs: Float64Array | undefined
  let flags: Uint8Array | undefined
  let conn: Uint32Array | undefined
  let connSeq: Uint32Array | undefined
  return {
    session,
    feed: block.feed,
    count,
    get seq() {
      return (seq ??= part(block.seq))
    },
    get recvMs() {
      return (recvMs ??= part(block.recvMs))
    },
    get eventMs() {
      return (eventMs ??= part(block.eventMs))
    },
    get flags() {
      return (flags ??= part(block.flags))
    },
    get conn() {
      return (conn ??= part(block.conn))
    },
    get connSeq() {
      return (connSeq ??= part(block.connSeq))
    },
    symbol: (row) => block.symbol(at(row)),
    get symbols() {
      return block.onlySymbol === undefined ? undefined : { names: [block.onlySymbol], which: null }
    },
    get keys() {
      return block.keys
    },
    column(key) {
      let column = columns.get(key)
      if (column === undefined) columns.set(key, (column = part(block.column(key))))
      return column
    },
    literal: (key, row) => block.literal(key, at(row)),
    writer(key) {
      const whole = block.writer(key)
      if (list === undefined && from === 0) return whole
      let numbers: BatchNumbers | undefined
      return {
        maxBytes: whole.maxBytes,
        write: (row, out, to) => whole.write(at(row), out, to),
        get numbers() {
          const { values, forms } = whole.numbers
          return (numbers ??= { values: part(values), forms: typeof forms === 'number' ? forms : part(forms) })
        },
      }
    },
    raw: (row) => block.raw(at(row)),
  }
}
