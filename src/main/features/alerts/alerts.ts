/**
 * The alerts of a terminal: kept, watched on every record of the live market, told to windows, to the log
 * and to the system. Works without a window.
 */
import { CodedError } from '../../../shared/base/errors.ts'
import { Evaluator, type EvaluatorOptions } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Fired } from '../../../shared/features/alerts/evaluator/last-value.ts'
import type { Blind } from '../../../shared/features/alerts/evaluator/coverage.ts'
import {
  MOST_ALERTS,
  type Alert,
  type AlertDraft,
  type AlertEvent,
  type AlertRow,
  type AlertState,
} from '../../../shared/features/alerts/types.ts'
import type { Watch } from '../../../shared/features/alerts/evaluator/condition.ts'
import { eventWords, type AlertNumbers } from '../../../shared/features/alerts/labels.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { createHistory, type NewEvent } from './history.ts'
import { createKeeping, isDue, said } from './keeping.ts'
import { writeAlerts, writeHistory } from './kept.ts'
import type { Alerts, AlertsKeeper } from './port.ts'
import type { Notice } from '../../terminal/host.ts'
import { alertSink } from './record-sink.ts'
import { alertStreams } from './streams.ts'
import { createWarming, type PastBars } from './warming.ts'

export interface AlertsOptions {
  readonly keeper: AlertsKeeper
  readonly wallMs: () => number
  readonly newId: () => string
  /** What is watched now. */
  readonly market: () => 'demo' | 'service'
  readonly calendar: Pick<EvaluatorOptions, 'grid' | 'isOpen' | 'feeds'>
  /** Makes these instruments be received; answers how to let go of them. */
  readonly want: (instruments: readonly InstrumentId[]) => () => void
  readonly bars: PastBars
  readonly drawings: (instrument: InstrumentId) => readonly Drawing[]
  /** Days (UTC ms of 00:00) on which an instrument reports; null: not known. May ask the service. */
  readonly reports: (instrument: InstrumentId) => Promise<readonly number[] | null>
  readonly symbolOf: (instrument: InstrumentId) => string
  readonly numbers: (instrument: InstrumentId) => AlertNumbers
  /** Shows a notification of the system; absent: the host has none, and a window does it where it may. */
  readonly notify?: ((notice: Notice) => void) | undefined
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
}

/** Notifications at most in a sweep; what is more is told as a number. */
const NOTICES_A_SWEEP = 4
/** Connecting takes no more. */
export const WORTH_TELLING_MS = 10_000
const REPORTS_EVERY_MS = 3_600_000

