import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Terminal } from '../../../../../src/main/hosts/open-terminal.ts'
import { DEFAULT_SETTINGS } from '../../../../kit/settings.ts'
import type { RecorderState } from '../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

/** Everything that was asked of Electron, in order. */
let did: string[]
let windows: FakeWindow[]
let ears: FakeBase[]
class FakeBase extends EventEmitter {
  gone = false
  visible = true
  constructor() {
    super()
    if (this.constructor === FakeBase) {
      this.visible = false
      ears.push(this)
    }
  }
  isVisible(): boolean {
    return this.visible
  }
  isDestroyed(): boolean {
    return this.gone
  }
  destroy(): void {
    this.gone = true
  }
}
class FakeWindow extends FakeBase {
  readonly webContents = Object.assign(new EventEmitter(), { reload: () => undefined })
  overlay: unknown = undefined
  constructor() {
    super()
    windows.push(this)
  }
  static getAllWindows(): FakeWindow[] {
    return windows.filter(({ gone }) => !gone)
  }
  static getFocusedWindow(): null {
    return null
  }
  loadURL(): Promise<void> {
    return Promise.resolve()
  }
  getNormalBounds(): object {
    return { x: 0, y: 0, width: 1440, height: 900 }
  }
  isMaximized(): boolean {
    return false
  }
  isMinimized(): boolean {
    return false
  }
  show(): void {
    did.push('shown')
  }
  focus(): void {}
  setOverlayIcon(picture: unknown): void {
    this.overlay = picture
  }
  close(): void {
    this.emit('close')
    this.gone = true
    this.emit('closed')
    if (FakeWindow.getAllWindows().length === 0) fakeApp.emit('window-all-closed')
  }
}
let packaged: boolean
let ready: Promise<void>
let atLogin: boolean
const fakeApp = Object.assign(new EventEmitter(), {
  dock: undefined,
  setPath: () => undefined,
  requestSingleInstanceLock: () => true,
  isReady: () => true,
  whenReady: () => ready,
  setAppUserModelId: (id: string) => did.push(`id ${id}`),
  setUserTasks: () => did.push('jump list'),
  setAsDefaultProtocolClient: () => did.push('protocol'),
  setLoginItemSettings: () => did.push('login item'),
  getLoginItemSettings: () => ({ wasOpenedAtLogin: atLogin }),
  quit: () => {
    const event = { preventDefault: vi.fn() }
    fakeApp.emit('before-quit', event)
    if (event.preventDefault.mock.calls.length === 0) did.push('out')
  },
  exit: () => did.push('exit'),
})
Object.defineProperty(fakeApp, 'isPackaged', { get: () => packaged })
let openHandler: (details: { url: string; features: string }) => unknown
const monitor = new EventEmitter()
const ipcMain = new EventEmitter()
let trays: boolean
const dialog = { showMessageBox: vi.fn(() => Promise.resolve({ response: 1, checkboxChecked: false })) }
let online: boolean
vi.mock('electron', () => ({
  app: fakeApp,
  BaseWindow: FakeBase,
  BrowserWindow: FakeWindow,
  dialog,
  globalShortcut: { register: () => true, unregister: () => undefined },
  ipcMain,
  Menu: { buildFromTemplate: () => ({}), setApplicationMenu: () => undefined },
  MessageChannelMain: class {},
  nativeImage: { createFromPath: (path: string) => path },
  nativeTheme: { shouldUseDarkColors: true, themeSource: 'system' },
  net: { isOnline: () => online },
  Notification: class extends EventEmitter {
    static isSupported = () => true
    readonly title: string
    constructor({ title }: { title: string }) {
      super()
      this.title = title
    }
    show(): void {
      did.push(`notified: ${this.title}`)
    }
  },
  powerMonitor: monitor,
  powerSaveBlocker: { start: () => 1, stop: () => undefined },
  protocol: { registerSchemesAsPrivileged: () => undefined, handle: () => undefined },
  screen: {
    getPrimaryDisplay: () => ({ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } }),
    getAllDisplays: () => [],
  },
  session: {
    defaultSession: {
      on() {},
      setPermissionRequestHandler: () => undefined,
      setPermissionCheckHandler: () => undefined,
      setDevicePermissionHandler: () => undefined,
    },
  },
  systemPreferences: Object.assign(new EventEmitter(), {
    getAccentColor: () => '',
    subscribeNotification: () => 1,
    unsubscribeNotification: () => undefined,
  }),
  Tray: class extends EventEmitter {
    constructor() {
      super()
      if (!trays) throw new Error('no tray')
    }
    setToolTip(): void {}
    setImage(): void {}
    setContextMenu(): void {}
    destroy(): void {}
  },
}))
const { APP_ID, runElectronApp } = await import('../../../../../src/main/hosts/electron/app.ts')

