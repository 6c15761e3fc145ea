import { expect, it } from 'vitest'
import type { FlowHistory } from '../../../../../../src/main/core/market/flow/flow-follower.ts'
import { largeSize, readLargeTrades } from '../../../../../../src/main/core/market/flow/large-trades.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'

it('finds the size that 99.5 % of a day’s trades don’t exceed', () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => ((i * 7) % n) + 1)
  expect([1, 100, 200, 201, 1_000].map((n) => largeSize(upTo(n)))).toEqual([1, 100, 199, 200, 995])
  expect(largeSize([])).toBeNull()
})

it('says from when on it was known: a trade that arrived late wasn’t before', async () => {
  const DAY = 86_400_000
  const trades = [
    [DAY - 2_000, DAY - 1_990, 1],
    [DAY - 1_000, DAY + 10_000, 900],
    [DAY + 1_000, DAY + 1_010, 7],
  ] as const
  const history: FlowHistory = {
    flow(_, __, sink, toMs = Infinity) {
      trades.forEach(([eventMs, recvMs, size], i) => {
        if (recvMs <= toMs) sink.trade(i + 1, recvMs, eventMs, 10, size)
      })
      return Promise.resolve([])
    },
  }
  const read = (nowMs: number) => readLargeTrades(history, instrumentId('crypto', 'BTC-USD'), nowMs)
  expect(await read(DAY + 6_000)).toMatchObject({ size: 1, trades: 1, knownMs: DAY - 1_990 })
  expect(await read(DAY + 7_200_000)).toMatchObject({ size: 900, trades: 2, knownMs: DAY + 10_000 })
  expect(await read(5 * DAY)).toMatchObject({ size: null, knownMs: null })
})
