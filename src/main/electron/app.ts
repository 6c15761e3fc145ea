/** The Electron host: joins window, protocol, ports and power to one terminal, and ends it cleanly once. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  app,
  dialog,
  ipcMain,
  nativeTheme,
  powerMonitor,
  protocol,
  session,
  type BrowserWindow,
  type RenderProcessGoneDetails,
} from 'electron'
import { toFailure } from '../../shared/errors.ts'
import type { LogEntry } from '../../shared/state.ts'
import { createHandlers } from '../handlers.ts'
import { openPages } from '../pages.ts'
import type { Terminal } from '../terminal/port.ts'
import { parseLink, LINK_SCHEME } from '../../shared/asks.ts'
import { followDesktop, type Desktop } from './desktop.ts'
import { serveWindows } from './ipc.ts'
import { installMenu } from './menu.ts'
import { askToQuit } from './quit.ts'
import { filesIn, linksIn } from './opened.ts'
import { followPower } from './power.ts'
import { createRevivals } from './revival.ts'
import { askAfterDeaths } from './deaths.ts'
import { registerScheme, servePages } from './protocol.ts'
import { APP_URL, guardApp, guardSession } from './security.ts'
import { openWindow } from './window.ts'

export interface ElectronAppOptions {
  /** The app's own folder: settings, store, window place, and Chromium's files below it. */
  readonly home: string
  /** `home` is carried along: the system learns of no link and no start of ours. */
  readonly portable: boolean
  /** Path of the built preload. */
  readonly preload: string
  /** Folder of the built window. */
  readonly rendererDir: string
  /** Folder of the icons. */
  readonly icons: string
  /** The dev server's address while developing; absent: the built pages. */
  readonly devUrl: string | undefined
  /** Builds the terminal, once the single instance is sure. */
  readonly start: () => Promise<Terminal>
}

/** A terminal that does not end by then is left to the next start, which closes its recording as a crash. */
const LONGEST_CLOSE_MS = 10_000

