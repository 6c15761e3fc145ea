/** The app's windows: the main one, and those with a replay or panes of their own. */
import { join } from 'node:path'
import { app, BaseWindow, dialog, nativeTheme, type BrowserWindow, type RenderProcessGoneDetails } from 'electron'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import type { Terminal } from '../open-terminal.ts'
import { askAfterDeaths } from './crash-handlers.ts'
import { followSessionEnd } from './power.ts'
import { createRevivals } from './revival.ts'
import { placeKey, sizeIn } from './window-places.ts'
import { openWindow } from './window.ts'

export interface AppWindowsOptions {
  /** The app's own folder, with the places of its windows. */
  readonly home: string
  /** Path of the built preload. */
  readonly preload: string
  /** Address of the main window's page. */
  readonly url: string
  readonly developing: boolean
  /** Undefined until it has started. */
  readonly terminal: () => Terminal | undefined
  readonly isLeaving: () => boolean
  /** Quits without asking, because the system is shutting down. */
  readonly leave: () => void
  /** Whether the end of the user's login would interrupt recording. */
  readonly records: () => boolean
  /** Gives a new window the theme's title bar. */
  readonly dress: (window: BrowserWindow) => void
  readonly log: (level: LogEntry['level'], text: string, detail?: string) => void
}

/** Windows beside the main one are limited to what a person can look at. */
const MAX_BESIDE = 8

export class AppWindows {
  readonly #options: AppWindowsOptions
  readonly #beside = new Set<BrowserWindow>()
  #main: BrowserWindow | undefined
  /** Windows reports the end of the user's session only to windows. If none is left, a hidden one listens. */
  #hidden: BaseWindow | undefined

  constructor(options: AppWindowsOptions) {
    this.#options = options
  }

  /** Whether the main window was opened, even if it is closed by now. */
  get wasOpened(): boolean {
    return this.#main !== undefined
  }

  get all(): readonly BrowserWindow[] {
    return [...this.#beside, ...(this.#main ? [this.#main] : [])]
  }

  /** Brings the main window to the front, or opens it. */
  show(): void {
    const window = this.#main
    if (!window || window.isDestroyed()) return this.open()
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  /** Opens the main window, unless the app is quitting. */
  open(): void {
    if (!app.isReady() || this.#options.isLeaving()) return
    this.#main = this.#make(this.#options.url)
    this.#hidden?.destroy()
    this.#hidden = undefined
  }

  /** Learns of the end of the user's session while no window is open. */
  listen(): void {
    if (process.platform !== 'win32' || this.#options.isLeaving() || this.#hidden !== undefined) return
    this.#hidden = new BaseWindow({ show: false })
    followSessionEnd(this.#hidden, this.#options.records, () => this.#options.leave())
  }

  /** Opens a window beside the main one. */
  openBeside(page: string, features: string): void {
    if (this.#options.isLeaving()) return
    if (this.#beside.size >= MAX_BESIDE) {
      this.#options.log('warn', `A window wasn’t opened: ${MAX_BESIDE} are open besides the main one`)
      // The page can't tell: `window.open` returns null in any case.
      void dialog.showMessageBox({
        type: 'info',
        message: `Tapedeck can open at most ${MAX_BESIDE} windows besides the main one.`,
        detail: 'Close one first. Panes you were moving come back within a minute.',
        noLink: true,
      })
      return
    }
    const made = this.#make(page, features)
    this.#beside.add(made)
    made.once('closed', () => this.#beside.delete(made))
  }

  /** `features`: what a page asks of a window beside the main one; absent: the main one. */
  #make(page: string, features?: string): BrowserWindow {
    const made = openWindow({
      preload: this.#options.preload,
      url: page,
      ...(features === undefined
        ? {}
        : {
            further: {
              placesFile: join(this.#options.home, 'windows.json'),
              key: placeKey(page),
              size: sizeIn(features),
            },
          }),
      placementFile: join(this.#options.home, 'window.json'),
      background: nativeTheme.shouldUseDarkColors ? '#0E1116' : '#F4F6F9',
      devTools: this.#options.developing,
      onLoadFailure: (thrown) => this.#options.log('error', 'Couldn’t load the window', String(thrown)),
    })
    this.#options.dress(made)
    if (process.platform === 'win32') followSessionEnd(made, this.#options.records, () => this.#options.leave())
    this.#reviveWhenGone(made)
    return made
  }

  /** After the window's process has ended, loads the page again, or asks if that keeps happening. */
  #reviveWhenGone(made: BrowserWindow): void {
    const { webContents } = made
    const revivals = createRevivals()
    webContents.on('render-process-gone', (_event, { reason }: RenderProcessGoneDetails) => {
      if (reason === 'clean-exit' || this.#options.isLeaving()) return
      this.#options.log('error', `The window's process ended: ${reason}`)
      this.#options.terminal()?.crashed('window', reason)
      const terminal = this.#options.terminal()
      if (revivals.died(performance.now()) === 'reload' || terminal === undefined) return webContents.reload()
      void askAfterDeaths(terminal).then((answer) => {
        revivals.forget()
        if (made.isDestroyed()) return
        if (answer === 'close') return made.destroy()
        if (answer === 'safe') terminal.enterSafeMode()
        webContents.reload()
      })
    })
  }
}
