/** The Electron host: connects windows, protocol, ports and power to one terminal and closes it cleanly. */
import { join, resolve } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import {
  app,
  BaseWindow,
  BrowserWindow,
  dialog,
  ipcMain,
  nativeTheme,
  net,
  powerMonitor,
  protocol,
  session,
  type RenderProcessGoneDetails,
} from 'electron'
import { toFailure } from '../../../shared/base/errors.ts'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import { openPages } from '../window-files.ts'
import type { Notice } from '../../terminal/host.ts'
import type { Terminal } from '../open-terminal.ts'
import { parseLink, LINK_SCHEME } from '../../../shared/features/desktop/requests.ts'
import { followDesktop, type Desktop } from './desktop/desktop.ts'
import { serveWindows } from './ipc.ts'
import { installMenu } from './desktop/menu.ts'
import { askToQuit } from './desktop/quit.ts'
import { HIDDEN } from './desktop/login.ts'
import { createLeaving } from './desktop/quit-flow.ts'
import { followNetwork } from './network.ts'
import { showNotice, type NoticeHost } from './desktop/notify.ts'
import { filesIn, linksIn } from './opened.ts'
import { placeKey, sizeIn } from './window-places.ts'
import { followPower, followSessionEnd } from './power.ts'
import { createRevivals } from './revival.ts'
import { askAfterDeaths } from './crash-handlers.ts'
import { registerScheme, servePages } from './protocol.ts'
import { followSaves } from './downloads.ts'
import { APP_URL, guardApp, guardSession } from './security.ts'
import { openWindow } from './window.ts'

export interface ElectronAppOptions {
  /** The app's own folder: settings, store, window place, and Chromium's files below it. */
  readonly home: string
  /** Portable mode: registers neither links nor a start at login with the system. */
  readonly portable: boolean
  /** Path of the built preload. */
  readonly preload: string
  /** Folder of the built window. */
  readonly rendererDir: string
  /** Folder of the icons. */
  readonly icons: string
  /** The dev server's address while developing; absent: the built pages. */
  readonly devUrl: string | undefined
  /** Starts the terminal, once this is known to be the only instance. Electron may not be ready yet. */
  readonly start: (desktop: StartDesktop) => Promise<Terminal>
}

/** What a terminal can ask of the desktop. */
export interface StartDesktop {
  readonly notify: (notice: Notice) => void
  /** Hands over to an update installer once the session is closed. */
  readonly install: (begin: () => void) => void
}

/** As `appId` in electron-builder.config.mjs, which a test compares. */
export const APP_ID = 'app.tapedeck.Tapedeck'

/** If closing takes longer than this, ms, the app exits and the next start recovers the session as after a crash. */
const LONGEST_CLOSE_MS = 10_000

