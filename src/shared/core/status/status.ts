/** State as windows see it: plain data that can be cloned and holds no secrets. */
import type { SessionState } from '../market/calendar.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { GapCause } from '../recording/session.ts'
import type { AssetClass, FeedId, InstrumentId, UnixMs } from '../../base/units.ts'

/** Where live prices come from: the demo market, a service, or the recorders of a team. */
export type SourceKind = 'demo' | 'service' | 'team'

export interface AppInfo {
  readonly host: 'electron' | 'browser' | 'cli' | 'test'
  readonly version: string
  readonly platform: string
  readonly storePath: string
  /** Safe mode: default panes and theme, no sounds, and saved workspaces and settings are never overwritten. */
  readonly safe?: boolean
  /** The data folder, if Tapedeck runs as a portable app. */
  readonly portable?: string
  /** The system's accent color as `#rrggbb`; absent if unknown. */
  readonly accent?: string
  /** The system can start Tapedeck at login. */
  readonly startsAtLogin?: boolean
  /** Why the global bookmark shortcut doesn't work: another program uses it, or the system doesn't know it. */
  readonly shortcutFault?: 'taken' | 'unknown'
  /** There were no settings when the terminal started. */
  readonly firstRun?: boolean
  /** What the user has to know of this start, such as settings that couldn't be read. */
  readonly notices?: readonly string[]
  /** The terminal is about to close: each window saves and calls `desktop.saved`. */
  readonly closing?: true
}

/** How fresh a price is. Only a `live` price is current. */
export type Freshness = 'live' | 'quiet' | 'stale' | 'closed' | 'disconnected' | 'waiting'

/** The current values of one instrument, null if unknown. Times are UTC ms. */
export interface QuoteRow {
  readonly instrument: InstrumentId
  readonly asset: AssetClass
  /** The symbol as the service writes it, once known from a message or acknowledgement; until then, as typed. */
  readonly symbol: string
  readonly name: string | null
  readonly last: number | null
  /** `mid`: without a trade feed, Last is the midpoint of bid and ask, and is marked. `bar`: from service bars. */
  readonly lastOf: 'trade' | 'mid' | 'bar' | null
  readonly lastEventMs: UnixMs | null
  readonly lastRecvMs: UnixMs | null
  /** Against the previous trade; null at the start and after a reconnect or seek. Drives the flash. */
  readonly tick: -1 | 0 | 1 | null
  /** Increases with each trade that can flash. */
  readonly flash: number
  readonly bid: number | null
  readonly ask: number | null
  readonly bidSize: number | null
  readonly askSize: number | null
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly volume: number | null
  /** The trading session that open, high, low and volume cover. */
  readonly rangeOf: SessionState | null
  readonly reference: number | null
  readonly referenceOf: 'previous close' | 'session open' | 'first print' | null
  /** The number of decimals, learned from the service's own numbers. Never shrinks. */
  readonly decimals: number
  /** One pip of a forex pair, otherwise null. */
  readonly pip: number | null
  readonly freshness: Freshness
  /** Closes of the last 60 one-minute bars, oldest first. */
  readonly spark: readonly number[]
  /** The last recorded price, to the minute, until a message arrives. Absent or null if there is none. */
  readonly stored?: { readonly price: number; readonly atMs: UnixMs } | null
  /** The mapping that read the last message of an undocumented shape; null for documented shapes. */
  readonly mapping: string | null
}

/** Why a chart has no data for a span: it wasn't received, or the stored data is corrupt. */
export type SpanCause = GapCause | 'unreadable'

/** A hatched span on a chart. `toMs` is null while it is open. */
export interface GapSpan {
  readonly feed: FeedId
  readonly cause: SpanCause
  readonly fromMs: UnixMs
  readonly toMs: UnixMs | null
}

/** The state of a feed's connection. `refused` can be retried; `waiting` says why and until when. */
export type FeedState =
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly attempt: number }
  | { readonly is: 'open'; readonly sinceMs: UnixMs }
  | { readonly is: 'stale'; readonly sinceMs: UnixMs; readonly lastMs: UnixMs }
  | { readonly is: 'waiting'; readonly untilMs: UnixMs; readonly attempt: number; readonly why: Reason }
  | { readonly is: 'refused'; readonly why: Reason }

/** One reason, judged from the error frame, close code, HTTP status or socket error. */
export interface Reason {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly closeCode: number | null
}

