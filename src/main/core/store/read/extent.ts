/** Computes the size of a feed's data from the block index. Only the journal is decoded. */
import { commonSpans, spansMs } from '../../../../shared/base/spans.ts'
import type { Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { Journal } from '../format/journal.ts'
import type { TickExtent, TickQuery } from '../types/ticks.ts'
import type { StoreQueries } from './queries.ts'

interface BlockRow {
  readonly min_ms: number
  readonly max_ms: number
  readonly count: number
  readonly stored_only: number
}

/** How much of a block's time counts elsewhere, ms. */
function leftOutOf({ leftOut }: Share, { min_ms: fromMs, max_ms: toMs }: BlockRow): number {
  // Of imports, the receive time decides, which the index doesn't have.
  const spans = leftOut.filter((one) => one.fromMs > -Infinity || one.toMs < Infinity)
  return spansMs(commonSpans([{ fromMs, toMs }], spans))
}

/** The approximate size of the result of `ticks` for the same query. A block cut by the range counts by its share. */
export function readExtent(queries: StoreQueries, query: TickQuery): TickExtent {
  const { db } = queries
  const fromMs = query.fromMs ?? -Infinity
  const toMs = query.toMs ?? Infinity
  const series = db.prepare<[number, string], { id: number; instrument: string }>(
    'SELECT id, instrument FROM series WHERE recording = ? AND feed = ?',
  )
  // all columns are in the index, so the blocks aren't read
  const blocks = db.prepare<[number, number, number], BlockRow>(
    `SELECT min_ms, max_ms, count, control + undecodable + unasked AS stored_only FROM block INDEXED BY block_order
     WHERE series = ? AND max_ms >= ? AND min_ms < ?`,
  )
  const conns = db
    .prepare<[number, string], number>('SELECT conn FROM connection WHERE recording = ? AND feed = ?')
    .pluck()
  const journal = new Journal(db)
  const isQueried = (instrument: string): boolean =>
    query.instruments === null || (query.instruments as readonly string[]).includes(instrument)
  const instruments = new Set<string>()
  let messages = 0
  let records = 0
  let first = Infinity
  let last = -Infinity
  for (const plan of queries.plan(query)) {
    for (const { id, instrument } of series.all(plan.id, query.feed)) {
      if (!isQueried(instrument)) continue
      const share = plan.shares.get(instrument) ?? plan.share
      for (const row of blocks.iterate(id, fromMs, toMs)) {
        const length = row.max_ms - row.min_ms
        const inside = Math.min(row.max_ms, toMs) - Math.max(row.min_ms, fromMs)
        const counted = 1 - leftOutOf(share, row) / Math.max(1, length)
        const fraction = length > 0 ? Math.min(1, Math.max(0, inside / length)) * counted : 1
        messages += row.count * fraction
        records += (row.count - row.stored_only) * fraction
        first = Math.min(first, Math.max(row.min_ms, fromMs))
        last = Math.max(last, Math.min(row.max_ms, toMs))
        if (row.count > row.stored_only) instruments.add(instrument)
      }
    }
    const ours = new Set(conns.all(plan.id, query.feed))
    for (const flush of journal.from(plan.id, 0)) {
      const m = flush.read()?.messages
      if (m === undefined) continue
      for (let i = 0; i < m.count; i++) {
        const at = m.recvMs[i]
        if (!ours.has(m.conn[i]) || at < fromMs || at >= toMs) continue
        messages++
        records++
        first = Math.min(first, at)
        last = Math.max(last, at)
      }
    }
  }
  const instrumentCount = query.instruments === null ? instruments.size : new Set(query.instruments).size
  return {
    messages: Math.round(messages),
    records: Math.round(records),
    instruments: instrumentCount,
    fromMs: first === Infinity ? null : first,
    toMs: last === -Infinity ? null : last,
  }
}
