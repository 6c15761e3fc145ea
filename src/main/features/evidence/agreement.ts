/** Compares bars built from received ticks with the service's own bars, page by page. */
import { setImmediate as turn } from 'node:timers/promises'
import { MINUTE_MS, SECOND_MS } from '../../../shared/base/durations.ts'
import {
  agreementOf,
  compareBars,
  countVerdicts,
  joinVerdicts,
  proofSentences,
  type AgreementCounts,
  type Comparison,
} from '../../../shared/features/evidence/agreement.ts'
import { liesIn, receivedSpans } from '../../../shared/features/evidence/session-spans.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type {
  AgreementMinute,
  AgreementReport,
  AgreementSeconds,
  AgreementTotal,
} from '../../../shared/features/evidence/evidence.ts'
import { SERVICE_BAR_FEEDS, type Bar, type BarSource, type Interval } from '../../../shared/core/market/market.ts'
import { matchesSource, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { Span } from '../../../shared/base/spans.ts'
import {
  feedAsset,
  instrumentKey,
  parseInstrument,
  sessionId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { coveredSession, visibleSessions } from '../../core/views/view-sessions.ts'
import type { EvidenceView } from './view.ts'

/** How long after its end a bar from the service may still arrive, ms. */
const GRACE_MS = 5_000
/** Length of a page: two days, ms. */
const PAGE_MS = 2_880 * MINUTE_MS
/** Range read at once if there are bars of one second, ms. */
const STRETCH_MS = 30 * MINUTE_MS
/** Range read at once if there are only bars of one minute, ms. */
const LONG_STRETCH_MS = 12 * 60 * MINUTE_MS
/** Maximum differing minutes listed. The rest are only counted. */
const MAX_NAMED = 500

/** One session and instrument to compare, with access to their bars. */
interface Case {
  readonly row: SessionRow
  readonly instrument: InstrumentId
  readonly tickFeed: FeedId
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  readonly volumes: boolean
  /** The session's range, UTC ms, from a full minute up to the view's clock. */
  readonly fromMs: number
  readonly toMs: number
  received(feed: FeedId): readonly Span[]
  bars(of: BarSource, interval: Interval, fromMs: number, toMs: number): Promise<Map<number, Bar>>
}

async function openCase(
  reader: StoreReader,
  view: EvidenceView,
  session: string,
  instrument: InstrumentId,
): Promise<Case> {
  const row = (await reader.sessions(true)).find((one) => one.session === session)
  if (row === undefined || (view.past && !matchesSource(row.source, view.source))) {
    throw new CodedError('not-found', `There is no session ${session}.`, {
      hint: 'Choose one from the list of sessions.',
    })
  }
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const trades = TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'trade')
  const tickFeed = trades ?? TICK_FEEDS[asset][0]
  const has = (feed: FeedId | undefined): FeedId | null =>
    feed !== undefined && row.feeds.some((one) => one.feed === feed && one.stored > 0) ? feed : null
  const covered = await coveredSession(reader, view, row, await reader.gaps({ session: row.session }))
  const key = parseInstrument(instrument)?.key
  const spans = new Map<FeedId, readonly Span[]>()
  const upTo = view.past ? (view.upTo ?? undefined) : undefined
  const toMs = covered.endedMs
  return {
    row,
    instrument,
    tickFeed,
    minuteFeed: has(SERVICE_BAR_FEEDS[asset].minute),
    secondFeed: has(Object.values(FEEDS).find((feed) => feed.asset === asset && feed.barMs === SECOND_MS)?.id),
    volumes: trades !== undefined,
    fromMs: Math.floor(row.startedMs / MINUTE_MS) * MINUTE_MS,
    toMs,
    received(feed) {
      let known = spans.get(feed)
      if (known === undefined) {
        known = receivedSpans(covered, feed, (symbol) => instrumentKey(feedAsset(feed), symbol) === key)
        spans.set(feed, known)
      }
      return known
    },
    async bars(of, interval, from, to) {
      const found = new Map<number, Bar>()
      const query = { instrument, of, interval, source: row.source, fromMs: from, beforeMs: to, upTo }
      const { bars } = await reader.bars({ ...query, limit: Math.ceil((to - from) / SECOND_MS) })
      for (const bar of bars) found.set(bar.startMs, bar)
      return found
    },
  }
}

/** Compares each interval of [from, to) in which either side has a bar, oldest first. */
function compareAll(
  of: Case,
  built: ReadonlyMap<number, Bar>,
  sent: ReadonlyMap<number, Bar>,
  barFeed: FeedId | null,
  lengthMs: number,
): Comparison[] {
  const ticks = of.received(of.tickFeed)
  const bars = barFeed === null ? [] : of.received(barFeed)
  const starts = [...new Set([...built.keys(), ...sent.keys()])].sort((a, b) => a - b)
  return starts.map((startMs) => {
    const endMs = startMs + lengthMs
    return compareBars(built.get(startMs), sent.get(startMs), {
      startMs,
      ticksWhole: built.get(startMs)?.complete !== false && liesIn(ticks, startMs, endMs),
      barsWhole: liesIn(bars, startMs, Math.min(endMs + GRACE_MS, of.toMs)),
      over: endMs + GRACE_MS <= of.toMs,
      volumes: of.volumes,
    })
  })
}

/** Start of the newest page, UTC ms. */
const newestPage = (one: Case): number => Math.max(one.fromMs, Math.ceil(one.toMs / MINUTE_MS) * MINUTE_MS - PAGE_MS)

/** Chooses the tick bars that agree best with the service's minutes on the newest page, to use for every page. */
async function chooseOf(one: Case): Promise<BarSource> {
  if (one.volumes) return 'trade'
  const fromMs = newestPage(one)
  const sent = one.minuteFeed === null ? new Map<number, Bar>() : await one.bars('service', '1m', fromMs, one.toMs)
  let best: { readonly of: BarSource; readonly share: number } = { of: 'mid', share: -1 }
  for (const side of ['mid', 'bid', 'ask'] as const) {
    const built = await one.bars(side, '1m', fromMs, one.toMs)
    const share = agreementOf(countVerdicts(compareAll(one, built, sent, one.minuteFeed, MINUTE_MS))) ?? -1
    if (share > best.share) best = { of: side, share }
  }
  return best.of
}

async function secondsOf(one: Case, of: BarSource, fromMs: number, toMs: number): Promise<Comparison[]> {
  if (one.secondFeed === null) return []
  const [built, sent] = await Promise.all([one.bars(of, '1s', fromMs, toMs), one.bars('service', '1s', fromMs, toMs)])
  return compareAll(one, built, sent, one.secondFeed, SECOND_MS)
}

/** Compares the minutes of [fromMs, toMs) in which either side has data. Yields them oldest first, in chunks. */
async function* compareStretches(
  one: Case,
  of: BarSource,
  fromMs: number,
  toMs: number,
): AsyncGenerator<{ readonly minutes: readonly AgreementMinute[]; readonly upToMs: number }, void, void> {
  const length = one.secondFeed === null ? LONG_STRETCH_MS : STRETCH_MS
  for (let from = fromMs; from < toMs; from += length) {
    const to = Math.min(from + length, toMs)
    const built = await one.bars(of, '1m', from, to)
    const sent = one.minuteFeed === null ? new Map<number, Bar>() : await one.bars('service', '1m', from, to)
    const seconds = Map.groupBy(
      await secondsOf(one, of, from, to),
      (second) => Math.floor(second.startMs / MINUTE_MS) * MINUTE_MS,
    )
    const minutes = compareAll(one, built, sent, one.minuteFeed, MINUTE_MS).map((minute): AgreementMinute => {
      const counts = countVerdicts(seconds.get(minute.startMs) ?? [])
      seconds.delete(minute.startMs)
      return { ...minute, seconds: counts, overall: joinVerdicts(minute.verdict, counts) }
    })
    for (const [startMs, list] of seconds) {
      // The minute has only bars of one second; neither side has a bar for the minute itself.
      const counts = countVerdicts(list)
      minutes.push({
        startMs,
        verdict: 'not comparable',
        why: 'nothing received',
        parts: [],
        built: null,
        sent: null,
        seconds: counts,
        overall: joinVerdicts('not comparable', counts),
      })
    }
    yield { minutes: minutes.sort((a, b) => a.startMs - b.startMs), upToMs: to }
    await turn() // let live messages through
  }
}

/** Compares a page of a session's bars of an instrument, minute by minute. Rejects with `not-found`. */
export async function readAgreement(
  reader: StoreReader,
  view: EvidenceView,
  { session, instrument, beforeMs = null }: Omit<CallArgs<'evidence.agreement'>, 'view'>,
): Promise<AgreementReport> {
  const one = await openCase(reader, view, session, instrument)
  const of = await chooseOf(one)
  const toMs = Math.max(one.fromMs, Math.min(one.toMs, beforeMs ?? Infinity))
  const fromMs = Math.max(one.fromMs, Math.ceil(toMs / MINUTE_MS) * MINUTE_MS - PAGE_MS)
  const minutes: AgreementMinute[] = []
  for await (const stretch of compareStretches(one, of, fromMs, toMs)) minutes.push(...stretch.minutes)
  const counts = countVerdicts(minutes.map(({ overall }) => ({ verdict: overall })))
  return {
    session: one.row.session,
    instrument,
    tickFeed: one.tickFeed,
    of,
    minuteFeed: one.minuteFeed,
    secondFeed: one.secondFeed,
    minutes,
    fromMs: unixMs(fromMs),
    toMs: unixMs(toMs),
    more: fromMs > one.fromMs,
    later: toMs < one.toMs,
    counts,
    agreement: agreementOf(counts),
    proves: proofSentences({ volumes: one.volumes }),
  }
}

const NOTHING: AgreementCounts = { agrees: 0, differs: 0, notComparable: 0 }
const plus = (a: AgreementCounts, b: AgreementCounts): AgreementCounts => ({
  agrees: a.agrees + b.agrees,
  differs: a.differs + b.differs,
  notComparable: a.notComparable + b.notComparable,
})

/**
 * Compares a session, or all sessions of the view, within a range. Memory use doesn't grow with the range.
 * `onProgress` gets the fraction done and the minutes so far, and can throw to stop. Rejects with `not-found`.
 */
export async function totalAgreement(
  reader: StoreReader,
  view: EvidenceView,
  { session, instrument, fromMs, toMs }: Omit<CallArgs<'evidence.agree'>, 'view'>,
  onProgress: (done: number, minutes: number) => void,
): Promise<AgreementTotal> {
  const sessions =
    session === null ? (await visibleSessions(reader, view)).map((row) => row.session) : [sessionId(session)]
  const differing: { readonly session: SessionId; readonly startMs: UnixMs }[] = []
  const compared: SessionId[] = []
  let counts = NOTHING
  let secondCounts = NOTHING
  let minutesSoFar = 0
  let last: Case | null = null
  let of: BarSource | null = null
  for (const [i, name] of sessions.entries()) {
    const one = await openCase(reader, view, name, instrument)
    const from = Math.max(one.fromMs, Math.floor((fromMs ?? -Infinity) / MINUTE_MS) * MINUTE_MS)
    const to = Math.min(one.toMs, toMs ?? Infinity)
    onProgress(i / sessions.length, minutesSoFar)
    if (from >= to || (one.minuteFeed === null && one.secondFeed === null)) continue
    compared.push(one.row.session)
    last = one
    of ??= await chooseOf(one)
    for await (const { minutes, upToMs } of compareStretches(one, of, from, to)) {
      for (const { overall, startMs, seconds } of minutes) {
        counts = plus(counts, countVerdicts([{ verdict: overall }]))
        secondCounts = plus(secondCounts, seconds)
        if (overall === 'differs' && differing.length < MAX_NAMED)
          differing.push({ session: one.row.session, startMs: unixMs(startMs) })
      }
      minutesSoFar += minutes.length
      onProgress((i + (upToMs - from) / (to - from)) / sessions.length, minutesSoFar)
    }
  }
  const volumes = tickVolumes(instrument)
  return {
    instrument,
    sessions: compared,
    of: of ?? (volumes ? 'trade' : 'mid'),
    minuteFeed: last?.minuteFeed ?? null,
    secondFeed: last?.secondFeed ?? null,
    counts,
    seconds: secondCounts,
    agreement: agreementOf(counts),
    differing,
    proves: proofSentences({ volumes }),
  }
}

/** Whether an instrument has trades, whose sizes add up to the service's volumes. */
const tickVolumes = (instrument: InstrumentId): boolean =>
  TICK_FEEDS[parseInstrument(instrument)?.asset ?? 'stocks'].some((feed) => FEEDS[feed].kind === 'trade')

/** Compares the seconds of one minute. Rejects with `not-found`. */
export async function readSeconds(
  reader: StoreReader,
  view: EvidenceView,
  args: {
    readonly session: string
    readonly instrument: InstrumentId
    readonly of: BarSource
    readonly minuteMs: number
  },
): Promise<AgreementSeconds> {
  const one = await openCase(reader, view, args.session, args.instrument)
  const startMs = Math.floor(args.minuteMs / MINUTE_MS) * MINUTE_MS
  const seconds = await secondsOf(one, args.of, startMs, startMs + MINUTE_MS)
  return { startMs: unixMs(startMs), of: args.of, secondFeed: one.secondFeed, seconds }
}
