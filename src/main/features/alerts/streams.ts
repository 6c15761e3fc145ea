/** Streams of alerts: all of them once, then the changes. */
import type { StreamValue } from '../../../shared/contracts.ts'
import type { AlertEvent, AlertRow } from '../../../shared/features/alerts/types.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'

type Value = StreamValue<'alerts'>

/** The most events to queue for a window that doesn't read. */
const MAX_EVENTS_AT_ONCE = 200

interface Open {
  reset: boolean
  readonly changed: Set<string>
  readonly removed: Set<string>
  events: AlertEvent[]
  readonly wake: () => void
}

export interface AlertStreams {
  readonly count: number
  changed(ids: Iterable<string>): void
  removed(ids: Iterable<string>): void
  happened(event: AlertEvent): void
  /** Sends everything again. */
  reset(): void
  open(wake: () => void): StreamSource<Value>
}

/** `all`: every row. `row`: one of them, or undefined if it is gone. */
export function alertStreams(all: () => readonly AlertRow[], row: (id: string) => AlertRow | undefined): AlertStreams {
  const streams = new Set<Open>()
  const mark = (ids: Iterable<string>, now: 'changed' | 'removed', before: 'changed' | 'removed'): void => {
    const list = [...ids]
    for (const one of streams) {
      for (const id of list) {
        one[now].add(id)
        one[before].delete(id)
      }
      one.wake()
    }
  }
  return {
    get count() {
      return streams.size
    },
    changed: (ids) => mark(ids, 'changed', 'removed'),
    removed: (ids) => mark(ids, 'removed', 'changed'),
    happened(event) {
      for (const one of streams) {
        one.events.push(event)
        if (one.events.length > MAX_EVENTS_AT_ONCE) one.events.shift()
        one.wake()
      }
    },
    reset() {
      for (const one of streams) {
        one.reset = true
        one.wake()
      }
    },
    open(wake) {
      const one: Open = { reset: true, changed: new Set(), removed: new Set(), events: [], wake }
      streams.add(one)
      return {
        take() {
          const { reset, events } = one
          if (!reset && events.length === 0 && one.changed.size === 0 && one.removed.size === 0) return undefined
          const alerts = reset ? all() : [...one.changed].flatMap((id) => row(id) ?? [])
          const removed = reset ? [] : [...one.removed]
          one.reset = false
          one.events = []
          one.changed.clear()
          one.removed.clear()
          return { reset, alerts, removed, events }
        },
        close: () => streams.delete(one),
      }
    },
  }
}
