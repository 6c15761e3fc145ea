/** Opened many times and closed again: nothing of it is held. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hubCalendar } from '../../../src/main/core/market/hub-calendar.ts'
import type { Hub } from '../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../src/main/core/market/hub.ts'
import { barsStream, quotesStream, tapeStream, type StreamHistory } from '../../../src/main/core/market/streams.ts'
import { followDesktop } from '../../../src/main/hosts/electron/desktop/desktop.ts'
import { followNetwork } from '../../../src/main/hosts/electron/network.ts'
import type { Terminal } from '../../../src/main/hosts/open-terminal.ts'
import { DEFAULT_SETTINGS } from '../../kit/settings.ts'
import { instrumentId } from '../../../src/shared/base/units.ts'

const N = 200
const BTC = instrumentId('crypto', 'BTC-USD')
const held = vi.hoisted(() => ({ trays: 0, blockers: 0, shortcuts: 0, listeners: 0, settings: 0 }))

vi.mock('electron', () => ({
  app: { setLoginItemSettings: () => undefined, setUserTasks: () => undefined, dock: undefined },
  globalShortcut: { register: () => (held.shortcuts++, true), unregister: () => held.shortcuts-- },
  Menu: { buildFromTemplate: () => ({}) },
  nativeImage: { createFromPath: () => ({}) },
  nativeTheme: { themeSource: 'system' },
  powerSaveBlocker: { start: () => ++held.blockers, stop: () => held.blockers-- },
  systemPreferences: {
    getAccentColor: () => '4f81bdff',
    on: () => held.listeners++,
    off: () => held.listeners--,
    removeListener: () => held.listeners--,
    subscribeNotification: () => ++held.listeners,
    unsubscribeNotification: () => held.listeners--,
  },
  Tray: class {
    constructor() {
      held.trays++
    }
    on(): void {}
    setToolTip(): void {}
    setImage(): void {}
    setContextMenu(): void {}
    destroy(): void {
      held.trays--
    }
  },
}))

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
})

/** A hub that counts its open watches and listeners. */
function counted(): { readonly hub: Hub; count(): number } {
  const hub = createHub({ calendar: hubCalendar })
  let count = 0
  const once = (release: () => unknown) => {
    count++
    let open = true
    return () => {
      if (open) count--
      open = false
      release()
    }
  }
  const { watch, onGap, onReset, watchBars, watchTape } = hub
  const counting: Pick<Hub, 'watch' | 'onGap' | 'onReset' | 'watchBars' | 'watchTape'> = {
    watch: (...args) => once(watch.apply(hub, args)),
    onGap: (...args) => once(onGap.apply(hub, args)),
    onReset: (...args) => once(onReset.apply(hub, args)),
    watchBars(...args) {
      const watched = watchBars.apply(hub, args)
      return { ...watched, release: once(watched.release) }
    },
    watchTape(...args) {
      const watched = watchTape.apply(hub, args)
      return { ...watched, release: once(watched.release) }
    },
  }
  return { hub: Object.assign(hub, counting), count: () => count }
}

const history: StreamHistory = {
  bars: async () => ({ bars: [], gaps: [] }),
  gaps: async () => [],
  prints: async () => [],
}
const wake = (): void => undefined

describe('streams of a hub', () => {
  const { hub, count } = counted()
  const bars = { instrument: BTC, of: 'trade', interval: '1m', fromMs: null } as const
  test.each([
    ['quotes', () => quotesStream(hub, [BTC, instrumentId('crypto', 'ETH-USD')], () => 0, wake)],
    ['bars', () => barsStream(hub, history, bars, wake)],
    ['tape', () => tapeStream(hub, history, { instrument: BTC, limit: 10 }, wake)],
  ] as const)('of %s are let go when they are closed', async (_, open) => {
    const streams = Array.from({ length: N }, () => open())
    expect(count()).toBeGreaterThanOrEqual(N)
    await vi.runAllTimersAsync()
    for (const stream of streams) stream.take()
    for (const stream of streams) stream.close()
    expect(count()).toBe(0)
    const cell = hub.cell(BTC)
    expect([cell.watchers.length, cell.series.length, cell.tape]).toEqual([0, 0, null])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the desktop', () => {
  test('lets tray, timers, shortcut, listeners and the wakeful system go', () => {
    const now = { ...DEFAULT_SETTINGS, desktop: { ...DEFAULT_SETTINGS.desktop, bookmarkShortcut: 'Ctrl+Alt+B' } }
    const terminal = {
      status: () => ({
        recorder: { is: 'recording', session: 's', sinceMs: 0, paused: false },
        nowMs: 0,
        feeds: [],
        perSecond: 0,
        source: 'service',
      }),
      settings: () => now,
      log: () => undefined,
      desktop: {
        lastSave: () => Promise.resolve(),
        setFacts: () => undefined,
        setAccent: () => undefined,
        ask: () => undefined,
      },
      onSettings: () => {
        held.settings++
        return () => held.settings--
      },
    } as unknown as Terminal // what the desktop reads of one
    const options = {
      icons: '/',
      installed: false,
      windows: () => [],
      focused: () => true,
      show: () => undefined,
      notify: () => undefined,
      quit: () => undefined,
    }
    const all = Array.from({ length: N }, () => followDesktop(terminal, options))
    expect(held).toMatchObject({ trays: N, blockers: N, shortcuts: N, settings: N })
    expect(vi.getTimerCount()).toBe(N)
    vi.advanceTimersByTime(5_000)
    for (const one of all) one.close()
    expect(held).toEqual({ trays: 0, blockers: 0, shortcuts: 0, settings: 0, listeners: 0 })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('lets the watch on the network go', () => {
    const all = Array.from({ length: N }, () => followNetwork(() => true, wake))
    expect(vi.getTimerCount()).toBe(N)
    for (const end of all) end()
    expect(vi.getTimerCount()).toBe(0)
  })
})
