/** The life of an active alert: it fires, rests, waits for its price to return, expires, is removed. */
import { nearestDecimal } from '../../../base/decimals.ts'
import type { EvaluatorListener, Fired } from './listener.ts'
import { attach, type AttachOptions } from './targets.ts'
import type { EvaluationContext } from './context.ts'
import type { Alert } from '../types.ts'
import type { LevelItem, Run, Watch } from './watch.ts'

export interface FiringOptions {
  readonly context: EvaluationContext
  readonly listener: EvaluatorListener
  readonly attachOptions: AttachOptions
  /** Called when an alert is no longer evaluated: it fired for the only time, expired or was removed. */
  readonly onRemoved: (run: Run) => void
}

export class Firing {
  readonly #context: EvaluationContext
  readonly #listener: EvaluatorListener
  readonly #onRemoved: (run: Run) => void
  readonly #runs = new Map<string, Run>()
  readonly #attachOptions: AttachOptions
  /** The alerts that expire, the next one last; null after one was added or removed. */
  #expiring: Run[] | null = null

  constructor({ context, listener, attachOptions, onRemoved }: FiringOptions) {
    this.#context = context
    this.#listener = listener
    this.#onRemoved = onRemoved
    this.#attachOptions = attachOptions
  }

  get size(): number {
    return this.#runs.size
  }
  run(id: string): Run | undefined {
    return this.#runs.get(id)
  }

  put(alert: Alert, watch: Watch): Run {
    const run: Run = {
      alert,
      watch,
      restUntilMs: restOf(alert),
      snoozedMs: alert.snoozedMs ?? -Infinity,
      isAwaitingReturn: false,
      firedOf: alert.firedOf,
      isReported: false,
      release: () => undefined,
    }
    run.release = attach(run, this.#attachOptions)
    // The current price is unknown and may have returned meanwhile.
    if (mustReturn(alert) && (alert.away ?? null) !== null) this.#awaitReturn(run, alert.away === 'up', true)
    watch.runs.add(run)
    this.#runs.set(alert.id, run)
    if (alert.expiresMs !== null) this.#expiring = null
    return run
  }

  remove(id: string): void {
    const run = this.#runs.get(id)
    if (run === undefined) return
    run.release()
    this.#runs.delete(id)
    if (run.alert.expiresMs !== null) this.#expiring = null
    run.watch.runs.delete(run)
    this.#onRemoved(run)
  }

  /** Returns whether it fired: not while it rests or is snoozed, nor after it expired. */
  fire(run: Run, value: number, before: number | null, of: string | null = null, away: Fired['away'] = null): boolean {
    const { alert, watch } = run
    const { nowMs: atMs, eventMs } = this.#context
    if (alert.expiresMs !== null && atMs >= alert.expiresMs) {
      this.#expire(run)
      return false
    }
    if (atMs < run.restUntilMs || atMs < run.snoozedMs) return false
    if (alert.repeat === null) this.remove(alert.id)
    else run.restUntilMs = atMs + alert.repeat.restMs
    run.firedOf = of
    this.#listener.fired({ alert, atMs, eventMs: Number.isNaN(eventMs) ? null : eventMs, value, before, of, away })
    this.#listener.changed(watch)
    return true
  }

  /** The clock was set: rests keep their remaining duration. */
  moveRests(byMs: number): void {
    for (const run of this.#runs.values()) run.restUntilMs += byMs
  }

  expireDue(): void {
    const expiry = (run: Run): number => run.alert.expiresMs ?? Infinity
    this.#expiring ??= [...this.#runs.values()]
      .filter((run) => run.alert.expiresMs !== null)
      .sort((a, b) => expiry(b) - expiry(a))
    const due: Run[] = []
    for (let at = this.#expiring.length - 1; at >= 0 && expiry(this.#expiring[at]) <= this.#context.nowMs; at -= 1) {
      due.push(this.#expiring[at])
    }
    for (const run of due) this.#expire(run)
  }

  /** The current value crossed a level. */
  readonly crossed = (item: LevelItem, up: boolean, before: number): void => {
    const { run, direction, role } = item
    if (role === 'back') {
      this.#rearm(run)
      return
    }
    if (direction !== 'either' && (direction === 'up') !== up) return
    const known = run.alert.condition.is === 'price' ? before : null
    const away = !mustReturn(run.alert) ? null : up ? 'up' : 'down'
    if (!this.fire(run, this.#context.value, known, null, away)) return
    if (away !== null && this.#runs.get(run.alert.id) === run) this.#awaitReturn(run, up, false)
  }

  /** The current value is beyond a level that it hadn't reached before the suspension. */
  readonly unseen = (item: LevelItem, up: boolean, lost: number): void => {
    const { run, direction, role } = item
    if (role === 'back') this.#rearm(run)
    else if ((direction === 'either' || (direction === 'up') === up) && this.#context.nowMs >= run.snoozedMs) {
      this.#listener.unseen(run.alert, this.#context.nowMs, this.#context.value, lost)
    }
  }

  readonly linesCrossed = (run: Run, _up: boolean, value: number, before: number): void => {
    this.fire(run, value, before)
  }

  #expire(run: Run): void {
    const { alert, watch } = run
    this.remove(alert.id)
    this.#listener.expired(alert, alert.expiresMs ?? this.#context.nowMs)
    this.#listener.changed(watch)
  }

  /**
   * Replaces the alert's level with the one where the price has returned. `maybeReturned`: it may have done so already.
   */
  #awaitReturn(run: Run, up: boolean, maybeReturned: boolean): void {
    const { condition, repeat } = run.alert
    if (condition.is !== 'price' || repeat === null) return
    run.release()
    const { index } = run.watch.chains[condition.of]
    const away = (percent: number): number => nearestDecimal((condition.level * (100 + percent)) / 100)
    const backs: LevelItem[] = []
    if (up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: away(-repeat.backPercent), direction: 'down' })
    }
    if (!up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: away(repeat.backPercent), direction: 'up' })
    }
    for (const back of backs) {
      if (maybeReturned) index.expect(back.level, back, back.direction === 'up')
      else index.add(back.level, back)
    }
    run.release = () => {
      for (const back of backs) index.remove(back.level, back)
    }
    run.isAwaitingReturn = true
  }

  #rearm(run: Run): void {
    if (!run.isAwaitingReturn) return
    run.release()
    run.isAwaitingReturn = false
    run.release = attach(run, this.#attachOptions)
    this.#listener.rearmed(run.alert)
    this.#listener.changed(run.watch)
  }
}

/** Whether the price has to return before the alert fires again. */
const mustReturn = ({ condition, repeat }: Alert): boolean =>
  condition.is === 'price' && repeat !== null && repeat.backPercent > 0

/** The rest that a saved alert is in. */
const restOf = ({ repeat, firedMs }: Alert): number =>
  repeat === null || firedMs === null ? -Infinity : firedMs + repeat.restMs