/** Vitest's own. */
const watching = new Set<unknown>([
  ...process.listeners('uncaughtException'),
  ...process.listeners('unhandledRejection'),
])
const platform = process.platform
const argv = process.argv
let home: string
let recorder: RecorderState
const recording: RecorderState = { is: 'recording', session: 's', sinceMs: unixMs(0), paused: false }
beforeEach(() => {
  vi.useFakeTimers()
  did = []
  windows = []
  ears = []
  packaged = trays = online = true
  ready = Promise.resolve()
  atLogin = false
  recorder = recording
  closing = terminalStarts = () => Promise.resolve()
  home = makeFolder('app')
  dialog.showMessageBox.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  Object.defineProperty(process, 'platform', { value: platform })
  process.argv = argv
  fakeApp.removeAllListeners()
  monitor.removeAllListeners()
  ipcMain.removeAllListeners()
  for (const one of process.listeners('uncaughtException'))
    if (!watching.has(one)) process.off('uncaughtException', one)
  for (const one of process.listeners('unhandledRejection'))
    if (!watching.has(one)) process.off('unhandledRejection', one)
})

/** As much of a terminal as its desktop touches. */
const terminal = {
  status: () => ({ recorder, source: 'service', nowMs: 0, perSecond: 0 }),
  settings: () => DEFAULT_SETTINGS,
  setSettings: () => Promise.resolve(DEFAULT_SETTINGS),
  onSettings: () => () => undefined,
  desktop: {
    lastSave: () => Promise.resolve(),
    ask: () => undefined,
    onMenu: () => undefined,
    setAccent: () => undefined,
    setFacts: () => undefined,
  },
  alerts: { enable: () => Promise.resolve() },
  log: () => undefined,
  crashed: () => null,
  enterSafeMode: () => did.push('safe mode'),
  networkChanged: () => did.push('network'),
  sleep: () => undefined,
  wake: () => undefined,
  imports: { open: () => undefined },
  close: () => closing().then(() => void did.push('closed')),
} as unknown as Terminal
/** How long the terminal takes to close its recording; `closed` is noted when it has. */
let closing: () => Promise<void>
/** How long it takes to start. */
let terminalStarts: () => Promise<void>

type Started = Parameters<Parameters<typeof runElectronApp>[0]['start']>[0]
/** Starts the app on a system, as its main module does; answers what a terminal was given. */
async function start(system: NodeJS.Platform, more: { portable?: boolean; words?: string[] } = {}): Promise<Started> {
  Object.defineProperty(process, 'platform', { value: system })
  process.argv = ['tapedeck', ...(more.words ?? [])]
  let given: Started | undefined
  runElectronApp({
    home,
    portable: more.portable ?? false,
    preload: 'preload.cjs',
    rendererDir: home,
    icons: '/icons',
    devUrl: 'http://localhost:5173',
    start: (desktop) => {
      given = desktop
      return terminalStarts().then(() => terminal)
    },
  })
  await vi.advanceTimersByTimeAsync(0)
  if (given === undefined) throw new Error('the terminal was not started')
  return given
}
/** A page of ours that asks for windows. */
function page(): (hash: string, features?: string) => unknown {
  const contents = Object.assign(new EventEmitter(), {
    getURL: () => 'http://localhost:5173/',
    setWindowOpenHandler: (handler: typeof openHandler) => (openHandler = handler),
  })
  fakeApp.emit('web-contents-created', {}, contents)
  return (hash, features = 'popup,width=700,height=400') =>
    openHandler({ url: `http://localhost:5173/${hash}`, features })
}

