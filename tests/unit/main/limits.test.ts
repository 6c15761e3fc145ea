/** What grows with use, driven far past its limit: each holds what its limit says and no more. */
import { describe, expect, test } from 'vitest'
import { createHistory } from '../../../src/main/features/alerts/history.ts'
import { hubCalendar } from '../../../src/main/core/market/hub-calendar.ts'
import { HubGaps } from '../../../src/main/core/market/hub-gaps.ts'
import { createHub } from '../../../src/main/core/market/hub.ts'
import { createSeries, MAX_SERIES_GAPS, SERIES_BARS, type BarSeries } from '../../../src/main/core/market/series.ts'
import { createTapeRing } from '../../../src/main/core/market/tape.ts'
import { SavedStates } from '../../../src/main/features/replay/saved-states.ts'
import { KIND, scratch } from '../../../src/service/codec.ts'
import { MAX_EVENTS } from '../../../src/shared/features/alerts/types.ts'
import { fixedGrid } from '../../../src/shared/core/market/bars.ts'
import { did, MAX_STEPS, NO_HISTORY as NO_STEPS } from '../../../src/shared/features/drawings/history.ts'
import { instrumentId, unixMs } from '../../../src/shared/base/units.ts'
import { noted, NO_HISTORY, undone } from '../../../src/shared/features/workspace/history.ts'
import { READY_NAMES } from '../../../src/shared/features/workspace/document.ts'
import { readyWorkspace } from '../../../src/shared/features/workspace/ready.ts'
import { at, drawing } from '../shared/features/drawings/samples.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const MINUTE = 60_000
const T0 = Date.UTC(2026, 0, 5)
const times = (n: number, run: (i: number) => void): void => {
  for (let i = 0; i < n; i++) run(i)
}
const series = (interval: '1m' | '1s' = '1m', ms = MINUTE): BarSeries =>
  createSeries({ instrument: BTC, of: 'trade', interval, feed: 'crypto/XT', grid: fixedGrid(ms), baseGrid: null })

/** What is held after so many were put in. */
interface Limit {
  readonly what: string
  readonly most: number
  readonly held: (put: number) => number
}

