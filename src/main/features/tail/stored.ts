/** Prints the messages of a stored session, and those that are added while it is being recorded. */
import { CodedError } from '../../../shared/base/errors.ts'
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
  readonly reader: Pick<StoreReader, 'replay' | 'sessions' | 'findPosition'>
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

/** How often to look for the session that continues one that was ended, and one whose recorder was killed and may be restarted. */
const MAX_LOOKS = 10
const RESTART_LOOKS = 600
/** How long a recorder of a team stores nothing, while another one of its shard does, until it counts as gone: ms, and looks. */
const GONE_MS = 15_000
const GONE_LOOKS = 150

export interface TailEvents {
  /** A session that continues the one before is printed next. */
  readonly begins: (session: SessionId) => void
  /** The recorder of a session was killed. Another one is waited for. */
  readonly lost: (session: SessionId) => void
}

/**
 * Prints what is recorded, from one session on, and then the sessions that continue it, as after midnight UTC. Resolves
 * once none does, or `wait` says to stop. Rejects with `offline` if the recorder was killed and none continues, or if it
 * is gone and its team has another one.
 */
export async function tailRecorded(tail: StoredTail, { begins, lost }: TailEvents): Promise<void> {
  let { session, afterSeq } = tail
  while (await tailStored({ ...tail, session, afterSeq }, createGoneCheck(tail, session))) {
    const following = await findFollowing(tail, session, lost)
    if (following === undefined) return
    session = following
    afterSeq = 0
    begins(session)
  }
}

/** The session that continues another one. The recorder may still be about to begin it, or to be started again. */
async function findFollowing(
  { reader, wait }: StoredTail,
  session: SessionId,
  lost: TailEvents['lost'],
): Promise<SessionId | undefined> {
  let isLost = false
  for (let looks = 0; looks < (isLost ? RESTART_LOOKS : MAX_LOOKS); looks++) {
    const rows = await reader.sessions(true)
    const ended = rows.find((row) => row.session === session)
    const later = ended === undefined ? [] : rows.filter((row) => isContinued(ended, row))
    // IDs are in the order of their sessions' starts.
    const [following] = later.map((row) => row.session).sort()
    if (following !== undefined) return following
    if (ended?.clean === false && !isLost) {
      isLost = true
      lost(session)
    }
    if (!(await wait())) return undefined
  }
  if (!isLost) return undefined
  throw new CodedError('offline', `The recorder of session ${session} stopped without ending it.`, {
    hint: 'Run tail again once it records.',
  })
}

/**
 * Returns a check that throws `offline` once the recorder of a team's session seems to be gone. Its session stays open, because
 * only its own store knows the end, and a quiet market looks the same until another recorder of the shard receives something.
 */
function createGoneCheck({ reader }: StoredTail, session: SessionId): (rows: readonly SessionRow[]) => Promise<void> {
  const lastOf = (of: SessionId) => reader.findPosition({ session: of, ms: Number.MAX_SAFE_INTEGER })
  let seq = -1
  /** Looks since the session got its last message: what a terminal still fetches of it isn't gone. */
  let looks = 0
  return async (rows) => {
    const printed = rows.find((row) => row.session === session)
    if (printed === undefined || !isTeamKey(printed.source)) return
    const last = await lastOf(session)
    looks = last?.seq === seq ? looks + 1 : 0
    seq = last?.seq ?? seq
    if (looks < GONE_LOOKS) return
    for (const other of rows) {
      if (other.source !== printed.source || other.session === session || !other.live) continue
      const aheadMs = ((await lastOf(other.session))?.ms ?? -Infinity) - (last?.ms ?? printed.startedMs)
      if (aheadMs <= GONE_MS) continue
      throw new CodedError(
        'offline',
        `Session ${session} has got nothing for 15 seconds, while session ${other.session} of the same shard has.`,
        {
          hint: 'Run tail again to print that one.',
        },
      )
    }
  }
}

/** Whether the recorder of an ended session began another one later. What others recorded meanwhile would repeat messages. */
function isContinued(ended: SessionRow, later: SessionRow): boolean {
  if (later.source !== ended.source || later.session <= ended.session || later.imported) return false
  // Several recorders of a team have one source. At midnight, each ends its session at the instant that begins its next one.
  return !isTeamKey(ended.source) || later.startedMs === ended.endedMs
}

/**
 * Prints until the session has ended and everything of it was printed, or `wait` says to stop. Resolves with whether
 * the session has ended. `check` looks at the sessions while it hasn't; what it throws ends the tail.
 */
export async function tailStored(
  tail: StoredTail,
  check: (rows: readonly SessionRow[]) => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const { reader, session, wait } = tail
  const print = createPrinter(tail)
  let { afterSeq } = tail
  for (;;) {
    // Asked before reading: what is stored until it ends is then read below.
    const rows = await reader.sessions(true)
    const isLive = rows.find((row) => row.session === session)?.live === true
    for await (const batch of reader.replay({ session, afterSeq, omitConnections: true, prefersRecords: true })) {
      await print(batch)
      afterSeq = batch.upToSeq
    }
    if (!isLive) return true
    await check(rows)
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
