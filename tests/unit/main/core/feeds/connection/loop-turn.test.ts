import { expect, test } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { manualClock } from '../../../../../kit/clock.ts'
import { createLoopTurn, TURN_NS } from '../../../../../../src/main/core/feeds/connection/loop-turn.ts'

test('a turn is overspent once its reads have taken longer than the limit, and the next one starts over', async () => {
  const turn = createLoopTurn(systemClock)
  expect(turn.isOverspent(1_000)).toBe(false)
  expect(turn.isOverspent(1_000 + TURN_NS)).toBe(false)
  expect(turn.isOverspent(1_001 + TURN_NS)).toBe(true)
  expect(turn.isOverspent(1_002 + TURN_NS)).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(turn.isOverspent(1_003 + TURN_NS)).toBe(false)
})

test('messages of a read share a timestamp, which never precedes an entry that was written between them', async () => {
  const clock = manualClock(1_000)
  const turn = createLoopTurn(clock)
  expect(turn.arrived().wallMs).toBe(1_000)
  clock.advance(5)
  expect(turn.arrived().wallMs).toBe(1_000)
  expect(turn.now().wallMs).toBe(1_005)
  expect(turn.arrived().wallMs).toBe(1_005)
  await Promise.resolve()
  clock.advance(5)
  expect(turn.now().wallMs).toBe(1_010)
  clock.advance(5)
  expect(turn.arrived().wallMs).toBe(1_015)
})