/** Reads what was kept; `begin` watches it. Never throws: what cannot be read is put aside and told. */
export function createAlerts(options: AlertsOptions): Alerts {
  const { keeper, wallMs, log } = options
  const alerts = new Map<string, Alert>()
  const listeners = new Set<() => void>()
  const keeping = createKeeping({
    keeper,
    wallMs,
    log,
    textOf: (name) => (name === 'alerts' ? writeAlerts([...alerts.values()]) : writeHistory(history.events)),
  })
  const { alive } = keeping
  const history = createHistory(keeping.history)
  for (const alert of keeping.alerts) alerts.set(alert.id, alert)

  // -- watched --
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
  const told = new Map<string, AlertState>()

  const happened = (event: NewEvent): AlertEvent => {
    const made = history.add(event)
    streams.happened(made)
    keeping.soon('history')
    return made
  }
  const about = ({ id, instrument, condition, note }: Alert) => ({ alert: id, instrument, condition, note })
  const sentence = (alert: Alert, event: Exclude<AlertEvent, { readonly is: 'blind' }>): string =>
    `${options.symbolOf(alert.instrument)}: ${eventWords(event, options.numbers(alert.instrument))}`

  /** Notifications of this sweep, and those that were too many. */
  let notices = 0
  let more = 0
  const notify = (notice: Notice): void => {
    if (options.notify === undefined) return
    notices += 1
    if (notices > NOTICES_A_SWEEP) more += 1
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
    keeping.soon('alerts')
    const event = happened({ ...about(alert), is: 'fired', atMs, eventMs, value, before })
    if (event.is === 'blind') return
    const text = sentence(alert, event)
    if (alert.log) log('info', text, alert.note)
    if (alert.system) notify({ title: text, body: alert.note, alert: id, again: !alert.done })
    streams.changed([id])
    wanting = true
  }

  const open = new Map<Blind, AlertEvent>()
  const blind = (blind: Blind, instruments: readonly InstrumentId[], count: number, toMs: number | null): void => {
    const { feed, cause, fromMs } = blind
    const known = open.get(blind)
    // Every new symbol takes a moment to be there.
    if (cause === 'connect' && (toMs === null || toMs - fromMs < WORTH_TELLING_MS)) return
    if (known === undefined) {
      // What was blind since before the start is told once it is over.
      const made = happened({ is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count })
      if (toMs === null) open.set(blind, made)
      return
    }
    const event: AlertEvent = { ...known, is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count }
    history.replace(event)
    streams.happened(event)
    keeping.soon('history')
    if (toMs !== null) open.delete(blind)
  }

  const evaluator = new Evaluator({
    ...options.calendar,
    // The clock may have been set back since.
    before: alive === null ? null : { cause: alive.clean ? 'quit' : 'crash', fromMs: Math.min(alive.ms, wallMs()) },
    listener: {
      fired,
      blind,
      back({ id }) {
        const alert = alerts.get(id)
        if (alert === undefined) return
        alerts.set(id, { ...alert, away: null })
        keeping.soon('alerts')
      },
      unseen(alert, atMs, value, before) {
        const event = happened({ ...about(alert), is: 'unseen', atMs, value, before })
        if (event.is !== 'blind' && alert.log) log('warn', sentence(alert, event))
      },
      expired(alert, atMs) {
        happened({ ...about(alert), is: 'expired', atMs })
        streams.changed([alert.id])
        wanting = true
      },
      wantsBars: (instrument, of, interval) => warming.ask(instrument, of, interval),
      changed: (watch: Watch) => streams.changed([...watch.runs].map(({ alert }) => alert.id)),
    },
  })

  const warming = createWarming({
    evaluator: () => evaluator,
    bars: options.bars,
    failed: (thrown) =>
      log('warn', 'The bars that indicators of alerts need could not be read; they are asked for again.', said(thrown)),
  })

  /** What is to be received is another. */
  let wanting = false
  let release = (): void => undefined
  const want = (): void => {
    wanting = false
    const ids = new Set<InstrumentId>()
    for (const { id, instrument, condition } of alerts.values()) {
      if (condition.is !== 'earnings' && evaluator.state(id) !== undefined) ids.add(instrument)
    }
    const before = release
    release = options.want([...ids])
    before() // after the new ones: what stays wanted never falls to zero
  }
  /** Watches an alert, or lets go of it, as it says. */
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
    // By a clock that was set back since: how long it rested is not known.
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
      () => undefined, // the state says that no date is known
    )
  }
  const idsOf = (instrument: InstrumentId): string[] =>
    [...alerts.values()].flatMap((alert) => (alert.instrument === instrument ? [alert.id] : []))

  const changed = async (ids: readonly string[]): Promise<void> => {
    want()
    streams.changed(ids)
    for (const listener of [...listeners]) listener()
    await keeping.keep('alerts')
  }
  const room = (adding: number): void => {
    if (alerts.size + adding <= MOST_ALERTS) return
    throw new CodedError('too-large', `There can be ${MOST_ALERTS.toLocaleString('en')} alerts at most.`, {
      hint: 'Delete some that have fired or expired.',
    })
  }

  let reportsMs = -Infinity

  return {
    sink: alertSink(evaluator),
    begin() {
      reportsMs = wallMs()
      for (const alert of alerts.values()) watch(alert)
      want()
    },
    list: () => [...alerts.keys()].flatMap((id) => row(id) ?? []),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async save(id, draft: AlertDraft) {
      const before = id === null ? undefined : alerts.get(id)
      if (id !== null && before === undefined) throw new CodedError('not-found', 'There is no such alert any more.')
      if (before === undefined) room(1)
      const { fired: count = 0, firedMs = null, createdMs = wallMs() } = before ?? {}
      const alert: Alert = {
        ...draft,
        id: before?.id ?? options.newId(),
        market: options.market(),
        createdMs,
        fired: count,
        firedMs,
        // Worded anew it is armed anew.
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
        // One that had fired is armed again: it is to remind.
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
        told.delete(id)
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
    async clearHistory() {
      history.clear()
      await keeping.keep('history')
    },
    stream: (wake) => streams.open(wake),
    sweep(nowMs) {
      evaluator.advance(nowMs)
      warming.sweep()
      if (wanting) want()
      if (more > 0) {
        options.notify?.({ title: `${more} more alerts fired`, body: 'The history of alerts has all of them.' })
      }
      notices = more = 0
      if (streams.count > 0) {
        const other: string[] = []
        for (const alert of alerts.values()) {
          const now = stateOf(alert)
          const before = told.get(alert.id)
          if (before !== undefined && sameState(before, now)) continue
          told.set(alert.id, now)
          other.push(alert.id)
        }
        if (other.length > 0) streams.changed(other)
      }
      keeping.sweep(nowMs, evaluator.size > 0)
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
      want()
      streams.reset()
    },
    async close() {
      release()
      await keeping.close(evaluator.size > 0)
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
