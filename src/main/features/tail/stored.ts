/** Prints the messages of a stored session, and those that are added while it is being recorded. */
import { scratch } from '../../../service/codec.ts'
import { isTeamKey, STORED_ONLY, type SessionRow } from '../../../shared/core/recording/session.ts'
import { FEED_IDS, instrumentId, feedAsset, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import type { SymbolsByFeed } from '../../core/feeds/subscriptions.ts'
import { decodeRow } from '../../core/playback/decode-row.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { ReplayBatch } from '../../core/store/types/replay.ts'
import type { WriteLine } from './lines.ts'

const PIECE = 64 << 10

/** Which messages of a session. A feed without symbols stands for all of them; null: every feed. */
export type Wanted = SymbolsByFeed | null

/** Whether a message is wanted, by feed and by symbol in any alias. */
export function createFilter(wanted: Wanted): (feed: FeedId, symbol: string) => boolean {
  if (wanted === null) return () => true
  const feeds = new Map(
    [...wanted].map(([feed, symbols]) => [feed, new Set(symbols.map((one) => instrumentId(feedAsset(feed), one)))]),
  )
  const known = new Map<string, boolean>()
  return (feed, symbol) => {
    const instruments = feeds.get(feed)
    if (instruments === undefined || instruments.size === 0) return instruments !== undefined
    const key = `${feed} ${symbol}`
    let found = known.get(key)
    if (found === undefined) known.set(key, (found = instruments.has(instrumentId(feedAsset(feed), symbol))))
    return found
  }
}

export interface StoredTail {
  readonly reader: Pick<StoreReader, 'replay' | 'sessions'>
  readonly session: SessionId
  /** Begins after this seq. */
  readonly afterSeq: number
  readonly wanted: Wanted
  readonly line: WriteLine
  /** Resolves once more may be written. Rejects if nobody reads. */
  readonly write: (text: string) => Promise<void>
  /** Resolves when it is worth looking again; false: stop. */
  readonly wait: () => Promise<boolean>
}

/** How often to look for the session that continues one. */
const MAX_LOOKS = 10

/**
 * Prints what is recorded, from one session on, and then the sessions that continue it, as after midnight UTC. Calls
 * `begins` with each of them. Resolves once none does, or `wait` says to stop.
 */
export async function tailRecorded(tail: StoredTail, begins: (session: SessionId) => void): Promise<void> {
  let { session, afterSeq } = tail
  while (await tailStored({ ...tail, session, afterSeq })) {
    const following = await findFollowing(tail, session)
    if (following === undefined) return
    session = following
    afterSeq = 0
    begins(session)
  }
}

/** The session that continues another one. The recorder may still be about to begin it. */
async function findFollowing({ reader, wait }: StoredTail, session: SessionId): Promise<SessionId | undefined> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const rows = await reader.sessions(true)
    const ended = rows.find((row) => row.session === session)
    const later = ended === undefined ? [] : rows.filter((row) => isContinued(ended, row))
    // IDs are in the order of their sessions' starts.
    const [following] = later.map((row) => row.session).sort()
    if (following !== undefined) return following
    if (!(await wait())) return undefined
  }
  return undefined
}

/** Whether the recorder of an ended session began another one later. What others recorded meanwhile would repeat messages. */
function isContinued(ended: SessionRow, later: SessionRow): boolean {
  if (later.source !== ended.source || later.session <= ended.session || later.imported) return false
  // Several recorders of a team have one source. At midnight, each ends its session at the instant that begins its next one.
  return !isTeamKey(ended.source) || later.startedMs === ended.endedMs
}

/**
 * Prints until the session has ended and everything of it was printed, or `wait` says to stop. Resolves with whether
 * the session has ended.
 */
export async function tailStored(tail: StoredTail): Promise<boolean> {
  const { reader, session, wait } = tail
  const print = createPrinter(tail)
  let { afterSeq } = tail
  for (;;) {
    // Asked before reading: what is stored until it ends is then read below.
    const isLive = (await reader.sessions(true)).find((row) => row.session === session)?.live === true
    for await (const batch of reader.replay({ session, afterSeq, omitConnections: true, prefersRecords: true })) {
      await print(batch)
      afterSeq = batch.upToSeq
    }
    if (!isLive) return true
    if (!(await wait())) return false
  }
}

function createPrinter({ wanted, line, write }: StoredTail): (batch: ReplayBatch) => Promise<void> {
  const isWanted = createFilter(wanted)
  const record = scratch()
  return async (batch) => {
    const { count, feed, flags, seq, recvMs } = batch
    let text = ''
    for (let i = 0; i < count; i++) {
      if ((flags[i] & STORED_ONLY) !== 0) continue
      const of = FEED_IDS[feed[i]]
      decodeRow(batch, i, record)
      if (!isWanted(of, record.symbol)) continue
      text += line(of, seq[i], recvMs[i], record)
      if (text.length >= PIECE) {
        await write(text)
        text = ''
      }
    }
    if (text !== '') await write(text)
  }
}