const LIMITS: readonly Limit[] = [
  {
    what: 'steps back of a layout',
    most: 50,
    held(put) {
      let history = NO_HISTORY
      const [a, b] = READY_NAMES.slice(0, 2).map((one) => readyWorkspace(one))
      times(put, (i) => (history = noted(history, i % 2 === 0 ? a : b, i % 2 === 0 ? b : a)))
      return history.past.length
    },
  },
  {
    what: 'steps forth of a layout',
    most: 50,
    held(put) {
      let history = NO_HISTORY
      const [a, b] = READY_NAMES.slice(0, 2).map((one) => readyWorkspace(one))
      times(put, (i) => (history = noted(history, i % 2 === 0 ? a : b, i % 2 === 0 ? b : a)))
      times(put, () => (history = undone(history, a)?.[0] ?? history))
      return history.future.length
    },
  },
  {
    what: 'steps back of drawings',
    most: MAX_STEPS,
    held(put) {
      let history = NO_STEPS
      const line = (price: number) => [drawing('horizontal', [at(T0, price)])]
      times(put, (i) => (history = did(history, line(i), line(i + 1), 'moved')))
      return history.past.length
    },
  },
  {
    what: 'prints of a tape',
    most: 100,
    held(put) {
      const ring = createTapeRing(100)
      times(put, (i) => ring.push(i + 1, T0, T0, 1, 1, 1))
      return ring.latest(Infinity).length
    },
  },
  {
    what: 'prints of a watched instrument',
    most: 2_048,
    held(put) {
      const hub = createHub({ calendar: hubCalendar })
      const { value } = hub.watchTape(BTC, { printed: () => undefined, reset: () => undefined })
      const record = { ...scratch(), kind: KIND.trade, symbol: 'BTC-USD', price: 1, size: 1, eventMs: T0 }
      times(put, (i) => hub.apply('crypto/XT', i + 1, unixMs(T0 + i), record))
      return value.latest(Infinity).length
    },
  },
  {
    what: 'gaps of a feed',
    most: 500,
    held(put) {
      const gaps = new HubGaps()
      times(put, (i) => {
        gaps.add({ feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + i * 10), toMs: null }, [])
        gaps.close('crypto/XT', unixMs(T0 + i * 10), unixMs(T0 + i * 10 + 5))
      })
      return gaps.spans('crypto/XT', BTC).length
    },
  },
  {
    what: 'bars of a series',
    most: SERIES_BARS * 1.1,
    held(put) {
      const bars = series()
      times(put, (i) => bars.record(T0 + i * MINUTE, T0 + i * MINUTE, i + 1, 1, 1))
      return bars.from(-Infinity).length
    },
  },
  {
    what: 'events of alerts',
    most: MAX_EVENTS * 1.1,
    held(put) {
      const history = createHistory([])
      times(put, (i) =>
        history.add({ is: 'expired', atMs: T0 + i, alert: 'a', instrument: BTC, title: '' } as unknown as Parameters<
          typeof history.add
        >[0]),
      ) // a history counts events and reads no part of them
      return history.events.length
    },
  },
  {
    what: 'snapshots of a replay',
    most: 48,
    held(put) {
      const kept = new SavedStates()
      const all: number[] = []
      times(put, (i) => {
        all.push(i)
        kept.add(i % 3, { seq: i, timeMs: i, lastMessageSeq: i, data: new Uint8Array(8) })
      })
      return all.filter((i) => kept.before(i % 3, i)?.seq === i).length
    },
  },
  {
    what: 'bytes of snapshots of a replay, in MiB',
    most: 64,
    held() {
      const kept = new SavedStates()
      const data = new Uint8Array(3 << 20)
      times(40, (i) => kept.add(0, { seq: i, timeMs: i, lastMessageSeq: i, data }))
      return Array.from({ length: 40 }, (_, i) => i).filter((i) => kept.before(0, i)?.seq === i).length * 3
    },
  },
]

describe.each(LIMITS)('$what', ({ most, held }) => {
  test(`are ${most} at most, and at least half of that`, () => {
    const count = held(Math.ceil(most * 3.3))
    expect(count).toBeLessThanOrEqual(most)
    expect(count).toBeGreaterThanOrEqual(most / 2 - 1)
  })
})

describe('gaps of a series beyond its limit', () => {
  const HOUR = 60 * MINUTE
  const hour = (i: number): number => T0 + i * HOUR
  const count = MAX_SERIES_GAPS + 10
  const bars = series()
  times(count, (i) => bars.addGap({ fromMs: hour(i), toMs: hour(i) + 1 }, 0))
  const completeAt = (ms: number, seq: number): boolean | undefined => {
    bars.record(ms, hour(count), seq, 1, 1)
    bars.record(hour(count), hour(count), seq + 1, 1, 1)
    return bars.from(-Infinity).find(({ startMs }) => startMs === ms)?.complete
  }

  test('are joined from the oldest on, with the time between them', () => {
    const live = series()
    live.record(hour(0), hour(0), 1, 1, 1)
    times(count, (i) => live.addGap({ fromMs: hour(i) + MINUTE, toMs: hour(i) + MINUTE + 1 }, 0))
    const complete = (ms: number, seq: number): boolean | undefined => {
      live.record(ms, ms, seq, 1, 1)
      return live.from(-Infinity).find(({ startMs }) => startMs === ms)?.complete
    }
    // Between the oldest, which are one by now; between later ones, which are told apart; in one.
    expect(complete(hour(5) + 10 * MINUTE, 2)).toBe(false)
    expect(complete(hour(count - 5) + 10 * MINUTE, 3)).toBe(true)
    expect(complete(hour(count - 5) + MINUTE, 4)).toBe(false)
  })

  test('stay gaps, all of them', () => {
    times(count, (i) => expect(completeAt(hour(i), 10 + i * 2), String(i)).toBe(false))
  })
})
