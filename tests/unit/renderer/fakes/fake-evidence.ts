/** Evidence of the made-up terminal: a day with two gaps, minutes that agree but two, a bar and its messages. */
import {
  agreementOf,
  compareBars,
  countVerdicts,
  joinVerdicts,
  proofSentences,
  type Comparison,
} from '../../../../src/shared/features/evidence/agreement.ts'
import type { CallArgs, CallName } from '../../../../src/shared/contracts.ts'
import type {
  AgreementMinute,
  AgreementReport,
  AgreementSeconds,
  CoverageReport,
  EvidenceMessage,
  MessagesPage,
} from '../../../../src/shared/features/evidence/evidence.ts'
import type { CountedGap } from '../../../../src/shared/features/evidence/coverage.ts'
import type { Bar } from '../../../../src/shared/core/market/market.ts'
import { recordingId, unixMs, type FeedId } from '../../../../src/shared/base/units.ts'
import { tradeText } from '../../../kit/market.ts'

const MINUTE = 60_000
const SESSION = recordingId('01jbq8w4recording')

export type EvidenceCall = Extract<CallName, `evidence.${string}`>

/** Answers a call as a terminal would at `nowMs`. */
export function fakeEvidence(name: EvidenceCall, args: unknown, nowMs: number): unknown {
  switch (name) {
    case 'evidence.verify':
      return 'job-verify'
    case 'evidence.coverage':
      return coverage(args as CallArgs<'evidence.coverage'>, nowMs)
    case 'evidence.agree':
      return 'job-agree'
    case 'evidence.agreement':
      return agreement(args as CallArgs<'evidence.agreement'>, nowMs)
    case 'evidence.seconds':
      return seconds(args as CallArgs<'evidence.seconds'>)
    case 'evidence.messages':
      return messages(args as CallArgs<'evidence.messages'>, nowMs)
  }
}

function coverage({ symbolsOf }: CallArgs<'evidence.coverage'>, nowMs: number): CoverageReport {
  const gap = (feed: FeedId, cause: CountedGap['cause'], ago: number, ms: number): CountedGap => ({
    recording: SESSION,
    feed,
    symbols: [],
    cause,
    fromMs: unixMs(nowMs - ago),
    toMs: unixMs(nowMs - ago + ms),
    fromSeq: 1_000_000 - Math.floor(ago / 100),
    toSeq: 1_000_001,
    ms,
  })
  const gaps = [
    gap('crypto/XQ', 'drop', 190_000, 4_200),
    gap('crypto/XT', 'drop', 190_000, 4_200),
    gap('crypto/XT', 'connect', 753_000, 240),
    gap('crypto/XQ', 'connect', 753_000, 260),
    gap('forex/C', 'connect', 753_000, 210),
  ]
  const wantedMs = 753_000
  const feeds = (['crypto/XQ', 'crypto/XT', 'forex/C'] as const).map((feed) => {
    const of = gaps.filter((one) => one.feed === feed)
    const gapMs = of.reduce((sum, one) => sum + one.ms, 0)
    const causes = of.map(({ cause, ms }) => ({ cause, gaps: 1, ms }))
    const whole = { wantedMs, gapMs, covered: 1 - gapMs / wantedMs, gaps: of.length }
    return { feed, ...whole, causes, symbols: 2, assumed: false }
  })
  const gapMs = feeds.reduce((sum, one) => sum + one.gapMs, 0)
  return {
    fromMs: unixMs(Math.floor(nowMs / 86_400_000) * 86_400_000),
    toMs: unixMs(nowMs),
    sessions: [SESSION],
    feeds,
    covered: 1 - gapMs / (wantedMs * 3),
    symbols:
      symbolsOf === undefined || symbolsOf === null
        ? []
        : [
            { symbol: 'ETH-USD', wantedMs, gapMs: 8_880, covered: 1 - 8_880 / wantedMs, gaps: 2 },
            { symbol: 'BTC-USD', wantedMs, gapMs: 0, covered: 1, gaps: 0 },
          ],
    gaps,
    gapCount: gaps.length,
  }
}

function barAt(startMs: number, lengthMs: number, shift = 0): Bar {
  const open = 64_000 + ((startMs / lengthMs) % 40) * 3.5
  return {
    startMs: unixMs(startMs),
    endMs: unixMs(startMs + lengthMs),
    open,
    high: open + 12.5,
    low: open - 8,
    close: open + 4.5,
    volume: Math.round((1.25 + ((startMs / lengthMs) % 7) * 0.31 - shift) * 1e4) / 1e4,
    count: 41,
    complete: true,
  }
}

const circumstances = (startMs: number, ticksWhole = true) => ({
  startMs,
  ticksWhole,
  barsWhole: true,
  over: true,
  volumes: true,
})

