/** Seals messages into blocks, and summarizes a block for the index. */
import { FLAG } from '../../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { encodeInSteps } from '../blocks/encode.ts'
import { sliceColumns } from '../format/message-columns.ts'
import type { MessageColumns } from '../types/messages.ts'
import { BLOCK_BYTES, BLOCK_ROWS } from './open-session.ts'

/** A block ready to be written. */
export interface SealedBlock {
  readonly data: Uint8Array
  readonly minSeq: number
  readonly maxSeq: number
  readonly minMs: number
  readonly maxMs: number
  readonly count: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
}

/** The numbers of a block row that its checksum covers, after the series. */
export const blockChecksumFields = (b: Omit<SealedBlock, 'data'>): number[] => [
  b.minSeq,
  b.maxSeq,
  b.minMs,
  b.maxMs,
  b.count,
  b.control,
  b.undecodable,
  b.unasked,
]

/** Index values of a block. Rows without an event time (NaN) count by receive time. */
export function summarizeBlock(m: MessageColumns, eventMs: ArrayLike<number>): Omit<SealedBlock, 'data'> {
  let minMs = Infinity
  let maxMs = -Infinity
  let control = 0
  let undecodable = 0
  let unasked = 0
  for (let i = 0; i < m.count; i++) {
    const ms = Number.isNaN(eventMs[i]) ? m.recvMs[i] : eventMs[i]
    if (ms < minMs) minMs = ms
    if (ms > maxMs) maxMs = ms
    const flags = m.flags[i]
    if ((flags & FLAG.control) !== 0) control++
    else if ((flags & FLAG.undecodable) !== 0) undecodable++
    if ((flags & FLAG.unasked) !== 0) unasked++
  }
  return {
    minSeq: m.seq[0] ?? 0,
    maxSeq: m.seq[m.count - 1] ?? 0,
    minMs,
    maxMs,
    count: m.count,
    control,
    undecodable,
    unasked,
  }
}

/** Seals rows of one series into blocks. */
export function* sealRows(
  feed: FeedId,
  m: MessageColumns,
  eventMs: readonly number[],
): Generator<undefined, SealedBlock[], void> {
  const blocks: SealedBlock[] = []
  for (const { rows, from, to } of splitForBlocks(m)) {
    const times = eventMs.slice(from, to)
    const data = yield* encodeInSteps(feed, rows, { eventMs: Float64Array.from(times) })
    blocks.push({ ...summarizeBlock(rows, times), data })
    yield
  }
  return blocks
}

/** Splits a run into what single blocks can hold. */
function* splitForBlocks(m: MessageColumns): Generator<{ rows: MessageColumns; from: number; to: number }> {
  let from = 0
  while (from < m.count) {
    let to = Math.min(m.count, from + BLOCK_ROWS)
    while (to > from + 1 && m.offsets[to] - m.offsets[from] > BLOCK_BYTES) to = from + ((to - from) >> 1)
    yield { rows: sliceColumns(m, from, to), from, to }
    from = to
  }
}
