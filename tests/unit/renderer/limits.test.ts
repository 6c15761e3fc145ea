/** What a window keeps while it stays open for weeks: each list holds what its limit says and no more. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makePrint } from '../../kit/market.ts'
import { TestTransport } from '../../kit/transport.ts'
import { Log } from '../../../src/renderer/core/window/log.svelte.ts'
import { ReadMarks } from '../../../src/renderer/features/research/company/read-marks.svelte.ts'
import { Tape } from '../../../src/renderer/features/tape/tape.svelte.ts'
import { Toasts } from '../../../src/renderer/ui/toasts.svelte.ts'
import { instrumentId, unixMs } from '../../../src/shared/base/units.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
})
const times = (n: number, run: (i: number) => void): void => {
  for (let i = 0; i < n; i++) run(i)
}

/** What is held after so many were put in. */
interface Limit {
  readonly what: string
  readonly most: number
  readonly held: (put: number) => number
}

/** A tape that follows BTC-USD, and the next trade of it. */
function openTape() {
  const transport = new TestTransport()
  const one = new Tape(transport, (run) => run())
  one.follow('live', BTC)
  let seq = 0
  const trade = (size = 1) =>
    transport.send('tape', { reset: null, prints: [makePrint(++seq, { size })], skipped: 0, decimals: 2 })
  return { one, trade }
}

const tape = (prepare: (tape: Tape) => void) => (put: number) => {
  const { one, trade } = openTape()
  prepare(one)
  times(put, () => trade())
  one.toggle()
  one.toggle()
  const { count } = one
  one.close()
  return count
}

/** A log whose stream is fed by hand. */
function log(frame: (run: () => void) => void) {
  const transport = new TestTransport()
  const one = new Log(transport, frame)
  const put = (n: number) =>
    times(n, (i) => {
      const entry = { id: i + 1, atMs: unixMs(i), level: 'info', from: 'x', text: 'x', detail: '' } as const
      transport.send('log', { entries: [entry], dropped: 0 })
    })
  return { one, put }
}

const LIMITS: readonly Limit[] = [
  { what: 'prints of a tape', most: 2_000, held: tape(() => undefined) },
  { what: 'prints of a tape held still', most: 2_000, held: tape((one) => one.pause('hover')) },
  {
    what: 'lines of the log',
    most: 2_000,
    held(put) {
      const { one, put: feed } = log((run) => run())
      feed(put)
      return one.entries.length
    },
  },
  {
    what: 'messages that were shown',
    most: 30,
    held(put) {
      const toasts = new Toasts(() => 0)
      times(put, (i) => toasts.show(String(i)))
      return toasts.told.length
    },
  },
  {
    what: 'stories that were read',
    most: 2_000,
    held(put) {
      let kept = '[]'
      const marks = new ReadMarks({ getItem: () => kept, setItem: (_key, text) => (kept = text) })
      times(10, (lot) => marks.add(Array.from({ length: Math.ceil(put / 10) }, (_, i) => `${lot} ${i}`)))
      return (JSON.parse(kept) as string[]).length
    },
  },
]

describe.each(LIMITS)('$what', ({ most, held }) => {
  test(`are ${most} at most, and at least half of that`, () => {
    const count = held(Math.ceil(most * 2.2))
    expect(count).toBeLessThanOrEqual(most)
    expect(count).toBeGreaterThanOrEqual(most / 2 - 1)
  })
})

test('messages on screen are three at most', () => {
  const toasts = new Toasts(() => 0)
  times(50, (i) => toasts.show(String(i)))
  expect(toasts.list.length).toBeLessThanOrEqual(3)
})

test('a hidden window holds the newest lines of the log, however many come before its next frame', () => {
  const frames: (() => void)[] = []
  const { one, put } = log((run) => frames.push(run))
  const push = vi.spyOn(Array.prototype, 'slice')
  put(10_000)
  expect(frames).toHaveLength(1)
  const longest = Math.max(...push.mock.results.map(({ value }) => (Array.isArray(value) ? value.length : 0)))
  push.mockRestore()
  expect(longest).toBe(2_000)
  frames[0]()
  expect(one.entries.map(({ id }) => id)).toEqual(Array.from({ length: 2_000 }, (_, i) => 8_001 + i))
})

test.each([false, true])('a tape forgets the prints beyond its limit, held still: %s', (still) => {
  const { one, trade } = openTape()
  if (still) one.pause('key')
  times(100, () => trade(500))
  times(6_000, () => trade(1))
  // Only the first ones pass this filter.
  one.setMinSize(400)
  expect(one.count).toBe(0)
  one.close()
})
