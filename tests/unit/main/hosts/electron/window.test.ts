import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { makeFolder } from '../../../../kit/folder.ts'

interface Made {
  readonly webPreferences: Record<string, unknown>
  readonly [option: string]: unknown
}
let made: Made[]
class FakeWindow extends EventEmitter {
  bounds = { x: 0, y: 0, width: 0, height: 0 }
  maximized = false
  constructor(options: Made & FakeWindow['bounds']) {
    super()
    made.push(options)
    const { x, y, width, height } = options
    this.bounds = { x, y, width, height }
  }
  loadURL(): Promise<void> {
    return Promise.resolve()
  }
  getNormalBounds(): FakeWindow['bounds'] {
    return this.bounds
  }
  isMaximized(): boolean {
    return this.maximized
  }
  maximize(): void {
    this.maximized = true
  }
  show(): void {}
}
let screens: { id: number; workArea: FakeWindow['bounds'] }[]
vi.mock('electron', () => ({
  BrowserWindow: FakeWindow,
  screen: { getPrimaryDisplay: () => screens[0], getAllDisplays: () => screens },
}))
const { openWindow } = await import('../../../../../src/main/hosts/electron/window.ts')

const LEFT = { id: 2, workArea: { x: -1920, y: 0, width: 1920, height: 1080 } }
let home: string
beforeEach(() => {
  made = []
  screens = [{ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1080 } }, LEFT]
  home = makeFolder('window')
})

/** Opens a window as the app does; the fake stands behind Electron's type. */
function open(further?: { key: string | null }): FakeWindow {
  const window: unknown = openWindow({
    preload: '/app/preload.cjs',
    url: 'app://tapedeck/',
    placementFile: join(home, 'window.json'),
    ...(further
      ? {
          further: { placesFile: join(home, 'windows.json'), key: further.key, size: { width: 760, height: 560 } },
        }
      : {}),
    background: '#000',
    devTools: false,
    onLoadFailure: () => undefined,
  })
  return window as FakeWindow
}

test.each([['the main window'], ['a window beside it']])('%s has the strict preferences, and no others', (which) => {
  open(which === 'the main window' ? undefined : { key: 'a/w1' })
  // All of them: one more would have to be written down here, and in docs/security.md.
  expect(made[0]?.webPreferences).toEqual({
    preload: '/app/preload.cjs',
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    spellcheck: false,
    devTools: false,
  })
})

describe('a window beside the main one', () => {
  test('may be narrow, and opens beside the main one in the size that was asked for', () => {
    writeFileSync(
      join(home, 'window.json'),
      JSON.stringify({ x: 100, y: 50, width: 1400, height: 800, maximized: true }),
    )
    const window = open({ key: 'a/w1' })
    expect(made[0]).toMatchObject({ minWidth: 320, minHeight: 240 })
    expect(window.bounds).toEqual({ x: 136, y: 86, width: 760, height: 560 })
    window.emit('ready-to-show')
    expect(window.maximized).toBe(false)
  })

  test('comes back to its own monitor, and to a place that can be seen when that is gone', () => {
    const first = open({ key: 'a/w1' })
    const placed = { x: -1500, y: 200, width: 340, height: 800 }
    first.bounds = placed
    first.emit('close')
    const other = open({ key: 'a/w2' })
    other.bounds = { x: 5, y: 6, width: 700, height: 400 }
    other.emit('close')
    expect(open({ key: 'a/w1' }).bounds).toEqual(placed)
    expect(open({ key: 'a/w2' }).bounds).toEqual(other.bounds)
    screens = screens.slice(0, 1)
    expect(open({ key: 'a/w1' }).bounds).toEqual({ x: 790, y: 140, width: 340, height: 800 })
  })

  test('of a replay is remembered nowhere, and none of them moves the main one', () => {
    const replay = open({ key: null })
    replay.bounds = { x: 700, y: 300, width: 500, height: 400 }
    replay.emit('close')
    expect(open({ key: null }).bounds).toEqual(open({ key: 'a/new' }).bounds)
    expect(open().bounds).toEqual({ x: 240, y: 90, width: 1440, height: 900 })
  })
})

test('the main window keeps its least size', () => {
  open()
  expect(made[0]).toMatchObject({ minWidth: 1024, minHeight: 640 })
})
