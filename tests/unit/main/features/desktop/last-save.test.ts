import { afterEach, expect, it, vi } from 'vitest'
import { createLastSave } from '../../../../../src/main/features/desktop/last-save.ts'

afterEach(() => vi.useRealTimers())

function ask(windows: number) {
  vi.useFakeTimers()
  const tell = vi.fn()
  const lastSave = createLastSave({ windows: () => windows, tell })
  const done = vi.fn()
  void lastSave.ask().then(done)
  return { lastSave, tell, done }
}

it('waits until every window has saved', async () => {
  const { lastSave, tell, done } = ask(2)
  expect([tell.mock.calls.length, lastSave.isAsked]).toEqual([1, true])
  lastSave.saved()
  await vi.advanceTimersByTimeAsync(100)
  expect(done).not.toHaveBeenCalled()
  lastSave.saved()
  await vi.advanceTimersByTimeAsync(0)
  expect(done).toHaveBeenCalled()
})

it('doesn’t wait long for a window that hangs, nor at all without windows', async () => {
  const { done } = ask(1)
  await vi.advanceTimersByTimeAsync(500)
  expect(done).toHaveBeenCalled()
  const none = ask(0)
  await vi.advanceTimersByTimeAsync(0)
  expect([none.done.mock.calls.length, none.tell.mock.calls.length]).toEqual([1, 0])
})
