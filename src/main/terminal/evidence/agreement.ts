/** Bars that received ticks give against those that the service sent, read page by page. */
import { setImmediate as turn } from 'node:timers/promises'
import {
  agreementOf,
  compareBars,
  countVerdicts,
  joinVerdicts,
  proofSentences,
  type AgreementCounts,
  type Comparison,
} from '../../../shared/agreement.ts'
import { liesIn, receivedSpans } from '../../../shared/coverage.ts'
import { CodedError } from '../../../shared/errors.ts'
import type { AgreementMinute, AgreementReport, AgreementSeconds } from '../../../shared/evidence.ts'
import type { Bar, BarSource, Interval } from '../../../shared/market.ts'
import type { SessionRow } from '../../../shared/recording.ts'
import type { Span } from '../../../shared/spans.ts'
import {
  feedAsset,
  instrumentKey,
  parseInstrument,
  unixMs,
  type FeedId,
  type InstrumentId,
} from '../../../shared/units.ts'
import { FEEDS, SERVICE_BAR_FEED, TICK_FEEDS } from '../../../service/feeds.ts'
import type { StoreReader } from '../../store/port.ts'
import { recordingOf, type EvidenceView } from './view.ts'

const SECOND = 1_000
const MINUTE = 60_000
/** A bar may come so long after its end. */
const GRACE_MS = 5_000
/** So much of a session is compared: two days of minutes. */
const MOST_MINUTES = 2_880
/** Minutes of seconds that are read at once. */
const STRETCH_MS = 30 * MINUTE

/** Everything about one comparison but the bars. */
interface Case {
  readonly row: SessionRow
  readonly instrument: InstrumentId
  readonly tickFeed: FeedId
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  readonly volumes: boolean
  readonly fromMs: number
  readonly toMs: number
  readonly more: boolean
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
  if (row === undefined || (view.past && row.source !== view.source)) {
    throw new CodedError('not-found', `There is no session ${session}.`, { hint: 'Look at the list of sessions.' })
  }
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const trades = TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'trade')
  const tickFeed = trades ?? TICK_FEEDS[asset][0]
  const has = (feed: FeedId | undefined): FeedId | null =>
    feed !== undefined && row.feeds.some((one) => one.feed === feed && one.stored > 0) ? feed : null
  const recording = await recordingOf(reader, view, row, await reader.gaps({ recording: row.session }))
  const key = parseInstrument(instrument)?.key
  const spans = new Map<FeedId, readonly Span[]>()
  const maxSeq = view.past && view.upTo !== null ? view.upTo : undefined
  const toMs = recording.endedMs
  const startMs = Math.floor(row.startedMs / MINUTE) * MINUTE
  const fromMs = Math.max(startMs, Math.ceil(toMs / MINUTE) * MINUTE - MOST_MINUTES * MINUTE)
  return {
    row,
    instrument,
    tickFeed,
    minuteFeed: has(SERVICE_BAR_FEED[asset]),
    secondFeed: has(Object.values(FEEDS).find((feed) => feed.asset === asset && feed.barMs === SECOND)?.id),
    volumes: trades !== undefined,
    fromMs,
    toMs,
    more: fromMs > startMs,
    received(feed) {
      let known = spans.get(feed)
      if (known === undefined) {
        known = receivedSpans(recording, feed, (symbol) => instrumentKey(feedAsset(feed), symbol) === key)
        spans.set(feed, known)
      }
      return known
    },
    async bars(of, interval, from, to) {
      const found = new Map<number, Bar>()
      const query = { instrument, of, interval, source: row.source, fromMs: from, beforeMs: to, maxSeq }
      const { bars } = await reader.bars({ ...query, limit: Math.ceil((to - from) / SECOND) })
      for (const bar of bars) found.set(bar.startMs, bar)
      return found
    },
  }
}

/** Compares each interval of [from, to) of which either side has a bar; oldest first. */
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

