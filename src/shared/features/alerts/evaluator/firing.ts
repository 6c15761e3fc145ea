/** What becomes of an alert that is watched: it fires, rests, waits for its price to go back, expires, is taken away. */
import type { EvaluatorListener, Fired } from './last-value.ts'
import { place, type Places } from './targets.ts'
import type { Moment } from './instant.ts'
import type { Alert } from '../types.ts'
import type { LevelItem, Run, Watch } from './condition.ts'

export interface FiringOptions {
  readonly moment: Moment
  readonly listener: EvaluatorListener
  readonly places: Places
  /** An alert is watched no more: it fired for the only time, expired or was taken away. */
  readonly gone: (run: Run) => void
}

export class Firing {
  readonly #moment: Moment
  readonly #listener: EvaluatorListener
  readonly #gone: (run: Run) => void
  readonly #runs = new Map<string, Run>()
  readonly #places: Places
  /** Those that expire, the next one last; taken anew when one came or went. */
  #expiring: Run[] | null = null

  constructor({ moment, listener, places, gone }: FiringOptions) {
    this.#moment = moment
    this.#listener = listener
    this.#gone = gone
    this.#places = places
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
      away: false,
      firedOf: alert.firedOf,
      told: false,
      release: () => undefined,
    }
    run.release = place(run, this.#places)
    // Where the price stands now is not known: it may have gone back meanwhile.
    if (mustGoBack(alert) && (alert.away ?? null) !== null) this.#goAway(run, alert.away === 'up', true)
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
    this.#gone(run)
  }

  /** Answers whether it fired: not when it rests, is put off or its time is over. */
  fire(run: Run, value: number, before: number | null, of: string | null = null, away: Fired['away'] = null): boolean {
    const { alert, watch } = run
    const { nowMs: atMs, eventMs } = this.#moment
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

  /** The clock was set by so much: who rests goes on for as long as was left. */
  moveRests(byMs: number): void {
    for (const run of this.#runs.values()) run.restUntilMs += byMs
  }

  expireDue(): void {
    const expiry = (run: Run): number => run.alert.expiresMs ?? Infinity
    this.#expiring ??= [...this.#runs.values()]
      .filter((run) => run.alert.expiresMs !== null)
      .sort((a, b) => expiry(b) - expiry(a))
    const due: Run[] = []
    for (let at = this.#expiring.length - 1; at >= 0 && expiry(this.#expiring[at]) <= this.#moment.nowMs; at -= 1) {
      due.push(this.#expiring[at])
    }
    for (const run of due) this.#expire(run)
  }

  /** The moment's value crossed a level. */
  readonly crossed = (item: LevelItem, up: boolean, before: number): void => {
    const { run, direction, role } = item
    if (role === 'back') {
      this.#armAgain(run)
      return
    }
    if (direction !== 'either' && (direction === 'up') !== up) return
    const known = run.alert.condition.is === 'price' ? before : null
    const away = !mustGoBack(run.alert) ? null : up ? 'up' : 'down'
    if (!this.fire(run, this.#moment.value, known, null, away)) return
    if (away !== null && this.#runs.get(run.alert.id) === run) this.#goAway(run, up, false)
  }

  /** The moment's value is beyond a level that it had not reached when sight was lost. */
  readonly unseen = (item: LevelItem, up: boolean, lost: number): void => {
    const { run, direction, role } = item
    if (role === 'back') this.#armAgain(run)
    else if ((direction === 'either' || (direction === 'up') === up) && this.#moment.nowMs >= run.snoozedMs) {
      this.#listener.unseen(run.alert, this.#moment.nowMs, this.#moment.value, lost)
    }
  }

  readonly linesCrossed = (run: Run, _up: boolean, value: number, before: number): void => {
    this.fire(run, value, before)
  }

  #expire(run: Run): void {
    const { alert, watch } = run
    this.remove(alert.id)
    this.#listener.expired(alert, alert.expiresMs ?? this.#moment.nowMs)
    this.#listener.changed(watch)
  }

  /** A price that must go back leaves its level until then. `met`: it may have gone back already. */
  #goAway(run: Run, up: boolean, met: boolean): void {
    const { condition, repeat } = run.alert
    if (condition.is !== 'price' || repeat === null) return
    run.release()
    const { index } = run.watch.chains[condition.of]
    const by = (condition.level * repeat.backPercent) / 100
    const backs: LevelItem[] = []
    if (up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: condition.level - by, direction: 'down' })
    }
    if (!up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: condition.level + by, direction: 'up' })
    }
    for (const back of backs) {
      if (met) index.expect(back.level, back, back.direction === 'up')
      else index.add(back.level, back)
    }
    run.release = () => {
      for (const back of backs) index.remove(back.level, back)
    }
    run.away = true
  }

  #armAgain(run: Run): void {
    if (!run.away) return
    run.release()
    run.away = false
    run.release = place(run, this.#places)
    this.#listener.back(run.alert)
    this.#listener.changed(run.watch)
  }
}

/** Whether the price has to go back before the alert fires again. */
const mustGoBack = ({ condition, repeat }: Alert): boolean =>
  condition.is === 'price' && repeat !== null && repeat.backPercent > 0

/** The rest that an alert was in when it was kept. */
const restOf = ({ repeat, firedMs }: Alert): number =>
  repeat === null || firedMs === null ? -Infinity : firedMs + repeat.restMs
