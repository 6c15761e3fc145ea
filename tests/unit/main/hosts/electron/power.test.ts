import { EventEmitter } from 'node:events'
import type { PowerMonitor } from 'electron'
import { describe, expect, test, vi } from 'vitest'
import { followPower, followSessionEnd } from '../../../../../src/main/hosts/electron/power.ts'

test('sleep, waking and the end of Linux and macOS, which is held until we are gone', () => {
  const monitor = new EventEmitter()
  const did: string[] = []
  followPower(
    monitor as unknown as PowerMonitor, // as much of it as is listened to
    { sleep: () => did.push('sleep'), wake: () => did.push('wake') },
    () => did.push('end'),
  )
  monitor.emit('suspend')
  monitor.emit('resume')
  const preventDefault = vi.fn()
  monitor.emit('shutdown', { preventDefault })
  expect(did).toEqual(['sleep', 'wake', 'end'])
  expect(preventDefault).toHaveBeenCalledOnce()
})

describe('the end of a session of Windows', () => {
  class FakeWindow extends EventEmitter {
    visible = true
    isVisible(): boolean {
      return this.visible
    }
  }
  const told = (holds: boolean, visible = true) => {
    const window = new FakeWindow()
    window.visible = visible
    const end = vi.fn()
    followSessionEnd(window, () => holds, end)
    const preventDefault = vi.fn()
    window.emit('query-session-end', { preventDefault, reasons: ['shutdown'] })
    return { window, end, held: preventDefault.mock.calls.length > 0 }
  }
  test('ends the recording at the first word of it, and is held meanwhile', () => {
    const { end, held } = told(true)
    expect(end).toHaveBeenCalledOnce()
    expect(held).toBe(true)
  })
  test('is not held where nothing records, nor where Windows would kill for it', () => {
    for (const { end, held } of [told(false), told(true, false)]) {
      expect(end).toHaveBeenCalledOnce()
      expect(held).toBe(false)
    }
  })
  test('is heard also when it comes at once', () => {
    const { window, end } = told(false)
    window.emit('session-end', { reasons: ['critical'] })
    expect(end).toHaveBeenCalledTimes(2)
  })
})
