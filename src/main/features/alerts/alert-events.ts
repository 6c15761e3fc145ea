/** What happened to alerts: kept in the history and passed to windows, the log and the system. */
import type { Fired } from '../../../shared/features/alerts/evaluator/listener.ts'
import type { Suspension } from '../../../shared/features/alerts/evaluator/coverage.ts'
import { eventLabel, type AlertNumbers } from '../../../shared/features/alerts/labels.ts'
import type { Alert, AlertEvent } from '../../../shared/features/alerts/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Notice } from '../../terminal/host.ts'
import type { AlertAction } from '../../../shared/features/alerts/actions.ts'
import type { ActionNote } from './actions/deliver.ts'
import { noteOf } from './actions/note.ts'
import type { AlertStore } from './alert-store.ts'
import type { History, NewEvent } from './history.ts'
import type { AlertStreams } from './streams.ts'

/** The most notifications per sweep. The rest are reported as a number. */
const MAX_NOTICES_PER_SWEEP = 4
/** Connecting doesn't take longer. */
export const MIN_REPORTED_MS = 10_000

export interface AlertEventsOptions {
  readonly newId: () => string
  readonly symbolOf: (instrument: InstrumentId) => string
  readonly numbers: (instrument: InstrumentId) => AlertNumbers
  /** Shows a system notification. If absent, the host has none, and a window shows it where it may. */
  readonly notify?: ((notice: Notice) => void) | undefined
  readonly log: (level: 'info' | 'warn', text: string, detail?: string) => void
  /** Queues an action outside of Tapedeck. Returns at once. */
  readonly act?: ((action: AlertAction, note: ActionNote) => void) | undefined
}

/** What an event says of its alert. */
const about = ({ id, instrument, condition, note }: Alert) => ({ alert: id, instrument, condition, note })

export class AlertEvents {
  readonly #options: AlertEventsOptions
  readonly #history: History
  readonly #store: Pick<AlertStore, 'soon'>
  readonly #streams: Pick<AlertStreams, 'happened'>
  /** Suspensions that haven't ended. */
  readonly #open = new Map<Suspension, AlertEvent>()
  /** The notifications of this sweep, and the number left out. */
  #notices = 0
  #more = 0

  constructor(
    options: AlertEventsOptions,
    history: History,
    store: Pick<AlertStore, 'soon'>,
    streams: Pick<AlertStreams, 'happened'>,
  ) {
    this.#options = options
    this.#history = history
    this.#store = store
    this.#streams = streams
  }

  /** `alert`: with its new state. */
  fired(alert: Alert, what: Omit<Fired, 'alert'>): void {
    const { atMs, eventMs, value, before } = what
    const event = this.#add({ ...about(alert), is: 'fired', atMs, eventMs, value, before })
    if (event.is !== 'fired') return
    const { log, act, symbolOf, newId } = this.#options
    const text = this.#sentence(alert, event)
    if (alert.log) log('info', text, alert.note)
    if (alert.action !== undefined) act?.(alert.action, noteOf(alert, event, symbolOf(alert.instrument), text, newId()))
    if (alert.system) this.#notify({ title: text, body: alert.note, alert: alert.id, again: !alert.done })
  }

  unseen(alert: Alert, atMs: number, value: number, before: number): void {
    const event = this.#add({ ...about(alert), is: 'unseen', atMs, value, before })
    if (event.is !== 'blind' && alert.log) this.#options.log('warn', this.#sentence(alert, event))
  }

  expired(alert: Alert, atMs: number): void {
    this.#add({ ...about(alert), is: 'expired', atMs })
  }

  snoozed(alert: Alert, atMs: number, untilMs: number | null): void {
    this.#add({ ...about(alert), is: 'snoozed', atMs, untilMs })
  }

  /** A suspension began, covers more instruments, or ended at `toMs`. `count`: the alerts it concerns. */
  suspended(suspension: Suspension, instruments: readonly InstrumentId[], count: number, toMs: number | null): void {
    const { feed, cause, fromMs } = suspension
    const known = this.#open.get(suspension)
    // Every new symbol takes a moment to connect.
    if (cause === 'connect' && (toMs === null || toMs - fromMs < MIN_REPORTED_MS)) return
    if (known === undefined) {
      // A suspension that began before the start is reported once it ends.
      const made = this.#add({ is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count })
      if (toMs === null) this.#open.set(suspension, made)
      return
    }
    const event: AlertEvent = { ...known, is: 'blind', atMs: fromMs, feed, cause, instruments, toMs, alerts: count }
    this.#history.replace(event)
    this.#streams.happened(event)
    this.#store.soon('history')
    if (toMs !== null) this.#open.delete(suspension)
  }

  /** Ends a sweep: says how many notifications were left out. */
  endSweep(): void {
    if (this.#more > 0) {
      this.#options.notify?.({
        title: `${this.#more} more alerts fired`,
        body: 'The history of alerts has all of them.',
      })
    }
    this.#notices = this.#more = 0
  }

  #add(event: NewEvent): AlertEvent {
    const made = this.#history.add(event)
    this.#streams.happened(made)
    this.#store.soon('history')
    return made
  }

  #sentence(alert: Alert, event: Exclude<AlertEvent, { readonly is: 'blind' }>): string {
    const { symbolOf, numbers } = this.#options
    return `${symbolOf(alert.instrument)}: ${eventLabel(event, numbers(alert.instrument))}`
  }

  #notify(notice: Notice): void {
    if (this.#options.notify === undefined) return
    this.#notices += 1
    if (this.#notices > MAX_NOTICES_PER_SWEEP) this.#more += 1
    else this.#options.notify(notice)
  }
}
