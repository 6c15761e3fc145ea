/** Evidence as windows see it: coverage, agreement with the service's own bars, and where numbers come from. */
import type { AgreementCounts, BarNumbers, Comparison, Verdict } from './agreement.ts'
import type { CountedGap, FeedCoverage, SymbolCoverage } from './coverage.ts'
import type { BarSource, Interval, RecordKind } from '../../core/market/market.ts'
import type { FeedId, InstrumentId, RecordingId, UnixMs } from '../../base/units.ts'

export interface CoverageReport {
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  readonly sessions: readonly RecordingId[]
  readonly feeds: readonly FeedCoverage[]
  /** Over symbols and time of all feeds, 0 to 1; null: nothing was wanted. */
  readonly covered: number | null
  /** Of the feed asked for, least covered first; else none. */
  readonly symbols: readonly SymbolCoverage[]
  /** A page, newest first. */
  readonly gaps: readonly CountedGap[]
  /** How many there are in all. */
  readonly gapCount: number
}

/** A minute of ticks against the service's bars. */
export interface AgreementMinute extends Comparison {
  /** Of its own bar and of its seconds together. */
  readonly overall: Verdict
  readonly seconds: AgreementCounts
}

export interface AgreementReport {
  readonly session: RecordingId
  readonly instrument: InstrumentId
  readonly tickFeed: FeedId
  /** What of the ticks is compared: of quotes, the kind that agrees most. */
  readonly of: BarSource
  /** Null: the session holds none of it. */
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  /** Oldest first; minutes of which neither side has anything are left out. */
  readonly minutes: readonly AgreementMinute[]
  /** The page that was compared: [fromMs, toMs). */
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  /** The session has earlier and later parts than this page. */
  readonly more: boolean
  readonly later: boolean
  readonly counts: AgreementCounts
  /** 0 to 1; null: nothing could be compared. */
  readonly agreement: number | null
  readonly proves: readonly string[]
}

/** Whole sessions compared: the result of an `agreement` job. */
export interface AgreementTotal {
  readonly instrument: InstrumentId
  /** Those in which there was something to compare, oldest first. */
  readonly sessions: readonly RecordingId[]
  readonly of: BarSource
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  /** Minutes by their verdict. */
  readonly counts: AgreementCounts
  readonly seconds: AgreementCounts
  /** Of the minutes, 0 to 1; null: nothing could be compared. */
  readonly agreement: number | null
  /** The first minutes that differ, oldest first; `counts` has how many there are. */
  readonly differing: readonly { readonly session: RecordingId; readonly startMs: UnixMs }[]
  readonly proves: readonly string[]
}

/** The seconds of a minute. */
export interface AgreementSeconds {
  readonly startMs: UnixMs
  readonly of: BarSource
  readonly secondFeed: FeedId | null
  readonly seconds: readonly Comparison[]
}

/** Where a page of messages goes on: after this one. */
export interface MessagePlace {
  readonly recording: RecordingId
  readonly seq: number
}

/** A received message, to the byte, with how it was read. */
export interface EvidenceMessage {
  readonly recording: RecordingId
  readonly feed: FeedId
  /** Number of the connection in its recording, and of the message on it, both from 1. */
  readonly conn: number
  readonly connSeq: number
  readonly seq: number
  /** Null: the message carries none. */
  readonly eventMs: UnixMs | null
  readonly recvMs: UnixMs
  /** FLAG bits. */
  readonly flags: number
  /** Null where it is not UTF-8: then `rawBase64` has it. */
  readonly raw: string | null
  readonly rawBase64: string | null
  readonly bytes: number
  readonly read: {
    readonly kind: RecordKind | 'control' | 'undecodable'
    readonly symbol: string
    /** Numbers by their part: price, size, bid, ask, open … */
    readonly values: readonly { readonly part: string; readonly value: number }[]
    /** How an undocumented shape was read; '' for a documented one. */
    readonly mapping: string
    /** Why it could not be read, or what of it; ''. */
    readonly why: string
  }
  /** What it is to what was asked for: "open", "high", "low", "close", "last", "bid", "ask", "left out". */
  readonly roles: readonly string[]
}

/** A number of a bar and the message that gave it. */
export interface BarTerm {
  readonly value: number
  readonly recording: RecordingId
  readonly seq: number
}

/** How a bar follows from its messages. */
export interface BarArithmetic {
  readonly open: BarTerm
  readonly high: BarTerm
  readonly low: BarTerm
  readonly close: BarTerm
  /** Sum of the sizes of `sized` messages; null: none carried one. */
  readonly volume: number | null
  readonly sized: number
  /** Messages in the bar. */
  readonly count: number
  /** Messages of its time that are kept out: not asked for, unreadable, or without a usable price. */
  readonly leftOut: number
}

export interface BarEvidence {
  readonly of: BarSource
  readonly interval: Interval
  readonly startMs: UnixMs
  readonly endMs: UnixMs
  /** Null: no message is in it. Of service bars: the bars that were sent, joined. */
  readonly arithmetic: BarArithmetic | null
  /** The bar as charts and exports have it; null: there is none. */
  readonly stored: (BarNumbers & { readonly complete: boolean }) | null
  /** Whether both are the same; null: nothing to compare. */
  readonly same: boolean | null
}

export interface MessagesPage {
  readonly messages: readonly EvidenceMessage[]
  /** Null: that was all. */
  readonly after: MessagePlace | null
  /** Of the first page of a bar. */
  readonly bar: BarEvidence | null
  readonly decimals: number
}
