import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followNetwork } from '../../../../../src/main/hosts/electron/network.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the network’s return is reported once, its loss isn’t, and nothing after closing', () => {
  let online = true
  const back = vi.fn()
  const end = followNetwork(() => online, back)
  vi.advanceTimersByTime(10_000)
  online = false
  vi.advanceTimersByTime(10_000)
  expect(back).not.toHaveBeenCalled()
  online = true
  vi.advanceTimersByTime(2_000)
  expect(back).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(10_000)
  online = false
  vi.advanceTimersByTime(2_000)
  end()
  online = true
  vi.advanceTimersByTime(10_000)
  expect(back).toHaveBeenCalledTimes(1)
})