function agreement({ session, instrument }: CallArgs<'evidence.agreement'>, nowMs: number): AgreementReport {
  const last = Math.floor(nowMs / MINUTE) * MINUTE - MINUTE
  const minutes = Array.from({ length: 48 }, (_, i): AgreementMinute => {
    const startMs = last - (47 - i) * MINUTE
    const lost = i === 17 || i === 33
    const whole = i !== 0 && i !== 40
    const minute = compareBars(
      barAt(startMs, MINUTE, lost ? 0.12 : 0),
      barAt(startMs, MINUTE),
      circumstances(startMs, whole),
    )
    const seconds = whole
      ? { agrees: lost ? 40 : 41, differs: lost ? 1 : 0, notComparable: 0 }
      : { agrees: 0, differs: 0, notComparable: 41 }
    return { ...minute, seconds, overall: joinVerdicts(minute.verdict, seconds) }
  })
  const counts = countVerdicts(minutes.map(({ overall }) => ({ verdict: overall })))
  return {
    session: recordingId(session),
    instrument,
    tickFeed: 'crypto/XT',
    of: 'trade',
    minuteFeed: 'crypto/XA',
    secondFeed: 'crypto/XAS',
    minutes,
    fromMs: unixMs(last - 47 * MINUTE),
    toMs: unixMs(last + MINUTE),
    more: false,
    later: false,
    counts,
    agreement: agreementOf(counts),
    proves: proofSentences({ volumes: true }),
  }
}

function seconds({ minuteMs, of }: CallArgs<'evidence.seconds'>): AgreementSeconds {
  const list = Array.from({ length: 41 }, (_, i): Comparison => {
    const startMs = minuteMs + i * 1_000
    return compareBars(barAt(startMs, 1_000, i === 12 ? 0.12 : 0), barAt(startMs, 1_000), circumstances(startMs))
  })
  return { startMs: unixMs(minuteMs), of, secondFeed: 'crypto/XAS', seconds: list }
}

function messages({ what, instrument, after, limit }: CallArgs<'evidence.messages'>, nowMs: number): MessagesPage {
  const startMs = what.is === 'bar' ? what.startMs : nowMs - 2_000
  const all = Array.from({ length: what.is === 'bar' ? 41 : 1 }, (_, i): EvidenceMessage => {
    const price = 64_000 + [0, 4, 9, 12.5, 7, -3, -8, 1, 2.5, 4.5][i % 10]
    const size = 0.031 + (i % 5) / 100
    const eventMs = startMs + i * 1_300
    const raw = tradeText(instrument.slice(instrument.indexOf(':') + 1), price, size, eventMs)
    return {
      recording: SESSION,
      feed: 'crypto/XT',
      conn: 1,
      connSeq: 4_012 + i,
      seq: 9_120 + i * 3,
      eventMs: unixMs(eventMs),
      recvMs: unixMs(eventMs + 41),
      flags: 0,
      raw,
      rawBase64: null,
      bytes: raw.length,
      read: {
        kind: 'trade',
        symbol: 'BTC-USD',
        values: [
          { part: 'price', value: price },
          { part: 'size', value: size },
        ],
        mapping: '',
        why: '',
      },
      roles:
        what.is === 'bar'
          ? ([['open'], [], [], ['high'], [], [], ['low']][i] ?? (i === 40 ? ['close'] : []))
          : ['print'],
    }
  })
  const from = after === null ? 0 : all.findIndex((one) => one.seq === after.seq) + 1
  const page = all.slice(from, from + limit)
  const last = page.at(-1)
  const term = (i: number) => ({
    value: all[i]?.read.values[0]?.value ?? 0,
    recording: SESSION,
    seq: all[i]?.seq ?? 0,
  })
  const volume = Math.round(all.reduce((sum, one) => sum + (one.read.values[1]?.value ?? 0), 0) * 1e6) / 1e6
  const bar = { open: term(0), high: term(3), low: term(6), close: term(40) }
  return {
    messages: page,
    after: from + limit < all.length && last ? { recording: last.recording, seq: last.seq } : null,
    bar:
      what.is === 'bar' && after === null
        ? {
            of: what.of,
            interval: what.interval,
            startMs: unixMs(startMs),
            endMs: unixMs(startMs + MINUTE),
            arithmetic: { ...bar, volume, sized: all.length, count: all.length, leftOut: 0 },
            stored: {
              open: bar.open.value,
              high: bar.high.value,
              low: bar.low.value,
              close: bar.close.value,
              volume,
              count: all.length,
              complete: true,
            },
            same: true,
          }
        : null,
    decimals: 2,
  }
}
