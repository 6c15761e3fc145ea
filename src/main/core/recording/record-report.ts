/**
 * The report of `tapedeck record`, read back from the store: counts, coverage, and symbols that the service never
 * confirmed.
 */
import { withSchema } from '../../base/json-schema.ts'
import { coverageOf, type FeedCoverage } from '../../../shared/features/evidence/coverage.ts'
import type { CoveredSession } from '../../../shared/features/evidence/session-spans.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { countGaps, type FeedCounts, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { FeedStatus, Percentiles } from '../../../shared/core/status/status.ts'
import { feedAsset, instrumentKey, unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import type { StoredEntry } from '../store/types/messages.ts'

/** A session of this run with its entries in order. */
export interface RecordedSession {
  readonly row: SessionRow
  readonly entries: readonly StoredEntry[]
  /** The time of its last message or entry, UTC ms. */
  readonly lastMs: UnixMs
  /** Where the gaps of each feed begin if messages at its end weren't stored, UTC ms; see `StoreReader.lostFrom`. */
  readonly lostFrom: ReadonlyMap<FeedId, UnixMs>
}

/** One feed of the report. */
export interface FeedReport {
  readonly feed: FeedId
  readonly received: number
  readonly decoded: number
  /** Control messages, such as acknowledgements. Unless messages were lost, received = decoded + control + undecodable. */
  readonly control: number
  readonly undecodable: number
  readonly stored: number
  /** Number of gaps, without the ordinary ones at the start and end of a session (`countGaps`). */
  readonly gap_count: number
  /** Time with every requested symbol received, and time with at least one missing; seconds. */
  readonly covered_seconds: number
  readonly missing_seconds: number
  /** Requested symbols that the service never acknowledged. */
  readonly unconfirmed: readonly string[]
}

/** The report as `--json` prints it. Version 2 has `gap_count` where version 1 had `gaps`, which is a list everywhere else. */
export interface RecordReport {
  readonly schema: string
  readonly session: string
  /** `sourceKey` of the recorded source: "demo", or service, user and origin. */
  readonly source: string
  readonly feeds: readonly FeedReport[]
  /** Sums over all feeds, seconds. */
  readonly covered_seconds: number
  readonly missing_seconds: number
  readonly bytes: number
  /** From receipt to disk, ms; null: nothing was stored. */
  readonly lag_ms: Percentiles | null
}

/** What the recorder received in its last session, by feed, also what it couldn't store. */
export type LastReceived = readonly Pick<FeedCounts, 'feed' | 'received'>[]

/**
 * The report of a run. A run that crosses midnight UTC has several sessions: counts are sums over all of them, and
 * `session` is the newest. If messages weren't stored, the newest session has a gap from its last message or entry to
 * `untilMs`, the end of the run. Throws `disk-error` if there is no session.
 */
export function reportOf(
  stored: readonly RecordedSession[],
  requested: ReadonlyMap<FeedId, readonly string[]>,
  lag: Percentiles | null,
  received: LastReceived,
  untilMs: UnixMs,
): RecordReport {
  const lost = findLoss(stored, received)
  const sessions = stored.map((one) => (one === lost ? cutShort(one, requested.keys(), received, untilMs) : one))
  const newest = sessions.toSorted((a, b) => a.row.startedMs - b.row.startedMs).at(-1)?.row
  if (newest === undefined) {
    throw new CodedError('disk-error', 'Nothing was recorded.', { hint: 'Check the log for the reason.' })
  }
  const coverage = coverageByFeed(sessions)
  const totals = { coveredMs: 0, missingMs: 0 }
  const feeds = [...requested].map(([feed, symbols]): FeedReport => {
    const counts = sessions.flatMap(({ row }) => row.feeds.filter((one) => one.feed === feed))
    const sum = (of: 'received' | 'decoded' | 'control' | 'undecodable' | 'stored') =>
      counts.reduce((total, one) => total + one[of], 0)
    const { wantedMs, gapMs } = coverage.get(feed) ?? neverRequested(sessions)
    const [coveredMs, missingMs] = [Math.round(wantedMs - gapMs), Math.round(gapMs)]
    totals.coveredMs += coveredMs
    totals.missingMs += missingMs
    return {
      feed,
      received: sum('received'),
      decoded: sum('decoded'),
      control: sum('control'),
      undecodable: sum('undecodable'),
      stored: sum('stored'),
      gap_count: sessions.reduce((total, { row }) => total + countGaps(row.gaps.filter((gap) => gap.feed === feed)), 0),
      covered_seconds: coveredMs / 1_000,
      missing_seconds: missingMs / 1_000,
      unconfirmed: unconfirmed(sessions, feed, symbols),
    }
  })
  return withSchema('record', {
    session: newest.session,
    source: newest.source,
    feeds,
    covered_seconds: totals.coveredMs / 1_000,
    missing_seconds: totals.missingMs / 1_000,
    bytes: sessions.reduce((total, { row }) => total + row.bytes, 0),
    lag_ms: lag === null ? null : { p50: toMicros(lag.p50), p99: toMicros(lag.p99), max: toMicros(lag.max) },
  })
}

/** Milliseconds to the microsecond: more digits mean nothing. */
const toMicros = (ms: number): number => Math.round(ms * 1_000) / 1_000

/** The session that lacks received messages: the last one, if it is open in the store; undefined: nothing is missing. */
function findLoss(sessions: readonly RecordedSession[], received: LastReceived): RecordedSession | undefined {
  const last = sessions.toSorted((a, b) => a.row.startedMs - b.row.startedMs).at(-1)
  return last?.row.endedMs === null && countLost(last, received) > 0 ? last : undefined
}

function countLost({ row }: RecordedSession, received: LastReceived): number {
  const storedOf = (feed: FeedId): number => row.feeds.find((one) => one.feed === feed)?.stored ?? 0
  return received.reduce((sum, one) => sum + Math.max(0, one.received - storedOf(one.feed)), 0)
}

/** The session with all that was received, and with a gap at its end that begins where the next start will put it. */
function cutShort(
  session: RecordedSession,
  requested: Iterable<FeedId>,
  received: LastReceived,
  untilMs: UnixMs,
): RecordedSession {
  const { row, lastMs, lostFrom } = session
  const toMs = unixMs(Math.max(lastMs, untilMs))
  const lost = [...requested].map((feed): Gap => ({
    session: row.session,
    feed,
    symbols: [],
    cause: 'disk',
    fromMs: lostFrom.get(feed) ?? lastMs,
    toMs,
    fromSeq: 0,
    toSeq: null,
  }))
  const none = { decoded: 0, control: 0, undecodable: 0, unasked: 0, stored: 0 }
  const feeds = received.map((one): FeedCounts => ({
    ...none,
    ...row.feeds.find(({ feed }) => feed === one.feed),
    ...one,
  }))
  return { ...session, row: { ...row, endedMs: toMs, gaps: [...row.gaps, ...lost], feeds } }
}

/**
 * Why messages at the end of a run aren't stored; undefined if all are. `broken`: what was wrong with the disk shortly
 * before. The next start of Tapedeck writes the end and marks the gap.
 */
export function lossFailure(
  sessions: readonly RecordedSession[],
  received: LastReceived,
  untilMs: UnixMs,
  broken: { readonly message: string } | null,
): CodedError | undefined {
  const lost = findLoss(sessions, received)
  if (lost === undefined) return undefined
  const fromMs = Math.min(lost.lastMs, ...lost.lostFrom.values())
  const time = `the last ${Math.max(0, (untilMs - fromMs) / 1_000).toFixed(1)} s`
  const what = countText(
    countLost(lost, received),
    `message of ${time} wasn’t stored`,
    `messages of ${time} weren’t stored`,
  )
  return new CodedError('disk-error', `${what}.${broken === null ? '' : ` ${broken.message}`}`, {
    hint: 'Free some space or check the disk. The next session recorded into this store marks them as a gap.',
  })
}

/** Without zstd, or if the disk fails, a session is closed only at the next start: then its end is its last message. */
const endOf = ({ row, lastMs }: RecordedSession): number => row.endedMs ?? lastMs

function coverageByFeed(sessions: readonly RecordedSession[]): ReadonlyMap<FeedId, FeedCoverage> {
  const covered = sessions.map((one): CoveredSession => {
    const { session, startedMs, gaps } = one.row
    return { session, startedMs, endedMs: endOf(one), entries: one.entries, gaps }
  })
  const endMs = Math.max(...sessions.map(endOf))
  const { feeds } = coverageOf(covered, { fromMs: -Infinity, toMs: Infinity }, endMs)
  return new Map(feeds.map((one) => [one.feed, one]))
}

/** A feed that the run never subscribed to counts as missing for the entire run. */
function neverRequested(sessions: readonly RecordedSession[]): Pick<FeedCoverage, 'wantedMs' | 'gapMs'> {
  const ms = sessions.reduce((total, one) => total + endOf(one) - one.row.startedMs, 0)
  return { wantedMs: ms, gapMs: ms }
}

function unconfirmed(
  sessions: readonly RecordedSession[],
  feed: FeedId,
  symbols: readonly string[],
): readonly string[] {
  const asset = feedAsset(feed)
  const confirmed = new Set(
    sessions
      .flatMap(({ entries }) => entries)
      .flatMap(({ entry }) => (entry.type === 'acknowledged' && entry.feed === feed ? entry.symbols : []))
      .map((symbol) => instrumentKey(asset, symbol)),
  )
  return symbols.filter((symbol) => !confirmed.has(instrumentKey(asset, symbol)))
}

/**
 * Why a run failed although it ended as planned: a requested feed never opened, or a requested symbol was never
 * confirmed. Undefined if neither happened. `last`: the feeds shortly before the end, with their reasons.
 */
export function failureOf(
  { feeds }: Pick<RecordReport, 'feeds'>,
  requested: ReadonlyMap<FeedId, readonly string[]>,
  last: readonly FeedStatus[],
): CodedError | undefined {
  const silent = feeds.filter(({ feed, unconfirmed: some }) => some.length === requested.get(feed)?.length)
  const [first] = silent
  if (first !== undefined) {
    const state = last.find(({ feed }) => feed === first.feed)?.state
    const names = silent.map(({ feed }) => feed).join(', ')
    if (state?.is === 'refused' || state?.is === 'waiting') {
      const { code, message, hint } = state.why
      return new CodedError(code, `${names} never opened: ${message}`, { hint })
    }
    return new CodedError('timeout', `${names} never opened before the recording ended.`, {
      hint: 'Record for longer, or check the address and your connection.',
    })
  }
  const partly = feeds.filter(({ unconfirmed: some }) => some.length > 0)
  if (partly.length === 0) return undefined
  const names = partly.map(({ feed, unconfirmed: some }) => `${some.join(', ')} on ${feed}`).join('; ')
  return new CodedError('unexpected-answer', `The service never confirmed ${names}.`, {
    hint: 'Check the service’s name for the symbol. Missing data is marked as a gap.',
  })
}
