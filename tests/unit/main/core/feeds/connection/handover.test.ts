import { expect, test } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { createTurn, TURN_NS } from '../../../../../../src/main/core/feeds/connection/handover.ts'

test('a turn is overspent once its reads have taken longer than the limit, and the next one begins anew', async () => {
  const turn = createTurn(systemClock)
  expect(turn.overspent(1_000)).toBe(false)
  expect(turn.overspent(1_000 + TURN_NS)).toBe(false)
  expect(turn.overspent(1_001 + TURN_NS)).toBe(true)
  expect(turn.overspent(1_002 + TURN_NS)).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(turn.overspent(1_003 + TURN_NS)).toBe(false)
})
