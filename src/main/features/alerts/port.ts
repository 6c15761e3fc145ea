/** What alerts need of the program, and what they give. */
import type { CallArgs, StreamValue } from '../../../shared/contracts.ts'
import type { AlertHistory } from '../../../shared/features/alerts/contract.ts'
import type { Alert, AlertDraft, AlertRow } from '../../../shared/features/alerts/types.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { HubSink } from '../../core/market/hub-types.ts'

/** Where alerts are kept: texts by name, each written whole or not at all. */
export interface AlertsKeeper {
  /** Null: nothing was kept yet. */
  load(name: AlertsFile): string | null
  save(name: AlertsFile, text: string): Promise<void>
  /** Keeps what cannot be read whole aside; answers its new name. */
  setAside(name: AlertsFile): string
}
/** `alive`: when they were watched last. */
export type AlertsFile = 'alerts' | 'history' | 'alive'

/** The alerts of a terminal, watched as long as it lives. */
export interface Alerts {
  /** Told of the live market what its hub is told. */
  readonly sink: Pick<HubSink, 'apply' | 'feedState' | 'gapOpened' | 'gapClosed'>
  /** Watches what was kept. */
  begin(): void
  list(): readonly AlertRow[]
  /** Called whenever an alert is another one, came or went. Answers its undo. */
  onChange(listener: () => void): () => void
  save(id: string | null, draft: AlertDraft): Promise<AlertRow>
  restore(alerts: readonly Alert[]): Promise<void>
  enable(ids: readonly string[], on: boolean): Promise<void>
  /** None of them fires before `untilMs` (UTC ms); null: they may at once. See `alerts.snooze`. */
  snooze(ids: readonly string[], untilMs: number | null): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  history(args: CallArgs<'alerts.history'>): AlertHistory
  clearHistory(): Promise<void>
  stream(wake: () => void): StreamSource<StreamValue<'alerts'>>
  /** Call about once a second. */
  sweep(nowMs: number): void
  drawingsChanged(instrument: InstrumentId): void
  /** Another market is watched: nothing of the former one counts. */
  sourceChanged(): void
  /** Keeps what is not kept yet. */
  close(): Promise<void>
}
