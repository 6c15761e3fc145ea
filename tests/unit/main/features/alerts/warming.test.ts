import { expect, test } from 'vitest'
import { createWarming } from '../../../../../src/main/features/alerts/warming.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { alertOf, BTC, rig, smaBelowPrice, T0 } from '../../../shared/features/alerts/harness.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const sma = smaBelowPrice(3)
const bar = (n: number, close: number) => makeBar({ startMs: T0 + n * MINUTE, close })
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** An alert on an indicator in a store that fails until it is mended. */
function failing() {
  const alert = alertOf(sma)
  const r = rig([alert])
  const store: { broken: boolean; asked: number; stored: readonly Bar[] } = { broken: true, asked: 0, stored: [] }
  const told: unknown[] = []
  const warming = createWarming({
    evaluator: () => r.evaluator,
    bars() {
      store.asked += 1
      return store.broken ? Promise.reject(new Error('SQLITE_IOERR')) : Promise.resolve(store.stored)
    },
    failed: (thrown) => told.push(thrown),
  })
  const sweeps = async (count: number) => {
    for (let i = 0; i < count; i++) warming.sweep()
    await settled()
  }
  return { alert, r, store, told, warming, sweeps }
}

test('bars that could not be read are asked for again, and the indicator is warm by them', async () => {
  const { alert, r, store, told, warming, sweeps } = failing()
  warming.ask(BTC, 'trade', '1m')
  await settled()
  r.trade(3 * MINUTE, 70)
  expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
  await sweeps(20)
  expect(store.asked).toBe(3)
  expect(told).toHaveLength(1)
  store.broken = false
  store.stored = [bar(0, 100), bar(1, 90), bar(2, 80)]
  await sweeps(10)
  expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
  // As it would be had the store been whole: the mean falls below a close that jumps.
  r.trade(4 * MINUTE, 200)
  r.trade(5 * MINUTE, 200)
  expect(r.told).toEqual([`fired ${5 * MINUTE}: 80 116.6667`])
  await sweeps(30)
  expect(store.asked).toBe(4)
})

test('where the store stays as it is, the indicator warms up by what is received', async () => {
  const { alert, r, warming, sweeps } = failing()
  warming.ask(BTC, 'trade', '1m')
  await settled()
  for (const [n, price] of [100, 90, 80, 70].entries()) {
    r.trade(n * MINUTE, price)
    await sweeps(10)
  }
  expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
  r.trade(4 * MINUTE, 200)
  r.trade(5 * MINUTE, 200)
  expect(r.told).toHaveLength(1)
})

test('what nobody waits for any more is not asked for', async () => {
  const { alert, r, store, warming, sweeps } = failing()
  warming.ask(BTC, 'trade', '1m')
  await settled()
  r.evaluator.remove(alert.id)
  await sweeps(10)
  await sweeps(30)
  expect(store.asked).toBe(2)
})

test('a failure of another source comes too late', async () => {
  const { alert, r, store, told, warming, sweeps } = failing()
  warming.ask(BTC, 'trade', '1m')
  warming.forget()
  await settled()
  expect(told).toEqual([])
  expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
  await sweeps(30)
  expect(store.asked).toBe(1)
})

test('an answer of another source comes too late', async () => {
  const { alert, r, store, warming } = failing()
  store.broken = false
  store.stored = [bar(0, 100), bar(1, 90), bar(2, 80)]
  warming.ask(BTC, 'trade', '1m')
  warming.forget()
  await settled()
  expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
})
