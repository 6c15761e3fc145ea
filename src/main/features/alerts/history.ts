/** The alert history: a bounded list that drops the oldest events first. */
import { MAX_EVENTS, type AlertEvent } from '../../../shared/features/alerts/types.ts'
import type { AlertHistory } from '../../../shared/features/alerts/contract.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

export type NewEvent = AlertEvent extends infer E ? (E extends AlertEvent ? Omit<E, 'id'> : never) : never

export interface History {
  /** Oldest first. */
  readonly events: readonly AlertEvent[]
  add(event: NewEvent): AlertEvent
  /** Replaces an event that is still in the list. */
  replace(event: AlertEvent): void
  clear(): void
  /** Newest first. For one alert: its own events, and suspensions of its `instrument` since `sinceMs`. */
  page(
    of: { readonly alert: string; readonly instrument: InstrumentId | null; readonly sinceMs: number } | null,
    before: number | null,
    limit: number,
  ): AlertHistory
}

/** Starts with the saved events, oldest first. */
export function createHistory(saved: readonly AlertEvent[]): History {
  let events = [...saved]
  let next = events.reduce((most, { id }) => Math.max(most, id), 0) + 1
  return {
    get events() {
      return events
    },
    add(event) {
      const made: AlertEvent = { ...event, id: next++ }
      events.push(made)
      // Trim in steps, so the list isn't copied each time.
      if (events.length > MAX_EVENTS * 1.1) events = events.slice(-MAX_EVENTS)
      return made
    },
    replace(event) {
      const at = events.findLastIndex(({ id }) => id === event.id)
      if (at >= 0) events[at] = event
    },
    clear() {
      events = []
    },
    page(of, before, limit) {
      const found: AlertEvent[] = []
      for (let at = events.length - 1; at >= 0; at -= 1) {
        const event = events[at]
        if (before !== null && event.id >= before) continue
        if (of !== null) {
          const mine =
            event.is === 'blind'
              ? of.instrument !== null && event.instruments.includes(of.instrument) && event.atMs >= of.sinceMs - 1
              : event.alert === of.alert
          if (!mine) continue
        }
        if (found.length === limit) return { events: found, more: true }
        found.push(event)
      }
      return { events: found, more: false }
    },
  }
}
