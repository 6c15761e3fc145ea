/** Reads the blocks of a series and checks each one against its index row. */
import type { FeedId } from '../../../../shared/base/units.ts'
import { equalBytes, rowChecksum } from '../format/ledger.ts'
import { sliceColumns } from '../format/message-columns.ts'
import { openBlock } from '../blocks/open.ts'
import type { Db } from '../schema/sqlite.ts'
import type { MessageColumns } from '../types/messages.ts'
import { upperBound } from '../../../../shared/base/search.ts'
import { blockChecksumFields, summarizeBlock } from '../write/sealed-block.ts'
import type { CheckedSession } from './checked-session.ts'

interface BlockRow {
  readonly id: number
  readonly series: number
  readonly min_seq: number
  readonly max_seq: number
  readonly min_ms: number
  readonly max_ms: number
  readonly count: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly size: number
  readonly sum: Buffer
  readonly data: Buffer
}

interface BlockSeries {
  readonly id: number
  readonly feed: FeedId
  readonly instrument: string
}

/** A block as it is listed. */
export interface BlockRange {
  readonly id: number
  readonly min_seq: number
  readonly max_seq: number
}

/** The blocks of a series as listed now, by seq. */
export function blockRanges(db: Db, series: number): readonly BlockRange[] {
  return db
    .prepare<[number], BlockRange>('SELECT id, min_seq, max_seq FROM block WHERE series = ? ORDER BY min_seq')
    .all(series)
}

/** The messages of a series' blocks up to the watermark, oldest first. Each block is checked against its row. */
export function* checkedBlocks(
  session: CheckedSession,
  series: BlockSeries,
  blocks: readonly BlockRange[],
): Generator<MessageColumns> {
  const read = session.db.prepare<[number], BlockRow>('SELECT * FROM block WHERE id = ?')
  let ranges = blocks
  /** Everything up to this seq was read. Merged blocks start before it. */
  let reached = 0
  let refreshed = false
  for (let n = 0; n < ranges.length; n++) {
    const range = ranges[n]
    const found = session.read(() => {
      const row = read.get(range.id)
      const isSame = row?.series === series.id && row.min_seq === range.min_seq && row.max_seq === range.max_seq
      if (isSame) return { row, ranges: null }
      const current = blockRanges(session.db, series.id)
      const isListed = current.some(
        ({ id, min_seq, max_seq }) => id === range.id && min_seq === range.min_seq && max_seq === range.max_seq,
      )
      return isListed ? { row, ranges: null } : { row: undefined, ranges: current }
    })
    if (found.ranges !== null) {
      // It was merged with others, so its messages are in blocks that weren't listed.
      ranges = found.ranges.filter(({ max_seq: last }) => last > reached)
      n = -1
      refreshed = true
      continue
    }
    const { row } = found
    if (row === undefined) {
      session.problem('structure', `block ${range.id} is in the index but isn’t stored`, series.feed)
      continue
    }
    if (refreshed && row.min_seq > session.row.sealed_seq) return
    const m = readBlock(session, series, row)
    if (m === null) continue
    const cut = refreshed ? rowsWithin(m, reached, session.row.sealed_seq) : m
    reached = Math.max(reached, row.max_seq)
    if (cut.count > 0) yield cut
  }
}

/** The messages of a block; null if it is corrupt. Reports where the block differs from its index row. */
function readBlock(session: CheckedSession, series: BlockSeries, row: BlockRow): MessageColumns | null {
  const { id } = row
  const expected = {
    minSeq: row.min_seq,
    maxSeq: row.max_seq,
    minMs: row.min_ms,
    maxMs: row.max_ms,
    count: row.count,
    control: row.control,
    undecodable: row.undecodable,
    unasked: row.unasked,
  }
  if (
    row.series !== series.id ||
    row.size !== row.data.length ||
    !equalBytes(rowChecksum([series.id, ...blockChecksumFields(expected)], row.data), row.sum)
  ) {
    session.problem(
      'changed',
      `block ${id} of ${series.instrument || 'no instrument'} fails its checksum`,
      series.feed,
      row.min_ms,
    )
  }
  let block
  let m
  try {
    block = openBlock(row.data)
    m = block.messages()
  } catch {
    session.problem('torn', `block ${id} (seq ${row.min_seq} to ${row.max_seq}) is corrupt`, series.feed, row.min_ms)
    return null
  }
  const seals = blockChecksumFields(summarizeBlock(m, block.eventMs))
  if (block.feed !== series.feed || seals.some((n, i) => n !== blockChecksumFields(expected)[i])) {
    session.problem('structure', `the index of block ${id} doesn’t match its messages`, series.feed, row.min_ms)
  }
  return m
}

/** The rows with a seq in (after, upTo]. */
function rowsWithin(m: MessageColumns, after: number, upTo: number): MessageColumns {
  const from = upperBound(m.seq, after)
  const to = upperBound(m.seq, upTo)
  return from === 0 && to === m.count ? m : sliceColumns(m, from, to)
}
