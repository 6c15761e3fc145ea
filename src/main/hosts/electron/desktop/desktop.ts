/** Applies the terminal's state to the desktop: tray, badge, sleep, start at login, global shortcut, theme, accent. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  app,
  globalShortcut,
  Menu,
  nativeImage,
  nativeTheme,
  powerSaveBlocker,
  systemPreferences,
  Tray,
  type BrowserWindow,
  type NativeImage,
} from 'electron'
import type { Settings } from '../../../../shared/core/settings/settings.ts'
import type { StatusState } from '../../../../shared/core/status/status.ts'
import type { Terminal } from '../../open-terminal.ts'
import { followAccent } from './accent.ts'
import type { Notice } from '../../../terminal/host.ts'
import { desktopState, recorderNotice, type DesktopState } from './desktop-state.ts'
import { dockMenu, userTasks } from './jump-list.ts'
import { canStartAtLogin, setStartAtLogin, type LoginHost } from './login.ts'
import { followShortcut } from './shortcut.ts'

export interface DesktopOptions {
  /** Folder of the pictures. */
  readonly icons: string
  /** Installed rather than portable: may register with the system. */
  readonly installed: boolean
  readonly windows: () => readonly BrowserWindow[]
  /** Whether a window has the focus, so no notification is needed. */
  readonly focused: () => boolean
  readonly show: () => void
  readonly notify: (notice: Notice) => void
  readonly quit: () => void
}

export interface Desktop {
  state(): DesktopState
  /** Whether there is a tray icon, so the app can be reached without a window. */
  readonly tray: boolean
  /** Gives a new window the same taskbar overlay as the others. */
  dress(window: BrowserWindow): void
  close(): void
}

/** Update interval of the tray, ms: its tooltip counts seconds. */
const EVERY_MS = 1_000

/** The system's name for a theme setting; anything but dark and light follows the system. */
function themeSource(theme: string): 'dark' | 'light' | 'system' {
  return theme === 'dark' || theme === 'light' ? theme : 'system'
}

/** Keeps the desktop up to date until `close`. */
export function followDesktop(terminal: Terminal, options: DesktopOptions): Desktop {
  const picture = (name: string): NativeImage => nativeImage.createFromPath(join(options.icons, name))
  const pictures = { idle: picture('tapedeck-32.png'), recording: picture('tapedeck-32-recording.png') }
  let tray: Tray | undefined
  try {
    tray = new Tray(pictures.idle)
    tray.on('click', options.show)
  } catch (thrown) {
    // Some desktops have no tray. There, closing the last window quits the app.
    terminal.log('info', 'desktop', 'This desktop has no tray', String(thrown))
  }

  if (process.platform === 'darwin')
    app.dock?.setMenu(Menu.buildFromTemplate(dockMenu((ask) => terminal.desktop.ask(ask))))
  // While developing the program is Electron's own, which knows no word of ours.
  // What is carried along would be started without its folder.
  if (process.platform === 'win32' && options.installed) app.setUserTasks(userTasks(process.execPath))

  let shown: DesktopState | undefined
  let seen: StatusState | undefined
  let blocker: number | undefined
  function follow(): void {
    const status = terminal.status()
    const notice = recorderNotice(seen, status)
    seen = status
    if (notice !== null && !options.focused()) options.notify(notice)
    const next = desktopState(status, terminal.settings(), tray !== undefined)
    if (next.tooltip !== shown?.tooltip) tray?.setToolTip(next.tooltip)
    if (next.recording !== shown?.recording) {
      tray?.setImage(next.recording ? pictures.recording : pictures.idle)
      tray?.setContextMenu(
        Menu.buildFromTemplate([
          { label: 'Open Tapedeck', click: options.show },
          { type: 'separator' },
          {
            label: 'Record',
            type: 'checkbox',
            checked: next.recording,
            click: ({ checked }) => {
              terminal.setRecording(checked).catch((thrown: unknown) => {
                terminal.log('error', 'desktop', 'Couldn’t turn recording on or off', String(thrown))
              })
            },
          },
          { type: 'separator' },
          { label: 'Quit', click: options.quit },
        ]),
      )
      badge(next.recording)
    }
    if (next.keepAwake !== shown?.keepAwake) {
      if (next.keepAwake) {
        blocker = powerSaveBlocker.start('prevent-app-suspension')
        terminal.log('info', 'desktop', 'Keeping the computer awake while recording')
      } else if (blocker !== undefined) {
        powerSaveBlocker.stop(blocker)
        blocker = undefined
      }
    }
    shown = next
  }
  function badge(recording: boolean): void {
    if (process.platform === 'darwin') app.dock?.setBadge(recording ? 'REC' : '')
    for (const window of options.windows()) overlay(window, recording)
  }
  function overlay(window: BrowserWindow, recording: boolean): void {
    if (process.platform === 'win32' && !window.isDestroyed())
      window.setOverlayIcon(recording ? pictures.recording : null, recording ? 'Recording' : '')
  }

  const login: LoginHost = {
    platform: process.platform,
    installed: options.installed,
    program: process.env['APPIMAGE'] ?? process.execPath,
    config: process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'),
    setItem: (item) => app.setLoginItemSettings(item),
  }
  const startsAtLogin = canStartAtLogin(login)
  const shortcut = followShortcut(globalShortcut, bookmark)
  let asked: Settings['desktop'] | undefined
  function followSettings(now: Settings): void {
    nativeTheme.themeSource = themeSource(now.appearance.theme)
    const { startAtLogin, bookmarkShortcut } = now.desktop
    if (startAtLogin !== asked?.startAtLogin) {
      try {
        setStartAtLogin(login, startAtLogin)
      } catch (thrown) {
        terminal.log('warn', 'desktop', 'Couldn’t change the start at login', String(thrown))
      }
    }
    if (bookmarkShortcut !== asked?.bookmarkShortcut) {
      const fault = shortcut.take(bookmarkShortcut)
      if (fault !== null) {
        const why = fault === 'taken' ? 'another program uses it' : 'it isn’t valid on this system'
        terminal.log('warn', 'desktop', `Couldn’t register the shortcut ${bookmarkShortcut}: ${why}`)
      }
      terminal.desktop.setFacts({ startsAtLogin, ...(fault === null ? {} : { shortcutFault: fault }) })
    }
    asked = now.desktop
  }
  /** Adds a bookmark at the current time of the open session. */
  function bookmark(): void {
    const { recorder, nowMs } = terminal.status()
    if (recorder.is !== 'recording') return
    terminal.replays.addBookmark({ session: recorder.session, atMs: nowMs, seq: null, text: 'Added by shortcut' }).then(
      () => terminal.log('info', 'desktop', 'Bookmark added'),
      (thrown: unknown) => terminal.log('error', 'desktop', 'Couldn’t add a bookmark', String(thrown)),
    )
  }

  const unfollowSettings = terminal.onSettings(followSettings)
  followSettings(terminal.settings())
  const unfollowAccent = followAccent(systemPreferences, process.platform, (accent) =>
    terminal.desktop.setAccent(accent),
  )
  follow()
  const timer = setInterval(follow, EVERY_MS)
  timer.unref()
  return {
    state: () => desktopState(terminal.status(), terminal.settings(), tray !== undefined),
    tray: tray !== undefined,
    dress: (window) => overlay(window, shown?.recording === true),
    close() {
      clearInterval(timer)
      unfollowSettings()
      unfollowAccent()
      shortcut.take('')
      if (blocker !== undefined) powerSaveBlocker.stop(blocker)
      tray?.destroy()
    },
  }
}
