/**
 * Every call and every stream between the terminal and a window: the only list. Handlers must
 * satisfy it, transports carry it, the contract suite runs over it. Arguments are validated at the
 * boundary with the valibot schemas below; results are types only (the terminal is trusted).
 * Nothing here ever carries a token, a password or a key out of the terminal.
 */
import * as v from 'valibot'
import type {
  AccountState,
  AppInfo,
  ConnectionStep,
  GapSpan,
  LogEntry,
  QuoteRow,
  StatusState,
  SymbolHit,
} from './core/status/status.ts'
import type { Settings, SettingsPatch } from './core/settings/settings.ts'
import type { Bar, Print } from './core/market/market.ts'
import type { SessionRow, VerifyReport } from './core/recording/recording.ts'
import { DESK_CALLS, DESK_STREAMS } from './features/desktop/contract.ts'
import { DIAGNOSTIC_CALLS } from './features/diagnostics/contract.ts'
import { ALERT_CALLS, ALERT_STREAMS } from './features/alerts/contract.ts'
import { DRAWING_CALLS, DRAWING_STREAMS } from './features/drawings/contract.ts'
import { EVIDENCE_CALLS } from './features/evidence/contract.ts'
import { EXPORT_CALLS } from './features/export/contract.ts'
import { IMPORT_CALLS } from './features/import/contract.ts'
import { JOB_CALLS, JOB_STREAMS } from './core/jobs/contract.ts'
import { LIBRARY_CALLS } from './features/sessions/contract.ts'
import { REPLAY_CALLS, REPLAY_STREAMS } from './features/replay/contract.ts'
import { RESEARCH_CALLS, RESEARCH_STREAMS } from './features/research/contract.ts'
import { WORKSPACE_CALLS, WORKSPACE_STREAMS } from './features/workspace/contract.ts'
import { UPDATE_CALLS, UPDATE_STREAMS } from './features/updates/contract.ts'
import {
  call,
  feed,
  instrument,
  interval,
  limit,
  ms,
  none,
  of,
  text,
  view,
  type ArgsOf,
  type ValueOf,
} from './rpc/contract.ts'

const credentials = v.strictObject({
  baseUrl: text(2048),
  user: text(320),
  /** Absent: keep the stored one. */
  password: v.optional(text(4096)),
  apiKey: v.optional(text(4096)),
  plan: v.optional(text(64)),
  /** Names of the fields of the token request's body. */
  userField: v.optional(text(64)),
  passwordField: v.optional(text(64)),
})
export type CredentialsInput = v.InferOutput<typeof credentials>

/** A page of bars, oldest first. `more` tells honestly whether older ones exist. */
export interface BarsPage {
  readonly bars: readonly Bar[]
  readonly gaps: readonly GapSpan[]
  readonly decimals: number
  readonly more: boolean
}
/** Where a page of prints ends: before a seq of a recording. As a page gave it, to be given back. */
const printsPlace = v.strictObject({
  recording: text(64),
  /** Null: the whole recording is before it. */
  seq: v.nullable(ms),
  /** About when that was, UTC ms: so that a page is found without reading a day. */
  ms: v.nullable(ms),
})
export type PrintsPlace = v.InferOutput<typeof printsPlace>
/** A page of prints of one recording, oldest first. */
export interface PrintsPage {
  readonly prints: readonly Print[]
  /** The page before it, of the same recording or an earlier one of the same source; null: there is none. */
  readonly older: PrintsPlace | null
}

