/** Evidence for windows: coverage, agreement with the service's own bars, and where numbers come from. */
import type { AgreementCounts, BarNumbers, Comparison, Verdict } from './agreement.ts'
import type { CountedGap, FeedCoverage, SymbolCoverage } from './coverage.ts'
import type { BarSource, Interval, RecordKind } from '../../core/market/market.ts'
import type { VerifyReport } from '../../core/recording/session.ts'
import type { FeedId, InstrumentId, SessionId, UnixMs } from '../../base/units.ts'

/** The result of a `verify` job. `session` null: all were verified. */
export interface SessionVerification extends VerifyReport {
  readonly session: SessionId | null
}

export interface CoverageReport {
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  readonly sessions: readonly SessionId[]
  readonly feeds: readonly FeedCoverage[]
  /** Over the symbols and time of all feeds, 0 to 1; null if nothing was subscribed. */
  readonly covered: number | null
  /** The symbols of the requested feed, least covered first. */
  readonly symbols: readonly SymbolCoverage[]
  /** A page, newest first. */
  readonly gaps: readonly CountedGap[]
  readonly gapCount: number
}

/** One minute of ticks compared with the service's bars. */
export interface AgreementMinute extends Comparison {
  /** From its own bar and its seconds together. */
  readonly overall: Verdict
  readonly seconds: AgreementCounts
}

export interface AgreementReport {
  readonly session: SessionId
  readonly instrument: InstrumentId
  readonly tickFeed: FeedId
  /** What the bars were built from. For quotes, the price that agrees most. */
  readonly of: BarSource
  /** Null if the session has none. */
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  /** Oldest first, without minutes that are empty on both sides. */
  readonly minutes: readonly AgreementMinute[]
  /** The page that was compared, [fromMs, toMs). */
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  /** Whether the session continues before and after this page. */
  readonly more: boolean
  readonly later: boolean
  readonly counts: AgreementCounts
  /** 0 to 1; null if nothing could be compared. */
  readonly agreement: number | null
  readonly proves: readonly string[]
}

/** The result of an `agreement` job over whole sessions. */
export interface AgreementTotal {
  readonly instrument: InstrumentId
  /** The sessions with something to compare, oldest first. */
  readonly sessions: readonly SessionId[]
  readonly of: BarSource
  readonly minuteFeed: FeedId | null
  readonly secondFeed: FeedId | null
  /** Minutes by verdict. */
  readonly counts: AgreementCounts
  readonly seconds: AgreementCounts
  /** Of the minutes, 0 to 1; null if nothing could be compared. */
  readonly agreement: number | null
  /** The first minutes that differ, oldest first. `counts` has the total. */
  readonly differing: readonly { readonly session: SessionId; readonly startMs: UnixMs }[]
  readonly proves: readonly string[]
}

export interface AgreementSeconds {
  readonly startMs: UnixMs
  readonly of: BarSource
  readonly secondFeed: FeedId | null
  readonly seconds: readonly Comparison[]
}

/** Where the next page of messages starts: after this one. */
export interface MessagePlace {
  readonly session: SessionId
  readonly seq: number
}

/** A received message, byte for byte, and how it was read. */
export interface EvidenceMessage {
  readonly session: SessionId
  readonly feed: FeedId
  /** The connection's number in its session and the message's number on it, both from 1. */
  readonly conn: number
  readonly connSeq: number
  readonly seq: number
  /** Null if the message has none. */
  readonly eventMs: UnixMs | null
  readonly recvMs: UnixMs
  /** FLAG bits. */
  readonly flags: number
  /** Null if it isn't UTF-8; then `rawBase64` has it. */
  readonly raw: string | null
  readonly rawBase64: string | null
  readonly bytes: number
  readonly read: {
    readonly kind: RecordKind | 'control' | 'undecodable'
    readonly symbol: string
    /** Numbers by part: price, size, bid, ask, open and so on. */
    readonly values: readonly { readonly part: string; readonly value: number }[]
    /** The mapping that read an undocumented shape; '' for a documented one. */
    readonly mapping: string
    /** Why it or a part of it couldn't be read; '' if all could. */
    readonly why: string
  }
  /** Its roles in what was asked for: "open", "high", "low", "close", "last", "bid", "ask", "left out". */
  readonly roles: readonly string[]
}

/** A number of a bar and the message it comes from. */
export interface BarTerm {
  readonly value: number
  readonly session: SessionId
  readonly seq: number
}

/** How a bar follows from its messages. */
export interface BarArithmetic {
  readonly open: BarTerm
  readonly high: BarTerm
  readonly low: BarTerm
  readonly close: BarTerm
  /** Sum of the sizes of `sized` messages; null if none had a size. */
  readonly volume: number | null
  readonly sized: number
  /** The number of messages in the bar. */
  readonly count: number
  /** Messages of its time that don't count: not requested, unreadable, or without a usable price. */
  readonly leftOut: number
}

export interface BarEvidence {
  readonly of: BarSource
  readonly interval: Interval
  readonly startMs: UnixMs
  readonly endMs: UnixMs
  /** Null if it has no messages. For service bars: the sent bars, merged. */
  readonly arithmetic: BarArithmetic | null
  /** The bar as charts and exports have it; null if there is none. */
  readonly stored: (BarNumbers & { readonly complete: boolean }) | null
  /** Whether both are equal; null if there is nothing to compare. */
  readonly same: boolean | null
}

export interface MessagesPage {
  readonly messages: readonly EvidenceMessage[]
  /** Null after the last page. */
  readonly after: MessagePlace | null
  /** Only on the first page of a bar. */
  readonly bar: BarEvidence | null
  readonly decimals: number
}
