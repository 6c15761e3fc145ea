/** Converts rows of an open block to the tick columns that readers return. */
import type { SessionId } from '../../../../shared/base/units.ts'
import type { TickColumns } from '../types/ticks.ts'
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
      return { maxBytes: whole.maxBytes, write: (row, out, to) => whole.write(at(row), out, to) }
    },
    raw: (row) => block.raw(at(row)),
  }
}

/** Merges runs of one session and feed by seq. Each run must be in seq order; seqs are unique in a session. */
export function mergeTicks(runs: readonly TickColumns[]): TickColumns {
  const [first, ...others] = runs
  if (first === undefined) throw new RangeError('no runs to merge')
  if (others.length === 0) return first
  const { part, row, seq } = mergeOrder(runs)
  const count = seq.length
  const gather = (of: (run: TickColumns) => Float64Array | Uint32Array): Float64Array => {
    const sources = runs.map(of)
    const out = new Float64Array(count)
    for (let i = 0; i < count; i++) out[i] = sources[part[i]][row[i]]!
    return out
  }
  const columns = new Map<string, Float64Array>()
  let recvMs: Float64Array | undefined
  let eventMs: Float64Array | undefined
  let flags: Uint8Array | undefined
  let conn: Uint32Array | undefined
  let connSeq: Uint32Array | undefined
  const at = (i: number): TickColumns => runs[part[i]]
  return {
    session: first.session,
    feed: first.feed,
    count,
    seq,
    get recvMs() {
      return (recvMs ??= gather((run) => run.recvMs))
    },
    get eventMs() {
      return (eventMs ??= gather((run) => run.eventMs))
    },
    get flags() {
      if (flags !== undefined) return flags
      flags = new Uint8Array(count)
      const sources = runs.map((run) => run.flags)
      for (let i = 0; i < count; i++) flags[i] = sources[part[i]][row[i]]!
      return flags
    },
    get conn() {
      return (conn ??= Uint32Array.from(gather((run) => run.conn)))
    },
    get connSeq() {
      return (connSeq ??= Uint32Array.from(gather((run) => run.connSeq)))
    },
    symbol: (i) => at(i).symbol(row[i]),
    keys: [...new Set(runs.flatMap((run) => run.keys))],
    column(key) {
      let column = columns.get(key)
      if (column === undefined) columns.set(key, (column = gather((run) => run.column(key))))
      return column
    },
    literal: (key, i) => at(i).literal(key, row[i]),
    writer(key) {
      const writers = runs.map((run) => run.writer(key))
      return {
        maxBytes: Math.max(...writers.map((writer) => writer.maxBytes)),
        write: (i, out, to) => writers[part[i]].write(row[i], out, to),
      }
    },
    raw: (i) => at(i).raw(row[i]),
  }
}

/** The run and row of each merged row. Merges pairs of runs until one is left. */
function mergeOrder(runs: readonly TickColumns[]): { part: Uint32Array; row: Uint32Array; seq: Float64Array } {
  let lists = runs.map((run, index) => ({
    part: new Uint32Array(run.count).fill(index),
    row: Uint32Array.from({ length: run.count }, (_, i) => i),
    seq: run.seq,
  }))
  while (lists.length > 1) {
    const next: typeof lists = []
    for (let i = 0; i < lists.length; i += 2) {
      const a = lists[i]
      const b = lists[i + 1]
      if (b === undefined) {
        next.push(a)
        continue
      }
      const n = a.seq.length + b.seq.length
      const out = { part: new Uint32Array(n), row: new Uint32Array(n), seq: new Float64Array(n) }
      for (let k = 0, x = 0, y = 0; k < n; k++) {
        const fromA = y === b.seq.length || (x < a.seq.length && a.seq[x] < b.seq[y])
        const list = fromA ? a : b
        const from = fromA ? x++ : y++
        out.part[k] = list.part[from]!
        out.row[k] = list.row[from]!
        out.seq[k] = list.seq[from]!
      }
      next.push(out)
    }
    lists = next
  }
  return lists[0] ?? { part: new Uint32Array(0), row: new Uint32Array(0), seq: new Float64Array(0) }
}