export const CALLS = {
  'app.info': call<AppInfo>()(none),
  'settings.get': call<Settings>()(none),
  /** Merges the patch, validates, stores, and answers the whole. */
  'settings.set': call<Settings>()(
    v.strictObject({ patch: v.custom<SettingsPatch>((x) => typeof x === 'object' && x !== null && !Array.isArray(x)) }),
  ),
  'account.get': call<AccountState>()(none),
  /** Tries each step in turn without storing anything; a step that failed ends the list. */
  'account.test': call<readonly ConnectionStep[]>()(credentials),
  /** Stores the credentials (keychain) and switches every feed to this service. */
  'account.connect': call<AccountState>()(credentials),
  /** Forgets the credentials and returns to the demo market. */
  'account.disconnect': call<AccountState>()(none),
  /** At most 50 hits, best first; knows every symbol seen, watched, or of the demo market. */
  'symbols.search': call<readonly SymbolHit[]>()(v.strictObject({ query: text(64), limit: v.optional(limit(50)) })),
  'bars.history': call<BarsPage>()(
    v.strictObject({ view, instrument, of, interval, beforeMs: v.nullable(ms), limit: limit(5_000) }),
  ),
  /** `before` null: the newest page. */
  'tape.history': call<PrintsPage>()(
    v.strictObject({ view, instrument, before: v.nullable(printsPlace), limit: limit(2_000) }),
  ),
  'sessions.list': call<readonly SessionRow[]>()(none),
  'sessions.verify': call<VerifyReport>()(v.strictObject({ session: v.nullable(text(64)) })),
  /** Leaves `refused` or ends the wait of `waiting` at once. */
  'feeds.retry': call<null>()(v.strictObject({ feed })),
  'recording.set': call<null>()(v.strictObject({ on: v.boolean() })),
  /** The machine's network came back or changed: sessions that wait try at once, open ones are probed. */
  'app.networkChanged': call<null>()(none),
  /** Opens an http(s) link outside, after the window asked. */
  'app.openExternal': call<null>()(v.strictObject({ url: text(2048) })),
  ...RESEARCH_CALLS,
  ...JOB_CALLS,
  ...LIBRARY_CALLS,
  ...EXPORT_CALLS,
  ...IMPORT_CALLS,
  ...REPLAY_CALLS,
  ...EVIDENCE_CALLS,
  ...DRAWING_CALLS,
  ...ALERT_CALLS,
  ...WORKSPACE_CALLS,
  ...DESK_CALLS,
  ...DIAGNOSTIC_CALLS,
  ...UPDATE_CALLS,
} as const

/** First value after opening: everything asked for. Later: only rows that changed. */
export interface QuotesValue {
  readonly rows: readonly QuoteRow[]
}
/**
 * `reset` replaces all (on opening, after a late correction of older bars, after a seek). `updates`
 * are bars by start: the same start replaces, a later one appends.
 */
export interface BarsValue {
  readonly reset: readonly Bar[] | null
  readonly updates: readonly Bar[]
  readonly gaps: readonly GapSpan[] | null
  readonly decimals: number
}
export interface TapeValue {
  readonly reset: readonly Print[] | null
  readonly prints: readonly Print[]
  /** Prints left out since the last value because the window was slower than the market. */
  readonly skipped: number
  readonly decimals: number
}
export interface LogValue {
  /** On opening: the last 500, then what came since. */
  readonly entries: readonly LogEntry[]
  readonly dropped: number
}

export const STREAMS = {
  /** Opening a stream for an instrument is what makes the terminal want its feeds (reference counts). */
  quotes: call<QuotesValue>()(v.strictObject({ view, instruments: v.pipe(v.array(instrument), v.maxLength(2_000)) })),
  bars: call<BarsValue>()(v.strictObject({ view, instrument, of, interval, fromMs: v.nullable(ms) })),
  tape: call<TapeValue>()(v.strictObject({ view, instrument, limit: limit(2_000) })),
  /** Feed states, budgets, latency, recorder, store. */
  status: call<StatusState>()(v.strictObject({ view })),
  log: call<LogValue>()(none),
  account: call<AccountState>()(none),
  settings: call<Settings>()(none),
  ...RESEARCH_STREAMS,
  ...JOB_STREAMS,
  ...REPLAY_STREAMS,
  ...DRAWING_STREAMS,
  ...ALERT_STREAMS,
  ...WORKSPACE_STREAMS,
  ...DESK_STREAMS,
  ...UPDATE_STREAMS,
} as const

export type CallName = keyof typeof CALLS
export type CallArgs<K extends CallName> = ArgsOf<(typeof CALLS)[K]>
export type CallValue<K extends CallName> = ValueOf<(typeof CALLS)[K]>
export type StreamName = keyof typeof STREAMS
export type StreamArgs<K extends StreamName> = ArgsOf<(typeof STREAMS)[K]>
export type StreamValue<K extends StreamName> = ValueOf<(typeof STREAMS)[K]>

export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[] // keys of a literal object
export const STREAM_NAMES = Object.keys(STREAMS) as readonly StreamName[]
