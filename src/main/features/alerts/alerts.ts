/**
 * The alerts of a terminal: saved, evaluated on every record of the live market, and reported to windows, the log and
 * the system. Works without a window.
 */
import { CodedError } from '../../../shared/base/errors.ts'
import { Evaluator, type EvaluatorOptions } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Fired } from '../../../shared/features/alerts/evaluator/listener.ts'
import type { Suspension } from '../../../shared/features/alerts/evaluator/coverage.ts'
import {
  MAX_ALERTS,
  type Alert,
  type AlertDraft,
  type AlertEvent,
  type AlertRow,
  type AlertState,
} from '../../../shared/features/alerts/types.ts'
import type { Watch } from '../../../shared/features/alerts/evaluator/watch.ts'
import { eventLabel, type AlertNumbers } from '../../../shared/features/alerts/labels.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { AlertAction } from '../../../shared/features/alerts/actions.ts'
import type { ActionNote } from './actions/deliver.ts'
import { noteOf } from './actions/note.ts'
import { createHistory, type NewEvent } from './history.ts'
import { createAlertStore, isDue, messageOf } from './alert-store.ts'
import { writeAlerts, writeHistory } from './alert-format.ts'
import type { Alerts, AlertFiles } from './port.ts'
import type { Notice } from '../../terminal/host.ts'
import { alertSink } from './record-sink.ts'
import { alertStreams } from './streams.ts'
import { createWarming, type PastBars } from './warming.ts'

export interface AlertsOptions {
  readonly files: AlertFiles
  readonly wallMs: () => number
  readonly newId: () => string
  /** The market being watched. */
  readonly market: () => 'demo' | 'service'
  readonly calendar: Pick<EvaluatorOptions, 'grid' | 'isOpen' | 'feeds'>
  /** Subscribes to instruments. Returns a function that unsubscribes. */
  readonly subscribe: (instruments: readonly InstrumentId[]) => () => void
  readonly bars: PastBars
  readonly drawings: (instrument: InstrumentId) => readonly Drawing[]
  /** The days (00:00 UTC, UTC ms) on which an instrument reports, or null if unknown. May send a request. */
  readonly reports: (instrument: InstrumentId) => Promise<readonly number[] | null>
  readonly symbolOf: (instrument: InstrumentId) => string
  readonly numbers: (instrument: InstrumentId) => AlertNumbers
  /** Shows a system notification. If absent, the host has none, and a window shows it where it may. */
  readonly notify?: ((notice: Notice) => void) | undefined
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
  /** Queues an action outside of Tapedeck. Returns at once. */
  readonly act?: ((action: AlertAction, note: ActionNote) => void) | undefined
}

/** The most notifications per sweep. The rest are reported as a number. */
const MAX_NOTICES_PER_SWEEP = 4
/** Connecting doesn't take longer. */
export const MIN_REPORTED_MS = 10_000
const REPORTS_EVERY_MS = 3_600_000

/**
 * Reads the saved alerts; `begin` starts evaluating them. Never throws: unreadable files are set aside and reported.
 */
