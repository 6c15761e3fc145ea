import { flushSync, untrack } from 'svelte'
import { expect, it } from 'vitest'
import { largeTrades } from '../../../../../src/renderer/features/tape/large-trades.svelte.ts'
import type { LargeTrades } from '../../../../../src/shared/core/views/contract.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const DAY = 86_400_000
/** Of the first day: two trades, the larger one received late, an hour into the next day. */
const at = (clockMs: number): LargeTrades => {
  const [size, knownMs] = clockMs < DAY + 3_600_000 ? [2, DAY - 1_000] : [900, DAY + 3_600_000]
  const trades = size === 2 ? 1 : 2
  return { size, trades, isWhole: true, fromMs: unixMs(0), toMs: unixMs(DAY), knownMs: unixMs(knownMs) }
}

it('is read again where a replay goes back before what it was made of, and only there', async () => {
  let clockMs = $state(DAY + 7_200_000)
  let asked = 0
  const transport = new TestTransport().answer('tape.large', () => {
    asked++
    return untrack(() => at(clockMs))
  })
  const app = {
    transport,
    view: 'replay-1',
    get clockMs() {
      return clockMs
    },
  }
  const subject = { instrument: instrumentId('crypto', 'BTC-USD'), asset: 'crypto' as const }
  let large: { readonly now: LargeTrades | null } = { now: null }
  const stop = $effect.root(() => {
    large = largeTrades(() => app, subject)
  })
  const settle = async () => {
    flushSync()
    await new Promise((resolve) => setTimeout(resolve))
    flushSync()
  }
  await settle()
  expect([large.now?.size, asked]).toEqual([900, 1])
  clockMs = DAY + 3_700_000
  await settle()
  expect([large.now?.size, asked], 'still after both trades').toEqual([900, 1])
  clockMs = DAY + 60_000
  flushSync()
  expect(large.now, 'until it is read').toBeNull()
  await settle()
  expect([large.now?.size, asked]).toEqual([2, 2])
  clockMs = DAY + 90_000
  await settle()
  expect(asked).toBe(2)
  clockMs = 2 * DAY + 1
  await settle()
  expect(asked, 'another day').toBe(3)
  stop()
})
