/**
 * The alerts of a terminal: saved, evaluated on every record of the live market, and reported to windows, the log and
 * the system. Works without a window.
 */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import { Evaluator, type EvaluatorOptions } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Fired } from '../../../shared/features/alerts/evaluator/listener.ts'
import {
  MAX_ALERTS,
  type Alert,
  type AlertDraft,
  type AlertRow,
  type AlertState,
} from '../../../shared/features/alerts/types.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { AlertEvents, type AlertEventsOptions } from './alert-events.ts'
import { createHistory, type History } from './history.ts'
import { createAlertStore, isDue, type AlertStore } from './alert-store.ts'
import { writeAlerts, writeHistory } from './alert-format.ts'
import type { Alerts, AlertFiles } from './port.ts'
import { alertSink } from './record-sink.ts'
import { alertStreams, type AlertStreams } from './streams.ts'
import { createWarming, type PastBars, type Warming } from './warming.ts'

export interface AlertsOptions extends AlertEventsOptions {
  readonly files: AlertFiles
  /** Warns of a file that couldn't be read; windows show it, too. */
  readonly notice: (text: string, detail?: string) => void
  readonly wallMs: () => number
  /** The market being watched. */
  readonly market: () => 'demo' | 'service'
  readonly calendar: Pick<EvaluatorOptions, 'grid' | 'isOpen' | 'feeds'>
  /** Subscribes to instruments. Returns a function that unsubscribes. */
  readonly subscribe: (instruments: readonly InstrumentId[]) => () => void
  readonly bars: PastBars
  readonly drawings: (instrument: InstrumentId) => readonly Drawing[]
  /** The days (00:00 UTC, UTC ms) on which an instrument reports, or null if unknown. May send a request. */
  readonly reports: (instrument: InstrumentId) => Promise<readonly number[] | null>
}

const REPORTS_EVERY_MS = 3_600_000

/**
 * Reads the saved alerts; `begin` starts evaluating them. Never throws: unreadable files are set aside and reported.
 */
export const createAlerts = (options: AlertsOptions): Alerts => new AlertBook(options)

class AlertBook implements Alerts {
  readonly sink: Alerts['sink']
  readonly #options: AlertsOptions
  readonly #alerts = new Map<string, Alert>()
  readonly #listeners = new Listeners()
  readonly #store: AlertStore
  readonly #history: History
  readonly #events: AlertEvents
  readonly #evaluator: Evaluator
  readonly #warming: Warming
  readonly #streams: AlertStreams
  readonly #sentStates = new Map<string, AlertState>()
  /** The next sweep updates the subscriptions. */
  #isSubscriptionStale = false
  #release = (): void => undefined
  #reportsMs = -Infinity

