/** Every call and stream, for the window: the tables of all features in one. Main has no such list. */
import { ACCOUNT_CALLS, ACCOUNT_STREAMS, SOURCE_CALLS } from './core/account/contract.ts'
import { JOB_CALLS, JOB_STREAMS } from './core/jobs/contract.ts'
import { MARKET_CALLS, MARKET_STREAMS } from './core/views/contract.ts'
import { SETTINGS_CALLS, SETTINGS_STREAMS } from './core/settings/contract.ts'
import { LIVE_CALLS, LOG_STREAMS, STATUS_STREAMS } from './core/status/contract.ts'
import { ALERT_CALLS, ALERT_STREAMS } from './features/alerts/contract.ts'
import { DESK_CALLS, DESK_STREAMS } from './features/desktop/contract.ts'
import { DIAGNOSTIC_CALLS } from './features/diagnostics/contract.ts'
import { DRAWING_CALLS, DRAWING_STREAMS } from './features/drawings/contract.ts'
import { EVIDENCE_CALLS } from './features/evidence/contract.ts'
import { EXPORT_CALLS } from './features/export/contract.ts'
import { IMPORT_CALLS } from './features/import/contract.ts'
import { JOURNAL_CALLS, JOURNAL_STREAMS } from './features/journal/contract.ts'
import { MOVE_CALLS } from './features/move-store/contract.ts'
import { REPLAY_CALLS, REPLAY_STREAMS } from './features/replay/contract.ts'
import { RESEARCH_CALLS, RESEARCH_STREAMS } from './features/research/contract.ts'
import { SCREENER_CALLS, SCREENER_STREAMS } from './features/screener/contract.ts'
import { LIBRARY_CALLS } from './features/sessions/contract.ts'
import { TEAM_CALLS, TEAM_STREAMS } from './features/team/contract.ts'
import { UPDATE_CALLS, UPDATE_STREAMS } from './features/updates/contract.ts'
import { WORKSPACE_CALLS, WORKSPACE_STREAMS } from './features/workspace/contract.ts'
import type { ArgsOf, ValueOf } from './rpc/contract.ts'

export const CALLS = {
  ...SETTINGS_CALLS,
  ...ACCOUNT_CALLS,
  ...SOURCE_CALLS,
  ...MARKET_CALLS,
  ...LIVE_CALLS,
  ...RESEARCH_CALLS,
  ...JOB_CALLS,
  ...LIBRARY_CALLS,
  ...MOVE_CALLS,
  ...EXPORT_CALLS,
  ...IMPORT_CALLS,
  ...REPLAY_CALLS,
  ...EVIDENCE_CALLS,
  ...DRAWING_CALLS,
  ...ALERT_CALLS,
  ...JOURNAL_CALLS,
  ...WORKSPACE_CALLS,
  ...DESK_CALLS,
  ...DIAGNOSTIC_CALLS,
  ...TEAM_CALLS,
  ...UPDATE_CALLS,
  ...SCREENER_CALLS,
} as const

export const STREAMS = {
  ...MARKET_STREAMS,
  ...STATUS_STREAMS,
  ...LOG_STREAMS,
  ...ACCOUNT_STREAMS,
  ...SETTINGS_STREAMS,
  ...RESEARCH_STREAMS,
  ...JOB_STREAMS,
  ...REPLAY_STREAMS,
  ...DRAWING_STREAMS,
  ...ALERT_STREAMS,
  ...JOURNAL_STREAMS,
  ...WORKSPACE_STREAMS,
  ...DESK_STREAMS,
  ...TEAM_STREAMS,
  ...UPDATE_STREAMS,
  ...SCREENER_STREAMS,
} as const

export type CallName = keyof typeof CALLS
export type CallArgs<K extends CallName> = ArgsOf<(typeof CALLS)[K]>
export type CallValue<K extends CallName> = ValueOf<(typeof CALLS)[K]>
export type StreamName = keyof typeof STREAMS
export type StreamArgs<K extends StreamName> = ArgsOf<(typeof STREAMS)[K]>
export type StreamValue<K extends StreamName> = ValueOf<(typeof STREAMS)[K]>