export function createAlerts(options: AlertsOptions): Alerts {
  const { files, wallMs, log } = options
  const alerts = new Map<string, Alert>()
  const listeners = new Set<() => void>()
  const store = createAlertStore({
    files,
    wallMs,
    log,
    textOf: (name) => (name === 'alerts' ? writeAlerts([...alerts.values()]) : writeHistory(history.events)),
  })
  const { alive } = store
  const history = createHistory(store.history)
  for (const alert of store.alerts) alerts.set(alert.id, alert)

  const row = (id: string): AlertRow | undefined => {
    const alert = alerts.get(id)
    return alert === undefined ? undefined : { ...alert, state: stateOf(alert) }
  }
  const stateOf = (alert: Alert): AlertState => {
    if (!alert.enabled) return { is: 'off' }
    if (alert.done) return { is: 'fired' }
    if (alert.expiresMs !== null && alert.expiresMs <= wallMs()) return { is: 'expired' }
    if (alert.market !== options.market()) return { is: 'elsewhere' }
    const { snoozedMs = null } = alert
    if (snoozedMs !== null && snoozedMs > wallMs()) return { is: 'snoozed', untilMs: snoozedMs }
    return evaluator.state(alert.id) ?? { is: 'waiting', for: 'record' }
  }
  const streams = alertStreams(() => [...alerts.keys()].flatMap((id) => row(id) ?? []), row)
  const sentStates = new Map<string, AlertState>()

  const happened = (event: NewEvent): AlertEvent => {
    const made = history.add(event)
    streams.happened(made)
    store.soon('history')
    return made
  }
  const about = ({ id, instrument, condition, note }: Alert) => ({ alert: id, instrument, condition, note })
  const sentence = (alert: Alert, event: Exclude<AlertEvent, { readonly is: 'blind' }>): string =>
    `${options.symbolOf(alert.instrument)}: ${eventLabel(event, options.numbers(alert.instrument))}`

  /** The notifications of this sweep, and the number left out. */
  let notices = 0
  let more = 0
  const notify = (notice: Notice): void => {
    if (options.notify === undefined) return
    notices += 1
    if (notices > MAX_NOTICES_PER_SWEEP) more += 1
    else options.notify(notice)
  }
  const fired = ({ alert: { id }, atMs, eventMs, value, before, of, away }: Fired): void => {
    const before_ = alerts.get(id)
    if (before_ === undefined) return
    const alert: Alert = {
      ...before_,
      fired: before_.fired + 1,
      firedMs: atMs,
      firedOf: of,
      done: before_.repeat === null,
      away,
    }
    alerts.set(id, alert)
    store.soon('alerts')
    const event = happened({ ...about(alert), is: 'fired', atMs, eventMs, value, before })
    if (event.is === 'blind') return
    const text = sentence(alert, event)
    if (alert.log) log('info', text, alert.note)
    if (alert.action !== undefined && event.is === 'fired')
      options.act?.(alert.action, noteOf(alert, event, options.symbolOf(alert.instrument), text, options.newId()))
    if (alert.system) notify({ title: text, body: alert.note, alert: id, again: !alert.done })
    streams.changed([id])
    isSubscriptionStale = true
  }

  const open = new Map<Suspension, AlertEvent>()
  const suspended = (
    suspension: Suspension,
    instruments: readonly InstrumentId[],
    count: number,
    toMs: number | null,
  ): void => {
    const { feed, cause, fromMs } = suspension
    const known = open.get(suspension)
    // Every new symbol takes a moment to connect.
    if (cause === 'connect' && (toMs === null || toMs - fromMs < MIN_REPORTED_MS)) return
    if (known === undefined) {
      // A suspension that began before the start is reported once it ends.
      const made = happened({ is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count })
      if (toMs === null) open.set(suspension, made)
      return
    }
    const event: AlertEvent = { ...known, is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count }
    history.replace(event)
    streams.happened(event)
    store.soon('history')
    if (toMs !== null) open.delete(suspension)
  }

  const evaluator = new Evaluator({
    ...options.calendar,
    // The clock may have been set back since.
    before: alive === null ? null : { cause: alive.clean ? 'quit' : 'crash', fromMs: Math.min(alive.ms, wallMs()) },
    listener: {
      fired,
      suspended,
      rearmed({ id }) {
        const alert = alerts.get(id)
        if (alert === undefined) return
        alerts.set(id, { ...alert, away: null })
        store.soon('alerts')
      },
      unseen(alert, atMs, value, before) {
        const event = happened({ ...about(alert), is: 'unseen', atMs, value, before })
        if (event.is !== 'blind' && alert.log) log('warn', sentence(alert, event))
      },
      expired(alert, atMs) {
        happened({ ...about(alert), is: 'expired', atMs })
        streams.changed([alert.id])
        isSubscriptionStale = true
      },
      wantsBars: (instrument, of, interval) => warming.ask(instrument, of, interval),
      changed: (watch: Watch) => streams.changed([...watch.runs].map(({ alert }) => alert.id)),
    },
  })

  const warming = createWarming({
    evaluator: () => evaluator,
    bars: options.bars,
    failed: (thrown) =>
      log(
        'warn',
        'The bars that indicators of alerts need could not be read; they are asked for again.',
        messageOf(thrown),
      ),
  })

  /** The subscriptions are being updated. */
  let isSubscriptionStale = false
  let release = (): void => undefined
  const updateSubscriptions = (): void => {
    isSubscriptionStale = false
    const ids = new Set<InstrumentId>()
    for (const { id, instrument, condition } of alerts.values()) {
      if (condition.is !== 'earnings' && evaluator.state(id) !== undefined) ids.add(instrument)
    }
    const before = release
    release = options.subscribe([...ids])
    before() // Subscribed before the old ones are released, so no symbol is dropped in between.
  }
  /** Adds or removes an alert from the evaluator, depending on its settings. */
  const watch = (alert: Alert): void => {
    const live =
      alert.enabled &&
      !alert.done &&
      alert.market === options.market() &&
      (alert.expiresMs === null || alert.expiresMs > wallMs())
    if (!live) {
      evaluator.remove(alert.id)
      return
    }
    // The clock was set back since, so the time it has rested is unknown.
    const ahead = alert.firedMs !== null && alert.firedMs > wallMs()
    evaluator.put(ahead ? { ...alert, firedMs: null } : alert)
    if (alert.condition.is === 'drawing') evaluator.setDrawings(alert.instrument, options.drawings(alert.instrument))
    if (alert.condition.is === 'earnings') askReports(alert.instrument)
  }
  const askReports = (instrument: InstrumentId): void => {
    void options.reports(instrument).then(
      (days) => {
        if (days === null) return
        evaluator.setReports(instrument, days)
        streams.changed(idsOf(instrument))
      },
      () => undefined, // The alert's state says that no date is known.
    )
  }
  const idsOf = (instrument: InstrumentId): string[] =>
    [...alerts.values()].flatMap((alert) => (alert.instrument === instrument ? [alert.id] : []))

  const changed = async (ids: readonly string[]): Promise<void> => {
    updateSubscriptions()
    streams.changed(ids)
    for (const listener of [...listeners]) listener()
    await store.keep('alerts')
  }
  const room = (adding: number): void => {
    if (alerts.size + adding <= MAX_ALERTS) return
    throw new CodedError('too-large', `You can have up to ${MAX_ALERTS.toLocaleString('en')} alerts.`, {
      hint: 'Delete some that have fired or expired.',
    })
  }

  let reportsMs = -Infinity

  return {
    sink: alertSink(evaluator),
    begin() {
      reportsMs = wallMs()
      for (const alert of alerts.values()) watch(alert)
      updateSubscriptions()
    },
    list: () => [...alerts.keys()].flatMap((id) => row(id) ?? []),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async save(id, draft: AlertDraft) {
      const before = id === null ? undefined : alerts.get(id)
      if (id !== null && before === undefined) throw new CodedError('not-found', 'This alert no longer exists.')
      if (before === undefined) room(1)
      const { fired: count = 0, firedMs = null, createdMs = wallMs() } = before ?? {}
      const alert: Alert = {
        ...draft,
        id: before?.id ?? options.newId(),
        market: options.market(),
        createdMs,
        fired: count,
        firedMs,
        // A changed alert is armed again.
        firedOf: null,
        done: false,
        away: null,
        snoozedMs: null,
      }
      alerts.set(alert.id, alert)
      watch({ ...alert, firedMs: null })
      await changed([alert.id])
      return { ...alert, state: stateOf(alert) }
    },
    async restore(list) {
      room(list.length)
      for (const alert of list) {
        if (alerts.has(alert.id)) continue
        alerts.set(alert.id, alert)
        watch(alert)
      }
      await changed(list.map(({ id }) => id))
    },
    async enable(ids, on) {
      for (const id of ids) {
        const alert = alerts.get(id)
        if (alert === undefined) continue
        const next: Alert = { ...alert, enabled: on, snoozedMs: null, ...(on ? { done: false, away: null } : {}) }
        alerts.set(id, next)
        watch(on ? { ...next, firedMs: null } : next)
      }
      await changed(ids)
    },
    async snooze(ids, untilMs) {
      const mine = ids.filter((id) => {
        const alert = alerts.get(id)
        return alert !== undefined && alert.enabled && (alert.expiresMs === null || alert.expiresMs > wallMs())
      })
      for (const id of mine) {
        const alert = alerts.get(id)
        if (alert === undefined) continue
        // One that had fired is armed again, to remind.
        const next: Alert = { ...alert, snoozedMs: untilMs, ...(alert.done ? { done: false, firedOf: null } : {}) }
        alerts.set(id, next)
        if (evaluator.state(id) === undefined) watch(next)
        else evaluator.snooze(id, untilMs ?? -Infinity)
        happened({ ...about(next), is: 'snoozed', atMs: wallMs(), untilMs })
      }
      if (mine.length > 0) await changed(mine)
    },
    async remove(ids) {
      for (const id of ids) {
        evaluator.remove(id)
        alerts.delete(id)
        sentStates.delete(id)
      }
      streams.removed(ids)
      await changed([])
    },
    history({ alert, before, limit }) {
      if (alert === null) return history.page(null, before, limit)
      const known = alerts.get(alert)
      const of = { alert, instrument: known?.instrument ?? null, sinceMs: known?.createdMs ?? 0 }
      return history.page(of, before, limit)
    },
    historyProblem: store.historyProblem,
    async clearHistory() {
      history.clear()
      await store.keep('history')
    },
    stream: (wake) => streams.open(wake),
    sweep(nowMs) {
      evaluator.advance(nowMs)
      warming.sweep()
      if (isSubscriptionStale) updateSubscriptions()
      if (more > 0) {
        options.notify?.({ title: `${more} more alerts fired`, body: 'The history of alerts has all of them.' })
      }
      notices = more = 0
      if (streams.count > 0) {
        const other: string[] = []
        for (const alert of alerts.values()) {
          const now = stateOf(alert)
          const before = sentStates.get(alert.id)
          if (before !== undefined && sameState(before, now)) continue
          sentStates.set(alert.id, now)
          other.push(alert.id)
        }
        if (other.length > 0) streams.changed(other)
      }
      store.sweep(nowMs, evaluator.size > 0)
      if (isDue(nowMs, reportsMs, REPORTS_EVERY_MS)) {
        reportsMs = nowMs
        const asked = new Set<InstrumentId>()
        for (const { condition, instrument, id } of alerts.values()) {
          if (condition.is === 'earnings' && evaluator.state(id) !== undefined) asked.add(instrument)
        }
        for (const instrument of asked) askReports(instrument)
      }
    },
    drawingsChanged(instrument) {
      const mine = idsOf(instrument).filter((id) => alerts.get(id)?.condition.is === 'drawing')
      if (mine.length === 0) return
      evaluator.setDrawings(instrument, options.drawings(instrument))
      streams.changed(mine)
    },
    sourceChanged() {
      warming.forget()
      evaluator.forget()
      for (const alert of alerts.values()) watch(alert)
      updateSubscriptions()
      streams.reset()
    },
    async close() {
      release()
      await store.close(evaluator.size > 0)
    },
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