/** Runs the app until it quits. Returns at once, because Electron gets ready only after the main module has run. */
export function runElectronApp(options: ElectronAppOptions): void {
  makeFolder(options.home)
  app.setPath('userData', options.home)
  app.setPath('sessionData', join(options.home, 'chromium'))
  registerScheme(protocol)
  if (!app.requestSingleInstanceLock()) {
    app.quit() // the first instance shows its window on `second-instance`
    return
  }

  /** Portable copies register nothing with the system. */
  const installed = app.isPackaged && !options.portable
  // Windows groups notifications and taskbar buttons by the id in the installer's shortcuts.
  if (process.platform === 'win32' && app.isPackaged) app.setAppUserModelId(APP_ID)

  const url = options.devUrl ?? APP_URL
  const developing = !app.isPackaged
  let window: BrowserWindow | undefined
  let terminal: Terminal | undefined
  const log = (level: LogEntry['level'], text: string, detail?: string): void =>
    terminal?.log(level, 'window', text, detail)

  guardApp(app, url, log, (page, features) => openBeside(page, features))
  /** An uncaught error. The recording continues, because missed messages can't be received later. */
  const surprise = (thrown: unknown): void => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    log('error', 'Unexpected error', text)
    terminal?.crashed('main', text)
  }
  process.on('uncaughtException', surprise)
  process.on('unhandledRejection', surprise)

  const show = (): void => {
    if (!window || window.isDestroyed()) return open()
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  function open(): void {
    if (!app.isReady() || leaving.begun()) return
    window = make(url)
    ear?.destroy()
    ear = undefined
  }
  /** Windows reports the end of the user's session only to windows. If none is left, a hidden one listens. */
  let ear: BaseWindow | undefined
  function listen(): void {
    if (process.platform !== 'win32' || leaving.begun() || ear !== undefined) return
    ear = new BaseWindow({ show: false })
    followSessionEnd(ear, records, () => leaving.now())
  }

  /** Windows with a replay or panes of their own. Their number is limited to what a person can look at. */
  const extraWindows = new Set<BrowserWindow>()
  const MAX_BESIDE = 8
  function openBeside(page: string, features: string): void {
    if (leaving.begun()) return
    if (extraWindows.size >= MAX_BESIDE) {
      log('warn', `A window wasn’t opened: ${MAX_BESIDE} are open besides the main one`)
      // The page can't tell: `window.open` returns null in any case.
      void dialog.showMessageBox({
        type: 'info',
        message: `Tapedeck can open at most ${MAX_BESIDE} windows besides the main one.`,
        detail: 'Close one first. Panes you were moving are back where they were.',
        noLink: true,
      })
      return
    }
    const made = make(page, features)
    extraWindows.add(made)
    made.once('closed', () => extraWindows.delete(made))
  }

  /** `features`: what a page asks of a window beside the main one; absent: the main one. */
  function make(page: string, features?: string): BrowserWindow {
    const made = openWindow({
      preload: options.preload,
      url: page,
      ...(features === undefined
        ? {}
        : {
            further: {
              placesFile: join(options.home, 'windows.json'),
              key: placeKey(page),
              size: sizeIn(features),
            },
          }),
      placementFile: join(options.home, 'window.json'),
      background: nativeTheme.shouldUseDarkColors ? '#0E1116' : '#F4F6F9',
      devTools: developing,
      onLoadFailure: (thrown) => log('error', 'Couldn’t load the window', String(thrown)),
    })
    desktop?.dress(made)
    if (process.platform === 'win32') followSessionEnd(made, records, () => leaving.now())
    const { webContents } = made
    const revivals = createRevivals()
    webContents.on('render-process-gone', (_event, { reason }: RenderProcessGoneDetails) => {
      if (reason === 'clean-exit' || leaving.begun()) return
      log('error', `The window's process ended: ${reason}`)
      terminal?.crashed('window', reason)
      if (revivals.died(performance.now()) === 'reload' || terminal === undefined) return webContents.reload()
      void askAfterDeaths(terminal).then((answer) => {
        revivals.forget()
        if (made.isDestroyed()) return
        if (answer === 'close') return made.destroy()
        if (answer === 'safe') terminal?.enterSafeMode()
        webContents.reload()
      })
    })
    return made
  }

  let desktop: Desktop | undefined
  let unfollowNetwork = (): void => {}
  const records = (): boolean => desktop?.state().keepAwake === true
  const leaving = createLeaving({
    asks: () => terminal !== undefined && desktop?.state().asksBeforeQuit === true,
    ask: (among) => (terminal ? askToQuit(terminal, among) : Promise.resolve('end')),
    reachable: () => process.platform === 'darwin' || desktop?.tray === true,
    stays: () => process.platform === 'darwin' || desktop?.state().staysWithoutWindow === true,
    windows: () => [...extraWindows, ...(window ? [window] : [])],
    show,
    // Wait for a terminal that is still starting: it may already be recording.
    async end() {
      desktop?.close()
      unfollowNetwork()
      await (await starting)?.close()
    },
    ended: () => ports.close(),
    quit: () => app.quit(),
    log,
    patienceMs: LONGEST_CLOSE_MS,
  })
  const ready = app.whenReady()
  // Before Electron is ready there are no notifications, but an alert may already fire.
  const notify = (notice: Notice): void => void ready.then(() => showNotice(notice, noticeHost))
  const noticeHost: NoticeHost = {
    platform: process.platform,
    window: () => BrowserWindow.getAllWindows().length > 0,
    show,
    snooze(alert, forMs) {
      terminal?.alerts.snooze([alert], Date.now() + forMs).catch((thrown: unknown) => {
        log('error', 'Couldn’t snooze an alert', String(thrown))
      })
    },
    switchOff(alert) {
      terminal?.alerts.enable([alert], false).catch((thrown: unknown) => {
        log('error', 'Couldn’t turn off an alert', String(thrown))
      })
    },
  }

  // Store and market start while Chromium does.
  const starting: Promise<Terminal | undefined> = options
    .start({ notify, install: (begin) => leaving.install(begin) })
    .then(
      (started) => (terminal = started),
      async (thrown: unknown) => {
        await ready
        const { message, hint, detail } = toFailure(thrown)
        dialog.showErrorBox('Tapedeck can’t start', [message, hint, detail].filter(Boolean).join('\n\n'))
        leaving.nothingToEnd()
        app.exit(1)
        return undefined
      },
    )
  const handlers = starting.then((started) => started?.handlers)
  const ports = serveWindows(ipcMain, handlers, url, () => log('warn', 'A page that isn’t Tapedeck’s asked for a port'))

  const menu = {
    platform: process.platform,
    developing,
    run: (id: string) => terminal?.desktop.ask({ do: 'command', id }),
  }
  void ready
    .then(async () => {
      installMenu({ ...menu, rows: [] })
      guardSession(session.defaultSession, url)
      followSaves(session.defaultSession, url, log)
      if (options.devUrl === undefined) servePages(protocol, await openPages(options.rendererDir, "'self'"))
      // Started at login: record without a window until the user opens one.
      if (startsHidden()) listen()
      else open()
      const started = await starting
      if (!started) return
      followPower(powerMonitor, started, () => leaving.now())
      unfollowNetwork = followNetwork(
        () => net.isOnline(),
        () => started.networkChanged(),
      )
      started.desktop.onMenu((rows) => installMenu({ ...menu, rows }))
      desktop = followDesktop(started, {
        icons: options.icons,
        installed,
        focused: () => BrowserWindow.getFocusedWindow() !== null,
        notify,
        windows: () => [...extraWindows, ...(window ? [window] : [])],
        show,
        quit: () => app.quit(),
      })
      // Without a tray there would be no way to reach an app that started hidden.
      if (!window && !desktop.tray && process.platform !== 'darwin') open()
    })
    .catch((thrown: unknown) => {
      dialog.showErrorBox('Tapedeck can’t start', `The window hasn’t been built: ${String(thrown)}`)
      void leaving.close().then(() => app.exit(1))
    })

  /** Opens tapedeck: links, which only name what to show (see `parseLink`). */
  const openLinks = (words: readonly string[]): void => {
    for (const word of linksIn(words)) {
      const ask = parseLink(word)
      void starting.then((started) => {
        if (ask) started?.desktop.ask(ask)
        else started?.log('warn', 'desktop', 'An unknown tapedeck: link was ignored')
      })
    }
  }
  /** Opens session files from the command line, a double click or a second start. */
  const openFiles = (paths: readonly string[]): void => {
    for (const path of paths) {
      void starting.then((started) => started?.imports.open(path))
    }
  }
  const openAll = (words: readonly string[]): void => {
    openFiles(filesIn(words))
    openLinks(words)
  }
  openAll(process.argv.slice(1))
  // Only an installed app registers the link scheme.
  if (installed) app.setAsDefaultProtocolClient(LINK_SCHEME.slice(0, -1))
  app.on('open-url', (event, url) => {
    event.preventDefault()
    openLinks([url])
    show()
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    openFiles(filesIn([path]))
    show()
  })
  app.on('second-instance', (_event, argv, workingDirectory) => {
    // Filter before resolving: a link would turn into a path.
    openFiles(filesIn(argv.slice(1)).map((path) => resolve(workingDirectory, path)))
    openLinks(argv.slice(1))
    if (argv.includes('--safe-mode')) void starting.then((started) => started?.enterSafeMode())
    show()
  })
  app.on('activate', show)
  app.on('window-all-closed', () => {
    leaving.allClosed()
    listen()
  })
  app.on('before-quit', (event) => leaving.beforeQuit(event))
}

/** Started by the system at login: no window until it is asked for. macOS passes no words, but tells. */
function startsHidden(): boolean {
  if (process.argv.includes(HIDDEN)) return true
  return process.platform === 'darwin' && app.isPackaged && app.getLoginItemSettings().wasOpenedAtLogin
}
