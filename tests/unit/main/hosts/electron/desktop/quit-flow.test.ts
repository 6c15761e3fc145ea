import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createLeaving, type LeavingOptions } from '../../../../../../src/main/hosts/electron/desktop/quit-flow.ts'
import type { QuitAnswer } from '../../../../../../src/main/hosts/electron/desktop/quit.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

class FakeWindow {
  gone = false
  close(): void {
    if (this.gone) throw new Error('Object has been destroyed')
    this.gone = true
  }
  isDestroyed(): boolean {
    return this.gone
  }
}

/** Electron's quitting: `before-quit`, and out unless that is prevented. */
function host(over: Partial<LeavingOptions> = {}) {
  const windows = [new FakeWindow()]
  const did: string[] = []
  const asked: boolean[] = []
  const answers: (QuitAnswer | Error)[] = []
  const quit = (): void => {
    const event = { preventDefault: vi.fn() }
    leaving.beforeQuit(event)
    if (event.preventDefault.mock.calls.length === 0) did.push('out')
  }
  const leaving = createLeaving({
    asks: () => true,
    ask: async (window) => {
      asked.push(window)
      const answer = answers.shift() ?? 'stay'
      if (answer instanceof Error) throw answer
      return answer
    },
    reachable: () => true,
    stays: () => true,
    windows: () => windows,
    show: () => did.push('show'),
    end: async () => void did.push('end'),
    ended: () => did.push('ended'),
    quit,
    log: (_level, text) => did.push(text),
    patienceMs: 10_000,
    ...over,
  })
  return { leaving, windows, did, asked, answers, quit }
}

describe('quitting', () => {
  test('asks once, ends the terminal once, and goes', async () => {
    const { did, asked, answers, quit } = host()
    answers.push('end')
    quit()
    quit()
    await turn()
    expect({ asked, did }).toEqual({ asked: [true], did: ['end', 'ended', 'out'] })
  })

  test('asks again after the user chose to stay', async () => {
    const { did, asked, answers, quit } = host()
    answers.push('stay', 'end')
    quit()
    await turn()
    expect(did).toEqual([])
    quit()
    await turn()
    expect(asked).toHaveLength(2)
    expect(did).toContain('out')
  })

  test('goes, and says why, though the question cannot be asked', async () => {
    const { did, answers, quit } = host()
    answers.push(new Error('no display'))
    quit()
    await turn()
    expect(did).toEqual(['Couldn’t ask before quitting', 'end', 'ended', 'out'])
  })

  test('does not ask where there is nothing to ask, nor who was asked by the system', async () => {
    const idle = host({ asks: () => false })
    idle.quit()
    const shutdown = host()
    shutdown.leaving.now()
    shutdown.quit()
    await turn()
    for (const { asked, did } of [idle, shutdown]) {
      expect(asked).toEqual([])
      expect(did).toContain('out')
    }
  })

  test('a terminal that fails to end, or does not, holds nobody', async () => {
    const failing = host({ asks: () => false, end: () => Promise.reject(new Error('disk')) })
    failing.quit()
    await turn()
    expect(failing.did).toEqual(['The terminal didn’t close cleanly', 'ended', 'out'])
    vi.useFakeTimers()
    try {
      const hanging = host({ asks: () => false, end: () => new Promise<void>(() => {}) })
      hanging.quit()
      await vi.advanceTimersByTimeAsync(9_999)
      expect(hanging.did).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(hanging.did).toEqual(['ended', 'out'])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('recording on without a window', () => {
  test('closes the windows that are there and no others', async () => {
    const { did, windows, answers, quit } = host()
    const gone = new FakeWindow()
    gone.gone = true
    windows.push(gone)
    answers.push('window')
    quit()
    await turn()
    expect(windows.every((one) => one.gone)).toBe(true)
    expect(did).toEqual([])
  })

  test('counts once, though the settings say that the last window ends the app', async () => {
    const { leaving, did, asked, answers, quit } = host({ stays: () => false })
    answers.push('window')
    quit()
    await turn()
    leaving.allClosed()
    expect({ asked: asked.length, did }).toEqual({ asked: 1, did: [] })
    leaving.allClosed()
    await turn()
    expect(asked).toHaveLength(2)
  })

  test('is offered only where there is a window and a way back', async () => {
    const trayless = host({ reachable: () => false })
    trayless.quit()
    const windowless = host()
    windowless.windows.length = 0
    windowless.quit()
    await turn()
    expect([...trayless.asked, ...windowless.asked]).toEqual([false, false])
  })

  test('who stays after the last window closed gets one back, unless the app lives without', async () => {
    const ending = host({ stays: () => false })
    ending.windows.length = 0
    ending.leaving.allClosed()
    await turn()
    expect(ending.did).toEqual(['show'])
    const tray = host()
    tray.windows.length = 0
    tray.quit()
    await turn()
    expect(tray.did).toEqual([])
  })
})

describe('installing an update', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    return () => vi.useRealTimers()
  })

  test('begins when the recording is closed, and asks nobody', async () => {
    let closed = (): void => {}
    const { leaving, did, asked, quit } = host({
      end: () => new Promise<void>((resolve) => (closed = resolve)),
    })
    leaving.install(() => {
      did.push('installer')
      quit()
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(did).toEqual([])
    closed()
    await vi.advanceTimersByTimeAsync(0)
    expect({ asked, did }).toEqual({ asked: [], did: ['ended', 'installer', 'out'] })
  })

  test('quits where the installer fails, or is never seen', async () => {
    const failing = host()
    failing.leaving.install(() => {
      throw new Error('ENOENT')
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(failing.did).toEqual(['end', 'ended', 'Couldn’t install the update', 'out'])
    const silent = host()
    silent.leaving.install(() => {})
    await vi.advanceTimersByTimeAsync(70_000)
    expect(silent.did).toEqual(['end', 'ended', 'out'])
  })
})
