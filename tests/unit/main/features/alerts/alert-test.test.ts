/** An alert on a part of a recording: what it tells is what it tells of the whole. */
import { expect, test } from 'vitest'
import { quietDraft } from '../../../../../benchmarks/quiet-alert.ts'
import { testAlert } from '../../../../../src/main/features/alerts/alert-test.ts'
import type { AlertDraft } from '../../../../../src/shared/features/alerts/types.ts'
import type { Interval } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { recorded } from '../export/recorded.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'

const symbols = ['BTC-USD']

/** A minute and a half of trades that wander, each received up to a seventh of a second after it happened. */
function market(): Item[] {
  const feed = 'crypto/XT'
  const items: Item[] = [
    { entry: { type: 'connecting', feed, conn: 1 }, wallMs: T0 },
    { entry: { type: 'connected', feed, conn: 1 }, wallMs: T0 },
    { entry: { type: 'subscribe', feed, conn: 1, symbols }, wallMs: T0 },
    { entry: { type: 'acknowledged', feed, conn: 1, symbols }, wallMs: T0 },
    { entry: { type: 'state', feed, conn: 1, state: 'open' }, wallMs: T0 },
  ]
  let random = 7
  const next = (most: number): number => (random = (random * 48_271) % 2_147_483_647) % most
  let eventMs = T0 + 100
  let recvMs = eventMs
  let cents = 10_000
  while (eventMs < T0 + 90_000) {
    eventMs += 5 + next(60)
    // Within its second: a bar that the clock closed takes no more, though the store has it.
    recvMs = Math.max(recvMs, Math.min(eventMs + 20 + next(120), Math.floor(eventMs / 1_000) * 1_000 + 999))
    cents += next(41) - 20
    items.push({ conn: 1, data: tradeText('BTC-USD', (cents / 100).toFixed(2), 1, eventMs), recvMs })
  }
  return items
}

const draft = (interval: Interval): AlertDraft =>
  quietDraft(
    instrumentId('crypto', 'BTC-USD'),
    {
      is: 'indicator',
      of: 'trade',
      interval,
      // Of highs and lows: a bar of which a part is missing gives another number.
      line: { id: 'sma', values: [4], price: 'hl2', output: 0 },
      against: { is: 'price' },
      direction: 'down',
      on: 'close',
    },
    { repeat: { restMs: 1_000, backPercent: 0 } },
  )

test.each(['100ms', '250ms', '1s'] as const)('bars of %s are whole from the first on', async (interval) => {
  const store = await recorded([market()])
  const run = (fromMs: number | null, toMs: number | null, repeat = draft(interval).repeat) =>
    testAlert({
      reader: store.reader,
      draft: { ...draft(interval), repeat },
      session: store.sessions[0],
      fromMs,
      toMs,
      drawings: () => [],
      turnMs: 50,
      realMs: () => performance.now(),
      signal: new AbortController().signal,
      progress: () => undefined,
    })
  const whole = await run(null, null)
  // Those before which it did not rest, however early the test began.
  const clear = whole.listed.filter(({ atMs }, i) => i > 0 && atMs - whole.listed[i - 1].atMs > 4_500)
  const tested = (clear.length > 0 ? clear : whole.listed.slice(0, 1)).slice(0, 6)
  expect(tested.length).toBeGreaterThan(0)
  for (const one of tested) {
    for (const before of [30, 120, 210]) {
      const part = await run(one.atMs - before, one.atMs + 1)
      expect(part.listed).toEqual([one])
    }
  }
  // Once: the first of the range, whatever it would have fired at before.
  const [first, second] = whole.listed
  expect((await run(null, null, null)).listed).toEqual([first])
  const later = await run(first.atMs + 1, null, null)
  expect(later.listed).toHaveLength(1)
  expect(later.listed[0].atMs).toBeGreaterThan(first.atMs)
  expect(later.listed[0].atMs).toBeLessThanOrEqual(second.atMs)
  await store.close()
})

test('a formula fires in a session where figures computed by hand cross its level', async () => {
  const items = market()
  const store = await recorded([items])
  // The last price of each second, by the times of the trades.
  const closes = new Map<number, number>()
  for (const item of items) {
    if (!('data' in item)) continue
    const [trade] = [JSON.parse(String(item.data))].flat() as readonly { readonly p: number; readonly t: number }[]
    closes.set(Math.floor(trade.t / 1_000), trade.p)
  }
  const prices = [...closes.values()]
  /** The close over the lowest of five, in percent of the mean of five. */
  const byHand = prices.map((close, i) => {
    const five = prices.slice(i - 4, i + 1)
    return i < 4 ? NaN : ((close - Math.min(...five)) / (five.reduce((sum, one) => sum + one) / 5)) * 100
  })
  const level = 0.5
  const expected = byHand.filter((value, i) => byHand[i - 1] < level && value >= level)
  expect(expected.length).toBeGreaterThan(3)

  const text = 'n = input("Length", 20)\nplot("Lift", (close - lowest(close, n)) / sma(close, n) * 100)'
  const tested = await testAlert({
    reader: store.reader,
    draft: quietDraft(
      instrumentId('crypto', 'BTC-USD'),
      {
        is: 'indicator',
        of: 'trade',
        interval: '1s',
        line: { id: 'formula', name: '', text, values: [5], output: 0 },
        against: { is: 'level', level },
        direction: 'up',
        on: 'close',
      },
      { repeat: { restMs: 1_000, backPercent: 0 } },
    ),
    session: store.sessions[0],
    fromMs: null,
    toMs: null,
    drawings: () => [],
    turnMs: 50,
    realMs: () => performance.now(),
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(tested.listed).toHaveLength(expected.length)
  for (const [i, { value }] of tested.listed.entries()) expect(Math.abs(value - expected[i])).toBeLessThan(1e-9)
  await store.close()
})
