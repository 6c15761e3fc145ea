/** State as windows see it: plain data, safe to clone, no secrets. */
import type { SessionState } from '../market/calendar.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { GapCause } from '../recording/recording.ts'
import type { AssetClass, FeedId, InstrumentId, UnixMs } from '../../base/units.ts'

export interface AppInfo {
  readonly host: 'electron' | 'browser' | 'cli' | 'test'
  readonly version: string
  readonly platform: string
  readonly storePath: string
  /** Ready-made panes and looks, nothing of what is kept is overwritten, nothing sounds. */
  readonly safe?: boolean
  /** The folder that everything is kept in, where it is carried along with the program. */
  readonly portable?: string
  /** The accent colour of the host's system, `#rrggbb`; absent: it has none, or the host does not know it. */
  readonly accent?: string
  /** The system can be told to start it at login. */
  readonly startsAtLogin?: boolean
  /** Why the shortcut of a bookmark does nothing: another program has it, or it is none that the system knows. */
  readonly shortcutFault?: 'taken' | 'unknown'
  /** There were no settings yet when the terminal started. */
  readonly firstRun?: boolean
}

/** `live`: fresh. The other four are the freshness states of the rules of the domain. */
export type Freshness = 'live' | 'quiet' | 'stale' | 'closed' | 'disconnected' | 'waiting'

/** What is known now of one instrument; null: not known. Times are UTC ms. */
export interface QuoteRow {
  readonly instrument: InstrumentId
  readonly asset: AssetClass
  /** The service's spelling once a message or acknowledgement told it, else as the user typed it. */
  readonly symbol: string
  readonly name: string | null
  readonly last: number | null
  /** `mid`: no trade feed, so Last is the middle of bid and ask, and is marked. `bar`: from the service's bars. */
  readonly lastOf: 'trade' | 'mid' | 'bar' | null
  readonly lastEventMs: UnixMs | null
  readonly lastRecvMs: UnixMs | null
  /** Against the previous print; null: first, after a reconnect or a seek. Drives the flash. */
  readonly tick: -1 | 0 | 1 | null
  /** Grows with each print that may flash. */
  readonly flash: number
  readonly bid: number | null
  readonly ask: number | null
  readonly bidSize: number | null
  readonly askSize: number | null
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly volume: number | null
  /** The session that open, high, low and volume are of: `open` is the trading day's own. */
  readonly rangeOf: SessionState | null
  readonly reference: number | null
  readonly referenceOf: 'previous close' | 'session open' | 'first print' | null
  /** Fixed decimals, learnt from the server's own literals; never shrinks. */
  readonly decimals: number
  /** One pip where the instrument has pips (forex), else null. */
  readonly pip: number | null
  readonly freshness: Freshness
  /** Closes of the last 60 one-minute bars, oldest first. */
  readonly spark: readonly number[]
  /** While nothing came since the start: the last recorded price, to the minute. Absent or null: there is none. */
  readonly stored?: { readonly price: number; readonly atMs: UnixMs } | null
  /** Which mapping read the last message of an undocumented shape; null for documented shapes. */
  readonly mapping: string | null
}

/** Why a chart has nothing of a span: it was not received, or what is stored of it is damaged. */
export type SpanCause = GapCause | 'unreadable'

/** A hatched span on a chart; `toMs` null: still open. */
export interface GapSpan {
  readonly feed: FeedId
  readonly cause: SpanCause
  readonly fromMs: UnixMs
  readonly toMs: UnixMs | null
}

/** The state of a feed session, one union. `refused` offers retry; `waiting` says until when and why. */
export type FeedState =
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly attempt: number }
  | { readonly is: 'open'; readonly sinceMs: UnixMs }
  | { readonly is: 'stale'; readonly sinceMs: UnixMs; readonly lastMs: UnixMs }
  | { readonly is: 'waiting'; readonly untilMs: UnixMs; readonly attempt: number; readonly why: Reason }
  | { readonly is: 'refused'; readonly why: Reason }