/** The kind of tick bars that agrees most with the service's minutes. */
async function chooseOf(one: Case): Promise<BarSource> {
  if (one.volumes) return 'trade'
  const sent = one.minuteFeed === null ? new Map<number, Bar>() : await one.bars('service', '1m', one.fromMs, one.toMs)
  let best: { readonly of: BarSource; readonly share: number } = { of: 'mid', share: -1 }
  for (const side of ['mid', 'bid', 'ask'] as const) {
    const built = await one.bars(side, '1m', one.fromMs, one.toMs)
    const share = agreementOf(countVerdicts(compareAll(one, built, sent, one.minuteFeed, MINUTE))) ?? -1
    if (share > best.share) best = { of: side, share }
  }
  return best.of
}

async function secondsOf(one: Case, of: BarSource, fromMs: number, toMs: number): Promise<Comparison[]> {
  if (one.secondFeed === null) return []
  const [built, sent] = await Promise.all([one.bars(of, '1s', fromMs, toMs), one.bars('service', '1s', fromMs, toMs)])
  return compareAll(one, built, sent, one.secondFeed, SECOND)
}

const NO_SECONDS: AgreementCounts = { agrees: 0, differs: 0, notComparable: 0 }

/** Compares a session's bars of an instrument, minute by minute. Rejects with `not-found`. */
export async function readAgreement(
  reader: StoreReader,
  view: EvidenceView,
  session: string,
  instrument: InstrumentId,
): Promise<AgreementReport> {
  const one = await openCase(reader, view, session, instrument)
  const of = await chooseOf(one)
  const built = await one.bars(of, '1m', one.fromMs, one.toMs)
  const sent = one.minuteFeed === null ? new Map<number, Bar>() : await one.bars('service', '1m', one.fromMs, one.toMs)
  const seconds = new Map<number, Comparison[]>()
  if (one.secondFeed !== null) {
    for (let from = one.fromMs; from < one.toMs; from += STRETCH_MS) {
      for (const second of await secondsOf(one, of, from, Math.min(from + STRETCH_MS, one.toMs))) {
        const minute = Math.floor(second.startMs / MINUTE) * MINUTE
        const list = seconds.get(minute)
        if (list === undefined) seconds.set(minute, [second])
        else list.push(second)
      }
      await turn() // the market goes on meanwhile
    }
  }
  const minutes = compareAll(one, built, sent, one.minuteFeed, MINUTE).map((minute): AgreementMinute => {
    const counts = countVerdicts(seconds.get(minute.startMs) ?? [])
    seconds.delete(minute.startMs)
    return { ...minute, seconds: counts, overall: joinVerdicts(minute.verdict, counts) }
  })
  for (const [startMs, list] of seconds) {
    // Only the seconds have something: the minute's own bar is on neither side.
    const counts = countVerdicts(list)
    const overall = joinVerdicts('not comparable', counts)
    minutes.push({
      startMs,
      verdict: 'not comparable',
      why: 'nothing received',
      parts: [],
      built: null,
      sent: null,
      seconds: counts,
      overall,
    })
  }
  minutes.sort((a, b) => a.startMs - b.startMs)
  const counts = countVerdicts(minutes.map(({ overall }) => ({ verdict: overall })))
  return {
    session: one.row.session,
    instrument,
    tickFeed: one.tickFeed,
    of,
    minuteFeed: one.minuteFeed,
    secondFeed: one.secondFeed,
    minutes,
    more: one.more,
    counts: minutes.length === 0 ? NO_SECONDS : counts,
    agreement: agreementOf(counts),
    proves: proofSentences({ volumes: one.volumes }),
  }
}

/** The seconds of a minute. Rejects with `not-found`. */
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
  const startMs = Math.floor(args.minuteMs / MINUTE) * MINUTE
  const seconds = await secondsOf(one, args.of, startMs, startMs + MINUTE)
  return { startMs: unixMs(startMs), of: args.of, secondFeed: one.secondFeed, seconds }
}
