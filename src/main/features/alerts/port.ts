/** What alerts need from the rest of the program, and what they offer. */
import type { CallArgs, StreamValue } from '../../../shared/contracts.ts'
import type { AlertHistory } from '../../../shared/features/alerts/contract.ts'
import type { Alert, AlertDraft, AlertRow } from '../../../shared/features/alerts/types.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { HubSink } from '../../core/market/hub-types.ts'

/** Where alerts are saved: named texts, each written completely or not at all. */
export interface AlertFiles {
  /** Null if nothing was saved yet. */
  load(name: AlertsFile): string | null
  save(name: AlertsFile, text: string): Promise<void>
  /** Sets an unreadable file aside and returns its new name. */
  setAside(name: AlertsFile): string
}
/** `alive`: when alerts were last evaluated. */
export type AlertsFile = 'alerts' | 'history' | 'alive'

/** The alerts of a terminal, evaluated as long as it runs. */
export interface Alerts {
  /** Gets every call that the live hub gets. */
  readonly sink: Pick<HubSink, 'apply' | 'feedState' | 'gapOpened' | 'gapClosed'>
  /** Starts evaluating the saved alerts. */
  begin(): void
  list(): readonly AlertRow[]
  /** Called when an alert is added, changed or removed. Returns its unsubscribe. */
  onChange(listener: () => void): () => void
  save(id: string | null, draft: AlertDraft): Promise<AlertRow>
  restore(alerts: readonly Alert[]): Promise<void>
  enable(ids: readonly string[], on: boolean): Promise<void>
  /** Keeps these from firing before `untilMs` (UTC ms); null ends the snooze. See `alerts.snooze`. */
  snooze(ids: readonly string[], untilMs: number | null): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  history(args: CallArgs<'alerts.history'>): AlertHistory
  /** Why the history may miss events, as a sentence; null: it has all. */
  readonly historyProblem: string | null
  clearHistory(): Promise<void>
  stream(wake: () => void): StreamSource<StreamValue<'alerts'>>
  /** Call about once a second. */
  sweep(nowMs: number): void
  drawingsChanged(instrument: InstrumentId): void
  /** Another market is watched, so data of the previous one no longer counts. */
  sourceChanged(): void
  /** Saves what isn't saved yet. */
  close(): Promise<void>
}
