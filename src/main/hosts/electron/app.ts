/** The Electron host: connects windows, protocol, ports and power to one terminal and closes it cleanly. */
import { join, resolve } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { app, BrowserWindow, dialog, ipcMain, net, powerMonitor, protocol, session } from 'electron'
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
import { AppWindows } from './app-windows.ts'
import { followPower } from './power.ts'
import { registerScheme, servePages } from './protocol.ts'
import { followSaves } from './downloads.ts'
import { APP_URL, guardApp, guardSession } from './security.ts'

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
  let terminal: Terminal | undefined
  const log = (level: LogEntry['level'], text: string, detail?: string): void =>
    terminal?.log(level, 'window', text, detail)

  guardApp(app, url, log, (page, features) => windows.openBeside(page, features))
  /** An uncaught error. Recording continues, because missed messages can't be received later. */
  const surprise = (thrown: unknown): void => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    log('error', 'Unexpected error', text)
    terminal?.crashed('main', text)
  }
  process.on('uncaughtException', surprise)
  process.on('unhandledRejection', surprise)

  let desktop: Desktop | undefined
  const windows: AppWindows = new AppWindows({
    home: options.home,
    preload: options.preload,
    url,
    developing,
    terminal: () => terminal,
    isLeaving: () => leaving.begun(),
    leave: () => leaving.now(),
    records: () => records(),
    dress: (window) => desktop?.dress(window),
    log,
  })
  const show = (): void => windows.show()
  let unfollowNetwork = (): void => {}
  const records = (): boolean => desktop?.state().keepAwake === true
  const leaving = createLeaving({
    asks: () => terminal !== undefined && desktop?.state().asksBeforeQuit === true,
    ask: (among) =>
      terminal ? askToQuit(terminal, among, desktop?.state().isUnsaved === true) : Promise.resolve('end'),
    reachable: () => process.platform === 'darwin' || desktop?.tray === true,
    stays: () => process.platform === 'darwin' || desktop?.state().staysWithoutWindow === true,
    windows: () => windows.all,
    show,
    // Wait for a terminal that is still starting: it may already be recording.
    async end() {
      desktop?.close()
      unfollowNetwork()
      const started = await starting
      await started?.desktop.lastSave()
      await started?.close()
    },
    ended: () => ports.close(),
    quit: () => app.quit(),
    log,
    patienceMs: LONGEST_CLOSE_MS,
  })
  const ready = app.whenReady()
  // Before Electron is ready there are no notifications, but an alert may already fire.
  const notify = (notice: Notice): void =>
    void ready.then(() =>
      showNotice(
        notice,
        noticeHostOf(() => terminal, show, log),
      ),
    )
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
      if (startsHidden()) windows.listen()
      else windows.open()
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
        windows: () => windows.all,
        show,
        quit: () => app.quit(),
      })
      // Without a tray there would be no way to reach an app that started hidden.
      if (!windows.wasOpened && !desktop.tray && process.platform !== 'darwin') windows.open()
    })
    .catch((thrown: unknown) => {
      dialog.showErrorBox('Tapedeck can’t start', `The window hasn’t been built: ${String(thrown)}`)
      void leaving.close().then(() => app.exit(1))
    })

  followOpenRequests(starting, installed, show)
  app.on('activate', show)
  app.on('window-all-closed', () => {
    leaving.allClosed()
    windows.listen()
  })
  app.on('before-quit', (event) => leaving.beforeQuit(event))
}

/** Started by the system at login: no window until it is asked for. macOS passes no words, but tells. */
function startsHidden(): boolean {
  if (process.argv.includes(HIDDEN)) return true
  return process.platform === 'darwin' && app.isPackaged && app.getLoginItemSettings().wasOpenedAtLogin
}

type Log = (level: LogEntry['level'], text: string, detail?: string) => void

/** What a notification can do when it is clicked. */
function noticeHostOf(terminal: () => Terminal | undefined, show: () => void, log: Log): NoticeHost {
  return {
    platform: process.platform,
    window: () => BrowserWindow.getAllWindows().length > 0,
    show,
    snooze(alert, forMs) {
      terminal()
        ?.alerts.snooze([alert], Date.now() + forMs)
        .catch((thrown: unknown) => {
          log('error', 'Couldn’t snooze an alert', String(thrown))
        })
    },
    switchOff(alert) {
      terminal()
        ?.alerts.enable([alert], false)
        .catch((thrown: unknown) => {
          log('error', 'Couldn’t turn off an alert', String(thrown))
        })
    },
  }
}

/** Opens the links and session files of the command line, of double clicks and of a second start. */
function followOpenRequests(starting: Promise<Terminal | undefined>, installed: boolean, show: () => void): void {
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
}