/** One reason, joined from error frame, close code, HTTP status or socket error. */
export interface Reason {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly closeCode: number | null
}

export interface FeedStatus {
  readonly feed: FeedId
  readonly state: FeedState
  /** Connections of this feed (more than one only if the user allowed sharding). */
  readonly connections: number
  /** Service spelling, as acknowledged. */
  readonly acknowledged: readonly string[]
  /** Asked for but not (yet) acknowledged. */
  readonly missing: readonly string[]
  /** Refused by the planner: over the budget. */
  readonly overBudget: readonly string[]
  readonly budget: number
  readonly perSecond: number
  readonly received: number
  readonly undecodable: number
  readonly unasked: number
  readonly lastMessageMs: UnixMs | null
  /** Which mappings read messages of undocumented shapes, and how many each. */
  readonly mappings: readonly { readonly name: string; readonly messages: number }[]
}

export interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export type RecorderState =
  | { readonly is: 'off' }
  | { readonly is: 'recording'; readonly session: string; readonly sinceMs: UnixMs; readonly paused: false }
  | { readonly is: 'broken'; readonly why: Reason; readonly sinceMs: UnixMs; readonly lost: number }
  /** On purpose and for a while: recording goes on by itself. */
  | { readonly is: 'paused'; readonly why: Reason; readonly sinceMs: UnixMs; readonly lost: number }

export interface StatusState {
  readonly nowMs: UnixMs
  readonly source: 'demo' | 'service'
  readonly origin: string
  /**
   * Grows when stored history has to be read again: another source came in place of the one before, or the sample
   * session was added behind it.
   */
  readonly historyChanges: number
  readonly feeds: readonly FeedStatus[]
  readonly recorder: RecorderState
  readonly received: number
  readonly stored: number
  readonly perSecond: number
  readonly backlogBytes: number
  /** Milliseconds on the monotonic clock. */
  readonly receiveToStored: Percentiles | null
  readonly store: {
    readonly path: string
    readonly bytes: number
    readonly freeBytes: number
    readonly bytesPerHour: number | null
  }
  /** Service clock minus local clock, ms; null until measured. */
  readonly skewMs: number | null
  /** Since 00:00 UTC, counted as `countGaps` does. */
  readonly gapsToday: number
  /** What just happened, in a sentence. */
  readonly message: string
  /** When recording last went on after trouble, and how many messages are not kept; absent: there was none. */
  readonly recovered?: { readonly atMs: UnixMs; readonly lost: number }
}

export interface AccountState {
  readonly source: 'demo' | 'service'
  readonly baseUrl: string
  readonly user: string
  readonly plan: string
  readonly hasPassword: boolean
  readonly hasApiKey: boolean
  /** Where secrets live. `memory`: no keychain here, so they last until Tapedeck quits. */
  readonly keychain: 'os' | 'memory' | 'unprobed'
  readonly token: 'none' | 'valid' | 'expired' | 'refused'
  readonly tokenExpiresMs: UnixMs | null
  readonly problem: Reason | null
  readonly userField: string
  readonly passwordField: string
}

/** A step of Test connection, in order: reach, token, handshake, subscribe, first message. */
export interface ConnectionStep {
  readonly step: 'reach' | 'token' | 'handshake' | 'subscribe' | 'first message'
  readonly ok: boolean
  readonly tookMs: number
  /** What was seen, or what went wrong and what to do. */
  readonly text: string
  readonly code: ErrorCode | null
}

export interface SymbolHit {
  readonly instrument: InstrumentId
  readonly symbol: string
  readonly asset: AssetClass
  readonly name: string | null
  readonly watched: boolean
}

export interface LogEntry {
  readonly id: number
  readonly atMs: UnixMs
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly from: string
  readonly text: string
  readonly detail: string | null
}
