/** The sessions of a replay in order. Replay time is receive time that never decreases across all of them. */
import { isCounted, type SessionShares } from '../../../shared/core/recording/merged-sessions.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../shared/base/units.ts'
import type { Scratch } from '../../../service/codec.ts'
import type { ReplayBatch } from '../store/types/replay.ts'
import { decodeRow } from './decode-row.ts'
import type { Tracker } from './tracker.ts'

/** Whether a message of a session counts, and not that of another one at the same time. Times are UTC ms. */
export type Counts = (feed: FeedId, record: Pick<Scratch, 'symbol' | 'eventMs'>, seq: number, recvMs: number) => boolean

/** What was received before an instant belongs to an earlier session. */
export const receivedSince = (notBeforeMs: number): Counts | null =>
  notBeforeMs === -Infinity ? null : (_feed, _record, _seq, recvMs) => recvMs >= notBeforeMs

/** What a session of a team adds to the others that overlap it. */
export function countsIn({ feeds }: SessionShares): Counts | null {
  if (feeds.size === 0) return null
  const names = new Map<string, InstrumentId>()
  return (feed, { symbol, eventMs }, seq, recvMs) => {
    const shares = feeds.get(feed)
    if (shares === undefined) return true
    let instrument = names.get(`${feed} ${symbol}`)
    if (instrument === undefined) names.set(`${feed} ${symbol}`, (instrument = instrumentId(feedAsset(feed), symbol)))
    return isCounted(shares.instruments.get(instrument) ?? shares.share, seq, eventMs, recvMs)
  }
}

/** Whether the message in a row of a batch counts. `record` is overwritten. */
export function isRowCounted(counts: Counts, batch: ReplayBatch, row: number, record: Scratch): boolean {
  decodeRow(batch, row, record)
  return counts(FEED_IDS[batch.feed[row]], record, batch.seq[row], batch.recvMs[row])
}

/** One session of a replay. Times are replay times, UTC ms. */
export interface Part {
  readonly session: SessionId
  readonly fromMs: number
  readonly toMs: number
  /** Its last message or entry. What a live session receives later isn't played. */
  readonly lastSeq: number
  /** Whether a message counts in the view of all sessions. Null: every one does. */
  readonly counts: Counts | null
  /** Whether it was closed. Otherwise a crash follows it. */
  readonly clean: boolean
  /** It is several sessions as one. `why`: why its digests can't be compared with those of recorders. */
  readonly merged?: { readonly newTracker: () => Tracker; readonly why: string } | undefined
}

/** Makes the times of parts, which are in playing order, never decrease. */
export function joinParts(parts: readonly Part[]): readonly Part[] {
  let ended = -Infinity
  return parts.map((part) => {
    const fromMs = Math.max(part.fromMs, ended)
    const toMs = (ended = Math.max(part.toMs, fromMs))
    return { ...part, fromMs, toMs }
  })
}

/** Index of the last part that has begun at an instant, UTC ms; 0 before the first. */
export function partAt(parts: readonly Part[], ms: number): number {
  return Math.max(
    0,
    parts.findLastIndex(({ fromMs }) => fromMs <= ms),
  )
}