export interface FeedStatus {
  readonly feed: FeedId
  readonly state: FeedState
  /** The feed's connections. More than one only if the user allowed it. */
  readonly connections: number
  /** Symbols as the service acknowledged them. */
  readonly acknowledged: readonly string[]
  /** Subscribed but not acknowledged (yet). */
  readonly missing: readonly string[]
  /** Not subscribed, because the limit is reached. */
  readonly overBudget: readonly string[]
  readonly budget: number
  readonly perSecond: number
  readonly received: number
  readonly undecodable: number
  readonly unasked: number
  readonly lastMessageMs: UnixMs | null
  /** The mappings that read messages of undocumented shapes, with message counts. */
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
  | {
      readonly is: 'broken'
      readonly why: Reason
      readonly sinceMs: UnixMs
      readonly lost: number
      /** No session could begin, so no messages wait in memory. Absent: one is open, and resumes automatically. */
      readonly start?: 'retried' | 'failed'
    }
  /** Paused on purpose. Recording resumes automatically. */
  | { readonly is: 'paused'; readonly why: Reason; readonly sinceMs: UnixMs; readonly lost: number }

export interface StatusState {
  readonly nowMs: UnixMs
  readonly source: SourceKind
  /** The service's origin, "demo", or the name of the team. */
  readonly origin: string
  /** A recorder of the team records the demo market, so its prices aren't live. Absent: none does. */
  readonly isSimulated?: true
  /**
   * Increases when stored history must be read again: the source changed, the sample session was added, or recording
   * resumed after a failure.
   */
  readonly historyChanges: number
  /** A session is being added that charts will have. */
  readonly historyComing?: true
  readonly feeds: readonly FeedStatus[]
  readonly recorder: RecorderState
  /** Messages of the open session, or of the last one while nothing is recorded. */
  readonly received: number
  readonly stored: number
  readonly perSecond: number
  readonly backlogBytes: number
  /** In ms on the monotonic clock. */
  readonly receiveToStored: Percentiles | null
  readonly store: {
    readonly path: string
    readonly bytes: number
    /** 0: not known, also after a write failed. */
    readonly freeBytes: number
    readonly bytesPerHour: number | null
  }
  /** Service clock minus local clock, ms; null until measured. */
  readonly skewMs: number | null
  /** Since 00:00 UTC, counted by `countGaps`. */
  readonly gapsToday: number
  /** What just happened, as a sentence. */
  readonly message: string
  /** When recording last resumed after a failure, and how many messages were lost. Absent if it never failed. */
  readonly recovered?: { readonly atMs: UnixMs; readonly lost: number }
}

export interface AccountState {
  readonly source: SourceKind
  /** Options of this program chose the team, so it can't be left in a window. */
  readonly isTeamGiven: boolean
  readonly baseUrl: string
  readonly user: string
  readonly plan: string
  readonly hasPassword: boolean
  readonly hasApiKey: boolean
  /**
   * Where secrets are stored. `file`: in a credentials file, which `tapedeck login` made. `memory`: there is no keychain, so
   * they last until Tapedeck quits.
   */
  readonly keychain: 'os' | 'file' | 'memory' | 'unprobed'
  readonly token: 'none' | 'valid' | 'expired' | 'refused'
  readonly problem: Reason | null
  readonly userField: string
  readonly passwordField: string
}

/** Whether a sign-in failed because the service couldn't be reached, rather than because it refused. */
export const isOutOfReach = ({ code }: Pick<Reason, 'code'>): boolean =>
  code === 'offline' || code === 'timeout' || code === 'tls'

/** A step of a connection test. The order is reach, token, handshake, subscribe, first message. */
export interface ConnectionStep {
  readonly step: 'reach' | 'token' | 'handshake' | 'subscribe' | 'first message'
  readonly ok: boolean
  readonly tookMs: number
  /** What happened, or what went wrong and what to do. */
  readonly text: string
  readonly code: ErrorCode | null
}

export interface SymbolHit {
  readonly instrument: InstrumentId
  readonly symbol: string
  readonly asset: AssetClass
  readonly name: string | null
  readonly watched: boolean
  /** The symbol is unknown: in no list, never received, and not in the demo market. */
  readonly isGuess?: true
}

/** The instruments that a symbol of a list may mean. */
export interface ResolvedSymbol {
  /** Best first. Either all are known or all are guesses; empty: it can't be a symbol. */
  readonly hits: readonly SymbolHit[]
  readonly isKnown: boolean
}

export interface LogEntry {
  readonly id: number
  readonly atMs: UnixMs
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly from: string
  readonly text: string
  readonly detail: string | null
}