  constructor(options: AlertsOptions) {
    const { files, wallMs, log, notice } = options
    this.#options = options
    this.#store = createAlertStore({
      files,
      wallMs,
      log,
      notice,
      textOf: (name) =>
        name === 'alerts' ? writeAlerts([...this.#alerts.values()]) : writeHistory(this.#history.events),
    })
    const { alive } = this.#store
    this.#history = createHistory(this.#store.history)
    for (const alert of this.#store.alerts) this.#alerts.set(alert.id, alert)
    this.#streams = alertStreams(
      () => this.list(),
      (id) => this.#row(id),
    )
    this.#events = new AlertEvents(options, this.#history, this.#store, this.#streams)
    this.#evaluator = new Evaluator({
      ...options.calendar,
      // The clock may have been set back since.
      before: alive === null ? null : { cause: alive.clean ? 'quit' : 'crash', fromMs: Math.min(alive.ms, wallMs()) },
      listener: {
        fired: (what) => this.#fired(what),
        suspended: (suspension, instruments, count, toMs) =>
          this.#events.suspended(suspension, instruments, count, toMs),
        rearmed: ({ id }) => this.#rearmed(id),
        unseen: (alert, atMs, value, before) => this.#events.unseen(alert, atMs, value, before),
        expired: (alert, atMs) => {
          this.#events.expired(alert, atMs)
          this.#streams.changed([alert.id])
          this.#isSubscriptionStale = true
        },
        wantsBars: (instrument, of, interval) => this.#warming.ask(instrument, of, interval),
        changed: (watch) => this.#streams.changed([...watch.runs].map(({ alert }) => alert.id)),
      },
    })
    this.#warming = createWarming({
      evaluator: () => this.#evaluator,
      bars: options.bars,
      failed: (thrown) =>
        log(
          'warn',
          'The bars that indicators of alerts need could not be read; they are asked for again.',
          messageOf(thrown),
        ),
    })
    this.sink = alertSink(this.#evaluator)
  }

  begin(): void {
    this.#reportsMs = this.#options.wallMs()
    for (const alert of this.#alerts.values()) this.#watch(alert)
    this.#updateSubscriptions()
  }

  list(): readonly AlertRow[] {
    return [...this.#alerts.keys()].flatMap((id) => this.#row(id) ?? [])
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  async save(id: string | null, draft: AlertDraft): Promise<AlertRow> {
    const { wallMs, newId, market } = this.#options
    const before = id === null ? undefined : this.#alerts.get(id)
    if (id !== null && before === undefined) throw new CodedError('not-found', 'This alert no longer exists.')
    if (before === undefined) this.#checkRoom(1)
    const { fired = 0, firedMs = null, createdMs = wallMs() } = before ?? {}
    const alert: Alert = {
      ...draft,
      id: before?.id ?? newId(),
      market: market(),
      createdMs,
      fired,
      firedMs,
      // A changed alert is armed again.
      firedOf: null,
      done: false,
      away: null,
      snoozedMs: null,
    }
    this.#alerts.set(alert.id, alert)
    this.#watch({ ...alert, firedMs: null })
    await this.#changed([alert.id])
    return { ...alert, state: this.#stateOf(alert) }
  }

  async restore(list: readonly Alert[]): Promise<void> {
    this.#checkRoom(list.length)
    for (const alert of list) {
      if (this.#alerts.has(alert.id)) continue
      this.#alerts.set(alert.id, alert)
      this.#watch(alert)
    }
    await this.#changed(list.map(({ id }) => id))
  }

  async enable(ids: readonly string[], on: boolean): Promise<void> {
    for (const id of ids) {
      const alert = this.#alerts.get(id)
      if (alert === undefined) continue
      const next: Alert = { ...alert, enabled: on, snoozedMs: null, ...(on ? { done: false, away: null } : {}) }
      this.#alerts.set(id, next)
      this.#watch(on ? { ...next, firedMs: null } : next)
    }
    await this.#changed(ids)
  }

  async snooze(ids: readonly string[], untilMs: number | null): Promise<void> {
    const nowMs = this.#options.wallMs()
    const snoozed: string[] = []
    for (const id of ids) {
      const alert = this.#alerts.get(id)
      if (alert === undefined || !alert.enabled || (alert.expiresMs !== null && alert.expiresMs <= nowMs)) continue
      // One that had fired is armed again, to remind.
      const next: Alert = { ...alert, snoozedMs: untilMs, ...(alert.done ? { done: false, firedOf: null } : {}) }
      this.#alerts.set(id, next)
      if (this.#evaluator.state(id) === undefined) this.#watch(next)
      else this.#evaluator.snooze(id, untilMs ?? -Infinity)
      this.#events.snoozed(next, nowMs, untilMs)
      snoozed.push(id)
    }
    if (snoozed.length > 0) await this.#changed(snoozed)
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#evaluator.remove(id)
      this.#alerts.delete(id)
      this.#sentStates.delete(id)
    }
    this.#streams.removed(ids)
    await this.#changed([])
  }

  history({ alert, before, limit }: Parameters<Alerts['history']>[0]): ReturnType<Alerts['history']> {
    if (alert === null) return this.#history.page(null, before, limit)
    const known = this.#alerts.get(alert)
    const of = { alert, instrument: known?.instrument ?? null, sinceMs: known?.createdMs ?? 0 }
    return this.#history.page(of, before, limit)
  }

  get historyProblem(): string | null {
    return this.#store.historyProblem
  }

  async clearHistory(): Promise<void> {
    this.#history.clear()
    await this.#store.keep('history')
  }

  stream(wake: () => void): ReturnType<Alerts['stream']> {
    return this.#streams.open(wake)
  }

  sweep(nowMs: number): void {
    this.#evaluator.advance(nowMs)
    this.#warming.sweep()
    if (this.#isSubscriptionStale) this.#updateSubscriptions()
    this.#events.endSweep()
    if (this.#streams.count > 0) this.#sendStates()
    this.#store.sweep(nowMs, this.#evaluator.size > 0)
    if (!isDue(nowMs, this.#reportsMs, REPORTS_EVERY_MS)) return
    this.#reportsMs = nowMs
    const asked = new Set<InstrumentId>()
    for (const { condition, instrument, id } of this.#alerts.values()) {
      if (condition.is === 'earnings' && this.#evaluator.state(id) !== undefined) asked.add(instrument)
    }
    for (const instrument of asked) this.#askReports(instrument)
  }

  drawingsChanged(instrument: InstrumentId): void {
    const mine = this.#idsOf(instrument).filter((id) => this.#alerts.get(id)?.condition.is === 'drawing')
    if (mine.length === 0) return
    this.#evaluator.setDrawings(instrument, this.#options.drawings(instrument))
    this.#streams.changed(mine)
  }

  sourceChanged(): void {
    this.#warming.forget()
    this.#evaluator.forget()
    for (const alert of this.#alerts.values()) this.#watch(alert)
    this.#updateSubscriptions()
    this.#streams.reset()
  }

  async close(): Promise<void> {
    this.#release()
    await this.#store.close(this.#evaluator.size > 0)
  }

  #row(id: string): AlertRow | undefined {
    const alert = this.#alerts.get(id)
    return alert === undefined ? undefined : { ...alert, state: this.#stateOf(alert) }
  }

  #stateOf(alert: Alert): AlertState {
    const { market, wallMs } = this.#options
    if (!alert.enabled) return { is: 'off' }
    if (alert.done) return { is: 'fired' }
    if (alert.expiresMs !== null && alert.expiresMs <= wallMs()) return { is: 'expired' }
    if (alert.market !== market()) return { is: 'elsewhere' }
    const { snoozedMs = null } = alert
    if (snoozedMs !== null && snoozedMs > wallMs()) return { is: 'snoozed', untilMs: snoozedMs }
    return this.#evaluator.state(alert.id) ?? { is: 'waiting', for: 'record' }
  }

  /** Sends the states that time alone has changed. */
  #sendStates(): void {
    const changed: string[] = []
    for (const alert of this.#alerts.values()) {
      const now = this.#stateOf(alert)
      const before = this.#sentStates.get(alert.id)
      if (before !== undefined && sameState(before, now)) continue
      this.#sentStates.set(alert.id, now)
      changed.push(alert.id)
    }
    if (changed.length > 0) this.#streams.changed(changed)
  }

  #fired(what: Fired): void {
    const before = this.#alerts.get(what.alert.id)
    if (before === undefined) return
    const alert: Alert = {
      ...before,
      fired: before.fired + 1,
      firedMs: what.atMs,
      firedOf: what.of,
      done: before.repeat === null,
      away: what.away,
    }
    this.#alerts.set(alert.id, alert)
    this.#store.soon('alerts')
    this.#events.fired(alert, what)
    this.#streams.changed([alert.id])
    this.#isSubscriptionStale = true
  }

  #rearmed(id: string): void {
    const alert = this.#alerts.get(id)
    if (alert === undefined) return
    this.#alerts.set(id, { ...alert, away: null })
    this.#store.soon('alerts')
  }

  #updateSubscriptions(): void {
    this.#isSubscriptionStale = false
    const ids = new Set<InstrumentId>()
    for (const { id, instrument, condition } of this.#alerts.values()) {
      if (condition.is !== 'earnings' && this.#evaluator.state(id) !== undefined) ids.add(instrument)
    }
    const before = this.#release
    this.#release = this.#options.subscribe([...ids])
    before() // Subscribed before the old ones are released, so no symbol is dropped in between.
  }

  /** Adds or removes an alert from the evaluator, depending on its settings. */
  #watch(alert: Alert): void {
    const { market, wallMs, drawings } = this.#options
    const isLive =
      alert.enabled &&
      !alert.done &&
      alert.market === market() &&
      (alert.expiresMs === null || alert.expiresMs > wallMs())
    if (!isLive) {
      this.#evaluator.remove(alert.id)
      return
    }
    // The clock was set back since, so the time it has rested is unknown.
    const isAhead = alert.firedMs !== null && alert.firedMs > wallMs()
    this.#evaluator.put(isAhead ? { ...alert, firedMs: null } : alert)
    if (alert.condition.is === 'drawing') this.#evaluator.setDrawings(alert.instrument, drawings(alert.instrument))
    if (alert.condition.is === 'earnings') this.#askReports(alert.instrument)
  }

  #askReports(instrument: InstrumentId): void {
    void this.#options.reports(instrument).then(
      (days) => {
        if (days === null) return
        this.#evaluator.setReports(instrument, days)
        this.#streams.changed(this.#idsOf(instrument))
      },
      () => undefined, // The alert's state says that no date is known.
    )
  }

  #idsOf(instrument: InstrumentId): string[] {
    return [...this.#alerts.values()].flatMap((alert) => (alert.instrument === instrument ? [alert.id] : []))
  }

  async #changed(ids: readonly string[]): Promise<void> {
    this.#updateSubscriptions()
    this.#streams.changed(ids)
    this.#listeners.call()
    await this.#store.keep('alerts')
  }

  #checkRoom(adding: number): void {
    if (this.#alerts.size + adding <= MAX_ALERTS) return
    throw new CodedError('too-large', `You can have up to ${MAX_ALERTS.toLocaleString('en')} alerts.`, {
      hint: 'Delete some that have fired or expired.',
    })
  }
}

function sameState(a: AlertState, b: AlertState): boolean {
  if (a.is !== b.is) return false
  switch (a.is) {
    case 'waiting':
      return b.is === 'waiting' && a.for === b.for
    case 'blind':
      return b.is === 'blind' && a.sinceMs === b.sinceMs && a.cause === b.cause
    case 'resting':
    case 'snoozed':
      return b.is === a.is && a.untilMs === b.untilMs
    default:
      return true
  }
}
