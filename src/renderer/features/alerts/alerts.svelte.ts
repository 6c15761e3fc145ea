/** The alerts of this window. The terminal evaluates them, whether or not a window is open. */
// Maps and sets here are replaced, never changed in place, so `$state.raw` tracks them.
/* eslint-disable svelte/prefer-svelte-reactivity */
import { untrack } from 'svelte'
import {
  draftOf,
  type AlertCondition,
  type AlertDraft,
  type AlertEvent,
  type AlertRow,
  type AlertSound,
} from '../../../shared/features/alerts/types.ts'
import type { ChartIndicator } from '../../../shared/features/chart/chart-settings.ts'
import type { BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { AlertTest } from '../../../shared/features/alerts/test-report.ts'
import { eventLabel, type AlertNumbers } from '../../../shared/features/alerts/labels.ts'
import type { AlertsValue } from '../../../shared/features/alerts/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'
import { undoing, type ToastMenu, type Toasts } from '../../ui/toasts.svelte.ts'
import { t } from '../../../shared/base/text.ts'
import { chartCondition } from './form/chart-line.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

/** What alerts use of their window: sounds, notifications, formats. */
export interface AlertHooks {
  readonly symbolOf: (instrument: InstrumentId) => string
  readonly numbersOf: (instrument: InstrumentId) => AlertNumbers
  readonly show: (instrument: InstrumentId) => void
  /** The last price, or null if unknown. */
  readonly lastOf: (instrument: InstrumentId) => number | null
  readonly sound: (name: Exclude<AlertSound, 'none'>) => void
  /** Shows a notification if that is the page's job and it may. Notifications with the same `tag` show once. */
  readonly notify: (title: string, body: string, tag: string) => void
  /** Requests permission for notifications if the page needs it. Call it within a click or key press. */
  readonly askToNotify: () => void
  readonly nowMs: () => number
  /** Formats an instant, UTC ms. */
  readonly timeOf: (ms: number) => string
  /** The snooze choices. `run` receives the end of the snooze, UTC ms. */
  readonly snoozes: (run: (untilMs: number) => void) => readonly MenuEntry[]
  readonly failed: (failure: Failure) => void
}

/** What the dialog edits. `id` is null for a new alert. */
export interface Editing {
  readonly id: string | null
  readonly draft: AlertDraft
}
export type FiredEvent = Extract<AlertEvent, { readonly is: 'fired' }>

/** How long a row and the window title stay marked. */
const MARK_MS = 20_000
/** A change that wasn't written to disk is in effect all the same: making it again would add a second alert. */
const UNSAVED = 'disk-error'
/** If more alerts than this fire at once, only their count is shown. */
const FEW = 3
const HISTORY_PAGE = 200
const MAX_SHOWN = 2_000

export class Alerts {
  rows = $state.raw<ReadonlyMap<string, AlertRow>>(new Map())
  /** The stream has delivered its first value. */
  ready = $state(false)
  /** Events of one alert or of all, newest first. */
  history = $state.raw<readonly AlertEvent[]>([])
  historyOf = $state<string | null>(null)
  historyMore = $state(false)
  editing = $state.raw<Editing | null>(null)
  /** The alert to test on a stored session; null while the dialog is closed. */
  testing = $state.raw<AlertDraft | null>(null)
  /** Instruments whose alert just fired, with the end of their mark, UTC ms. */
  marked = $state.raw<ReadonlyMap<InstrumentId, number>>(new Map())
  /** Extra instruments to subscribe quotes for, by caller. */
  #quotesOf = $state.raw<ReadonlyMap<string, readonly InstrumentId[]>>(new Map())
  readonly quoted = $derived.by(() => [...new Set([...this.#quotesOf.values()].flat())])
  /** The window shows a replay, so alerts only report that they would have fired. */
  isDryRun = $state(false)

  readonly counts = $derived.by(() => {
    const counts = { all: 0, armed: 0, fired: 0, blind: 0 }
    for (const { state } of this.rows.values()) {
      counts.all += 1
      if (state.is === 'armed' || state.is === 'resting') counts.armed += 1
      else if (state.is === 'fired') counts.fired += 1
      else if (state.is === 'blind') counts.blind += 1
    }
    return counts
  })
  /** Alerts on a price, for the lines of charts. */
  readonly levels = $derived.by(() =>
    [...this.rows.values()].flatMap((row) =>
      row.condition.is === 'price' ? [{ row, level: row.condition.level }] : [],
    ),
  )

  readonly #transport: Transport
  readonly #toasts: Toasts
  readonly #hooks: AlertHooks
  #stop = (): void => undefined
  #asked = 0

  constructor(transport: Transport, toasts: Toasts, hooks: AlertHooks) {
    this.#transport = transport
    this.#toasts = toasts
    this.#hooks = hooks
    this.follow('live')
  }

  /** Shows the alerts of a view: the live ones, or a dry run along a replay. */
  follow(view: string): void {
    this.#stop()
    this.isDryRun = view !== 'live'
    this.ready = false
    this.#stop = keepStream(this.#transport, 'alerts', { view }, (value) => this.#took(value))
    // A page that is still on its way belongs to the view before.
    this.#asked++
    if (view === 'live') void this.loadHistory(this.historyOf)
    else this.history = []
  }

  #took({ reset, alerts, removed, events }: AlertsValue): void {
    const rows = reset ? new Map<string, AlertRow>() : new Map(this.rows)
    for (const id of removed) rows.delete(id)
    for (const row of alerts) rows.set(row.id, row)
    this.rows = rows
    this.ready = true
    if (reset && this.isDryRun) this.history = []
    if (events.length > 0) this.#happened(events)
  }

  #happened(events: readonly AlertEvent[]): void {
    const ids = new Set(events.map(({ id }) => id))
    const mine = events.filter((event) => this.#isShown(event)).toReversed()
    this.history = [...mine, ...this.history.filter(({ id }) => !ids.has(id))].slice(0, MAX_SHOWN)
    const fired = events.filter((event): event is FiredEvent => event.is === 'fired')
    this.#tell(fired)
    for (const event of events) {
      if (event.is === 'unseen') this.#toasts.show(this.sentence(event), { action: this.#showing(event.instrument) })
    }
  }

  #isShown(event: AlertEvent): boolean {
    const of = this.historyOf
    if (of === null) return true
    if (event.is !== 'blind') return event.alert === of
    const row = this.rows.get(of)
    return row !== undefined && event.instruments.includes(row.instrument)
  }

  #tell(fired: readonly FiredEvent[]): void {
    if (fired.length === 0) return
    if (this.isDryRun) {
      const [last] = fired.toReversed()
      const text =
        fired.length > FEW
          ? t({ one: 'an alert', other: '{count} alerts' }, { count: fired.length })
          : this.sentence(last)
      this.#toasts.show(t('Would fire: {what}', { what: text }))
      return
    }
    const menu = this.#snoozing([...new Set(fired.map(({ alert }) => alert))])
    if (fired.length > FEW)
      this.#toasts.show(t({ one: 'An alert fired.', other: '{count} alerts fired.' }, { count: fired.length }), {
        menu,
      })
    else {
      for (const event of fired) {
        const mine = this.#snoozing([event.alert])
        this.#toasts.show(this.sentence(event), { action: this.#showing(event.instrument), menu: mine })
      }
    }
    const marked = new Map(this.marked)
    let sound: AlertSound = 'none'
    for (const event of fired) {
      const row = this.rows.get(event.alert)
      if (row === undefined) continue
      if (row.flash) marked.set(event.instrument, this.#hooks.nowMs() + MARK_MS)
      if (row.sound !== 'none') sound = row.sound
      if (row.system) this.#hooks.notify(this.sentence(event), event.note, `tapedeck-alert-${event.id}`)
    }
    this.marked = marked
    if (sound !== 'none') this.#hooks.sound(sound)
  }

  #showing(instrument: InstrumentId) {
    return { label: t('Show'), run: () => this.#hooks.show(instrument) }
  }

  #snoozing(ids: readonly string[]): ToastMenu {
    const entries = () => this.#hooks.snoozes((untilMs) => void this.snooze(ids, untilMs))
    return { label: t('Snooze'), entries }
  }

  symbolOf(instrument: InstrumentId): string {
    return this.#hooks.symbolOf(instrument)
  }
  numbersOf(instrument: InstrumentId): AlertNumbers {
    return this.#hooks.numbersOf(instrument)
  }
  askToNotify(): void {
    this.#hooks.askToNotify()
  }
  /** Subscribes to quotes of these instruments; returns the unsubscribe function. */
  followQuotes(who: string, instruments: readonly InstrumentId[]): () => void {
    untrack(() => {
      const before = this.#quotesOf.get(who) ?? []
      if (before.length === instruments.length && before.every((one, i) => one === instruments[i])) return
      this.#quotesOf = new Map([...this.#quotesOf, [who, instruments]])
    })
    return () => {
      untrack(() => {
        if (this.#quotesOf.get(who) === instruments) {
          this.#quotesOf = new Map([...this.#quotesOf].filter(([name]) => name !== who))
        }
      })
    }
  }

  /** Removes expired marks. Call it regularly. */
  tick(nowMs: number): void {
    if (this.marked.size === 0) return
    const left = [...this.marked].filter(([, until]) => until > nowMs)
    if (left.length < this.marked.size) this.marked = new Map(left)
  }

  /** "BTC-USD: Last rises to 64,000: 64,003.50". */
  sentence(event: Exclude<AlertEvent, { readonly is: 'blind' }>): string {
    return `${this.#hooks.symbolOf(event.instrument)}: ${eventLabel(event, this.#hooks.numbersOf(event.instrument))}`
  }

  // Editing

  /** Opens the dialog for a new alert. With a price: on crossing it, in the direction from the current price. */
  draft(instrument: InstrumentId, price: number | null = null): void {
    const last = this.#hooks.lastOf(instrument)
    const level = price ?? last
    const direction = level === null || last === null || level === last ? 'either' : level > last ? 'up' : 'down'
    this.editing = {
      id: null,
      draft: {
        instrument,
        // Without a level, the user must enter one: the form rejects 0.
        condition: { is: 'price', of: 'last', level: level ?? 0, direction },
        repeat: null,
        expiresMs: null,
        note: '',
        sound: 'chime',
        system: true,
        log: true,
        flash: true,
        enabled: true,
      },
    }
  }

  /** Opens the dialog for an alert on a drawing, with the scale and trading hours that the chart draws it on. */
  draftOnDrawing(
    instrument: InstrumentId,
    drawing: string,
    seen: { readonly scale: 'linear' | 'log'; readonly hours: 'all' | 'open' },
  ): void {
    this.#draftOn(instrument, { is: 'drawing', of: 'last', drawing, direction: 'either', ...seen })
  }

  /** Opens the dialog for an alert on an indicator or formula of a chart, over the same bars. Nothing if it can't be watched. */
  draftOnIndicator(
    instrument: InstrumentId,
    indicator: ChartIndicator,
    bars: { readonly of: BarSource; readonly interval: Interval },
  ): void {
    // Bars of the service don't arrive record by record.
    const own = instrument.startsWith('forex:') ? 'mid' : 'trade'
    const condition = chartCondition(indicator, { of: bars.of === 'service' ? own : bars.of, interval: bars.interval })
    if (condition !== null) this.#draftOn(instrument, condition)
  }

  #draftOn(instrument: InstrumentId, condition: AlertCondition): void {
    this.draft(instrument)
    if (this.editing !== null) this.editing = { ...this.editing, draft: { ...this.editing.draft, condition } }
  }

  edit(id: string): void {
    const row = this.rows.get(id)
    if (row !== undefined) this.editing = { id, draft: draftOf(row) }
  }

  test(id: string): void {
    const row = this.rows.get(id)
    if (row !== undefined) this.testing = draftOf(row)
  }

  /** Returns the failure, if any; the dialog shows it. */
  async save(id: string | null, draft: AlertDraft): Promise<Failure | null> {
    const result = await this.#transport.invoke('alerts.save', { id, alert: draft })
    if (!result.ok) {
      if (result.error.code !== UNSAVED) return result.error
      this.#hooks.failed(result.error)
      return null
    }
    this.#toasts.say(t(id === null ? 'Alert created.' : 'Alert saved.'))
    return null
  }

  async enable(ids: readonly string[], on: boolean): Promise<void> {
    if (ids.length === 0) return
    const result = await this.#transport.invoke('alerts.enable', { alerts: [...ids], on })
    if (!result.ok) this.#hooks.failed(result.error)
  }

  /** Snoozes alerts until an instant, UTC ms. Null ends the snooze. */
  async snooze(ids: readonly string[], untilMs: number | null): Promise<void> {
    const result = await this.#transport.invoke('alerts.snooze', { alerts: [...ids], untilMs })
    if (!result.ok) return this.#hooks.failed(result.error)
    if (untilMs !== null) this.#toasts.show(t('Snoozed until {time}.', { time: this.#hooks.timeOf(untilMs) }))
  }

  /** Moves a price alert to another level, as when its line is dragged. */
  async move(id: string, level: number): Promise<void> {
    const row = this.rows.get(id)
    if (row === undefined || row.condition.is !== 'price') return
    const failure = await this.save(id, { ...draftOf(row), condition: { ...row.condition, level } })
    if (failure !== null) this.#hooks.failed(failure)
  }

  async remove(ids: readonly string[]): Promise<void> {
    const gone = ids.flatMap((id) => this.rows.get(id) ?? [])
    if (gone.length === 0) return
    const result = await this.#transport.invoke('alerts.remove', { alerts: gone.map(({ id }) => id) })
    if (!result.ok) {
      this.#hooks.failed(result.error)
      if (result.error.code !== UNSAVED) return
    }
    const restore = async (): Promise<void> => {
      for (let at = 0; at < gone.length; at += 1_000) {
        const part = gone.slice(at, at + 1_000).map(({ state: _, ...alert }) => alert)
        const back = await this.#transport.invoke('alerts.restore', { alerts: part })
        if (!back.ok) return this.#hooks.failed(back.error)
      }
    }
    this.#toasts.show(t({ one: 'Alert deleted.', other: '{count} alerts deleted.' }, { count: gone.length }), {
      action: undoing(() => void restore()),
    })
  }

  // History

  /** Loads the newest events of one alert, or of all (null). */
  async loadHistory(of: string | null): Promise<void> {
    this.historyOf = of
    await this.#page(of, null)
  }
  async moreHistory(): Promise<void> {
    const oldest = this.history.at(-1)
    if (oldest !== undefined) await this.#page(this.historyOf, oldest.id)
  }
  async #page(alert: string | null, before: number | null): Promise<void> {
    if (this.isDryRun) return
    const asked = ++this.#asked
    const result = await this.#transport.invoke('alerts.history', { alert, before, limit: HISTORY_PAGE })
    if (asked !== this.#asked) return
    if (!result.ok) return this.#hooks.failed(result.error)
    const { events, more } = result.value
    this.history = before === null ? events : [...this.history, ...events]
    this.historyMore = more
  }
  async clearHistory(): Promise<void> {
    const result = await this.#transport.invoke('alerts.clearHistory', {})
    if (!result.ok) return this.#hooks.failed(result.error)
    this.history = []
    this.historyMore = false
  }

  // Tests on a stored session

  async startTest(
    draft: AlertDraft,
    session: string,
    fromMs: number | null,
    toMs: number | null,
  ): Promise<JobId | Failure> {
    const result = await this.#transport.invoke('alerts.test', { alert: draft, session, fromMs, toMs })
    return result.ok ? result.value : result.error
  }

  close(): void {
    this.#stop()
  }
}

/** The result of a job of kind `alert`. */
export const testOf = (result: unknown): AlertTest => result as AlertTest // the contract of `alerts.test` says so