describe('an app on Windows', () => {
  test('carries the name that its installer gave it', async () => {
    await start('win32')
    expect(did).toContain('id app.tapedeck.Tapedeck')
    const packaging = readFileSync(new URL('../../../../../electron-builder.config.mjs', import.meta.url), 'utf8')
    expect(packaging).toContain(`appId: '${APP_ID}'`)
  })

  test('that is carried along leaves no trace in the system', async () => {
    await start('win32', { portable: true })
    for (const trace of ['jump list', 'protocol', 'login item']) expect(did).not.toContain(trace)
  })

  test('hears the end of the session by its window', async () => {
    await start('win32')
    const event = { preventDefault: vi.fn() }
    windows[0].emit('query-session-end', event)
    await vi.advanceTimersByTimeAsync(0)
    expect(event.preventDefault).toHaveBeenCalledOnce()
    expect(did.slice(-2)).toEqual(['closed', 'out'])
    expect(dialog.showMessageBox).not.toHaveBeenCalled()
  })

  test('hears it in the tray too, by a window that is never shown, only while there is no other', async () => {
    await start('win32')
    expect(ears).toHaveLength(0)
    windows[0].close()
    expect(ears).toHaveLength(1)
    fakeApp.emit('activate')
    expect(ears[0].gone).toBe(true)
    windows[1].close()
    const event = { preventDefault: vi.fn() }
    ears[1].emit('query-session-end', event)
    await vi.advanceTimersByTimeAsync(0)
    expect(event.preventDefault).not.toHaveBeenCalled()
    expect(did.slice(-2)).toEqual(['closed', 'out'])
  })

  test('shows on every window that it records, also on those that came later', async () => {
    await start('win32')
    const open = page()
    open('#workspace=a&window=w1')
    windows[0].close()
    windows[1].close()
    fakeApp.emit('activate')
    expect(windows.map(({ overlay }) => overlay)).toEqual(Array(3).fill('/icons/tapedeck-32-recording.png'))
  })
})

test('the terminal starts before Electron is ready, and its first notice waits for that', async () => {
  const chromium = Promise.withResolvers<void>()
  ready = chromium.promise
  const { notify } = await start('linux')
  notify({ title: 'BTC-USD', body: 'Above 60,000' })
  await vi.advanceTimersByTimeAsync(0)
  expect(windows).toHaveLength(0)
  expect(did).not.toContain('notified: BTC-USD')
  chromium.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(windows).toHaveLength(1)
  expect(did).toContain('notified: BTC-USD')
})

describe('a window that is closed', () => {
  test('leaves the app in the tray while it records', async () => {
    await start('linux')
    windows[0].close()
    await vi.advanceTimersByTimeAsync(0)
    expect(dialog.showMessageBox).not.toHaveBeenCalled()
    expect(did).not.toContain('out')
  })

  test('asks to quit where there is no tray, and comes back for who stays', async () => {
    trays = false
    await start('linux')
    windows[0].close()
    await vi.advanceTimersByTimeAsync(0)
    expect(dialog.showMessageBox).toHaveBeenCalledOnce()
    expect(windows).toHaveLength(2)
    expect(did).not.toContain('out')
  })
})