/** Runs the app until it quits. Returns at once: Electron gets ready only after the main module is read. */
export function runElectronApp(options: ElectronAppOptions): void {
  mkdirSync(options.home, { recursive: true })
  app.setPath('userData', options.home)
  app.setPath('sessionData', join(options.home, 'chromium'))
  registerScheme(protocol)
  if (!app.requestSingleInstanceLock()) {
    app.quit() // the first instance shows its window on `second-instance`
    return
  }

  const url = options.devUrl ?? APP_URL
  const developing = !app.isPackaged
  let window: BrowserWindow | undefined
  let terminal: Terminal | undefined
  const log = (level: LogEntry['level'], text: string, detail?: string): void =>
    terminal?.log(level, 'window', text, detail)

  guardApp(app, url, log, (replay) => openBeside(replay))
  /** A fault nobody caught. The recording goes on: what it would miss comes never again. */
  const surprise = (thrown: unknown): void => {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    log('error', 'An unexpected error', text)
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
    if (!app.isReady() || closing) return
    window = make(url, false)
  }

  /** Replays on screen in windows of their own; more than anyone can look at is a mistake. */
  const beside = new Set<BrowserWindow>()
  const MOST_BESIDE = 8
  function openBeside(replay: string): void {
    if (closing || beside.size >= MOST_BESIDE) return
    const made = make(replay, true)
    beside.add(made)
    made.once('closed', () => beside.delete(made))
  }

  function make(page: string, further: boolean): BrowserWindow {
    const made = openWindow({
      preload: options.preload,
      url: page,
      further,
      placementFile: join(options.home, 'window.json'),
      background: nativeTheme.shouldUseDarkColors ? '#0E1116' : '#F4F6F9',
      devTools: developing,
      onLoadFailure: (thrown) => log('error', 'The window could not be loaded', String(thrown)),
    })
    const { webContents } = made
    const revivals = createRevivals()
    webContents.on('render-process-gone', (_event, { reason }: RenderProcessGoneDetails) => {
      if (reason === 'clean-exit' || closing) return
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

  let closing: Promise<void> | undefined
  let closed = false
  let desktop: Desktop | undefined
  /** The question before quitting, while it is on screen. */
  let asking: Promise<void> | undefined
  let ending = false
  /** Quits without asking: the user was asked, or the system is going down and gives no time for it. */
  const endNow = (): void => {
    ending = true
    void close().then(() => app.quit())
  }
  /** Ends the terminal, once; resolves also when it does not end in time. */
  const close = (): Promise<void> => {
    closing ??= (async () => {
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, LONGEST_CLOSE_MS).unref()
      })
      // A terminal that is still starting is awaited: it may already have begun a recording.
      const ended = starting
        .then((started) => started?.close())
        .catch((thrown: unknown) => {
          log('error', 'The terminal did not close cleanly', String(thrown))
        })
      desktop?.close()
      await Promise.race([ended, patience])
      ports.close()
      closed = true
    })()
    return closing
  }

  const ready = app.whenReady()
  const starting: Promise<Terminal | undefined> = ready.then(options.start).then(
    (started) => (terminal = started),
    (thrown: unknown) => {
      const { message, hint, detail } = toFailure(thrown)
      dialog.showErrorBox('Tapedeck cannot start', [message, hint, detail].filter(Boolean).join('\n\n'))
      closed = true
      app.exit(1)
      return undefined
    },
  )
  const handlers = starting.then((started) => started && createHandlers(started))
  const ports = serveWindows(ipcMain, handlers, url, () => log('warn', 'A page that is not ours asked for a port'))

  const menu = {
    platform: process.platform,
    developing,
    run: (id: string) => terminal?.desk.ask({ do: 'command', id }),
  }
  void ready
    .then(async () => {
      installMenu({ ...menu, rows: [] })
      guardSession(session.defaultSession, url)
      if (options.devUrl === undefined) servePages(protocol, await openPages(options.rendererDir, "'self'"))
      // Started by the system at login: it records, and shows itself when asked.
      if (!process.argv.includes('--hidden')) open()
      const started = await starting
      if (!started) return
      followPower(powerMonitor, started, endNow)
      started.desk.onMenu((rows) => installMenu({ ...menu, rows }))
      desktop = followDesktop(started, {
        icons: options.icons,
        windows: () => [...beside, ...(window ? [window] : [])],
        show,
        quit: () => app.quit(),
      })
    })
    .catch((thrown: unknown) => {
      dialog.showErrorBox('Tapedeck cannot start', `The window is not built: ${String(thrown)}`)
      void close().then(() => app.exit(1))
    })

  /** Links of ours: they name what to look at, and nothing else (see `parseLink`). */
  const openLinks = (words: readonly string[]): void => {
    for (const word of linksIn(words)) {
      const ask = parseLink(word)
      void starting.then((started) => {
        if (ask) started?.desk.ask(ask)
        else started?.log('warn', 'desktop', 'A link that asks for nothing known was opened and ignored')
      })
    }
  }
  /** Session files that the system asked to open: by the command line, by a double click, by a second start. */
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
  // Only an installed app may take the scheme for itself.
  if (app.isPackaged && !options.portable) app.setAsDefaultProtocolClient(LINK_SCHEME.slice(0, -1))
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
    // Told apart before they are made whole: a link would become a path.
    openFiles(filesIn(argv.slice(1)).map((path) => resolve(workingDirectory, path)))
    openLinks(argv.slice(1))
    show()
  })
  app.on('activate', show)
  app.on('window-all-closed', () => {
    if (process.platform === 'darwin' || desktop?.state().staysWithoutWindow) return
    app.quit()
  })
  app.on('before-quit', (event) => {
    if (closed) return
    event.preventDefault()
    if (!ending && terminal && desktop?.state().asksBeforeQuit) {
      asking ??= askToQuit(terminal).then((answer) => {
        asking = undefined
        if (answer === 'end') endNow()
        else if (answer === 'window') for (const one of [...beside, window]) one?.close()
      })
      return
    }
    endNow()
  })
}