describe('the recording is closed before the app ends', () => {
  const event = { preventDefault: () => undefined }
  const ways: readonly (readonly [string, NodeJS.Platform, (given: Started) => void])[] = [
    ['by quitting', 'linux', () => fakeApp.quit()],
    ['by the last window', 'linux', () => windows[0].close()],
    ['by the end of the session on Windows', 'win32', () => void windows[0].emit('query-session-end', event)],
    ['by the system going down', 'linux', () => void monitor.emit('shutdown', event)],
    ['by an update', 'win32', ({ install }) => install(() => fakeApp.quit())],
  ]
  test.each(ways)('%s', async (_, system, end) => {
    const closed = Promise.withResolvers<void>()
    closing = () => closed.promise
    dialog.showMessageBox.mockResolvedValueOnce({ response: 0, checkboxChecked: false })
    // Without a tray the app ends with its last window.
    trays = false
    const given = await start(system)
    end(given)
    await vi.advanceTimersByTimeAsync(9_000)
    expect(did.filter((one) => one === 'closed' || one === 'out')).toEqual([])
    closed.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(did.filter((one) => one === 'closed' || one === 'out')).toEqual(['closed', 'out'])
  })

  test('also one that was still starting', async () => {
    const starting = Promise.withResolvers<void>()
    terminalStarts = () => starting.promise
    dialog.showMessageBox.mockResolvedValueOnce({ response: 0, checkboxChecked: false })
    await start('linux')
    fakeApp.quit()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(did).not.toContain('out')
    starting.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(did.filter((one) => one === 'closed' || one === 'out')).toEqual(['closed', 'out'])
  })

  test('unless it takes too long: the next start closes it', async () => {
    closing = () => new Promise(() => undefined)
    dialog.showMessageBox.mockResolvedValueOnce({ response: 0, checkboxChecked: false })
    await start('linux')
    fakeApp.quit()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(did.filter((one) => one === 'closed' || one === 'out')).toEqual(['out'])
  })
})

test('the system going down is held and not asked', async () => {
  await start('linux')
  const event = { preventDefault: vi.fn() }
  monitor.emit('shutdown', event)
  await vi.advanceTimersByTimeAsync(0)
  expect(event.preventDefault).toHaveBeenCalledOnce()
  expect(did.slice(-2)).toEqual(['closed', 'out'])
})

test('an update begins after the recording is closed, without a question', async () => {
  const { install } = await start('win32')
  install(() => {
    did.push('installer')
    fakeApp.quit()
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(did.slice(-3)).toEqual(['closed', 'installer', 'out'])
  expect(dialog.showMessageBox).not.toHaveBeenCalled()
})

test('a second start in safe mode puts the running app into it', async () => {
  await start('linux')
  fakeApp.emit('second-instance', {}, ['tapedeck', 'tapedeck://sessions'], '/')
  await vi.advanceTimersByTimeAsync(0)
  expect(did).not.toContain('safe mode')
  fakeApp.emit('second-instance', {}, ['tapedeck', '--safe-mode'], '/')
  await vi.advanceTimersByTimeAsync(0)
  expect(did).toContain('safe mode')
})

test.each([
  ['linux', ['--hidden'], false],
  ['win32', ['--hidden'], false],
  ['darwin', [], true],
] as const)('started at login, on %s, it shows no window', async (system, words, login) => {
  atLogin = login
  await start(system, { words: [...words] })
  expect(windows).toHaveLength(0)
  fakeApp.emit('activate')
  expect(windows).toHaveLength(1)
})

test('started at login where there is no tray, it shows itself', async () => {
  trays = false
  await start('linux', { words: ['--hidden'] })
  expect(windows).toHaveLength(1)
})

test('a ninth window besides the main one is refused with a message', async () => {
  await start('linux')
  const open = page()
  for (let n = 0; n < 8; n++) open(`#workspace=a&window=w${n}`)
  expect(windows).toHaveLength(9)
  expect(dialog.showMessageBox).not.toHaveBeenCalled()
  open('#workspace=a&window=w9')
  expect(windows).toHaveLength(9)
  expect(dialog.showMessageBox).toHaveBeenCalledOnce()
})

test('hears in the tray that the network is back, and tells of a recording that broke', async () => {
  await start('linux')
  windows[0].close()
  online = false
  await vi.advanceTimersByTimeAsync(3_000)
  online = true
  recorder = {
    is: 'broken',
    why: { code: 'disk-full', message: 'The disk is full.', hint: '', closeCode: null },
    sinceMs: unixMs(0),
    lost: 3,
  }
  await vi.advanceTimersByTimeAsync(3_000)
  expect(did.filter((one) => one === 'network')).toHaveLength(1)
  expect(did).toContain('notified: Tapedeck can’t record')
})
