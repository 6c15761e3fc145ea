/** The app on its desktop: tray, badge, sleep, start at login, shortcut of everywhere, theme, accent. Follows the terminal. */
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
import type { Settings } from '../../shared/settings.ts'
import type { Terminal } from '../terminal/port.ts'
import { followAccent } from './accent.ts'
import { desktopState, type DesktopState } from './desktop-state.ts'
import { dockMenu, userTasks } from './jump-list.ts'

export interface DesktopOptions {
  /** Folder of the pictures. */
  readonly icons: string
  readonly windows: () => readonly BrowserWindow[]
  readonly show: () => void
  readonly quit: () => void
}

export interface Desktop {
  state(): DesktopState
  close(): void
}

/** How often the tray follows, ms: its tooltip counts seconds. */
const EVERY_MS = 1_000

/** Whether the theme of a setting is dark or light to the system; anything else follows it. */
function themeSource(theme: string): 'dark' | 'light' | 'system' {
  return theme === 'dark' || theme === 'light' ? theme : 'system'
}

/** Puts the terminal on the desktop, until `close`. */
export function followDesktop(terminal: Terminal, options: DesktopOptions): Desktop {
  const picture = (name: string): NativeImage => nativeImage.createFromPath(join(options.icons, name))
  const pictures = { idle: picture('tapedeck-32.png'), recording: picture('tapedeck-32-recording.png') }
  let tray: Tray | undefined
  try {
    tray = new Tray(pictures.idle)
    tray.on('click', options.show)
  } catch (thrown) {
    // Some desktops have no tray: everything else goes on, and closing the window then ends the app.
    terminal.log('info', 'desktop', 'This desktop has no tray', String(thrown))
  }

  if (process.platform === 'darwin')
    app.dock?.setMenu(Menu.buildFromTemplate(dockMenu((ask) => terminal.desk.ask(ask))))
  // While developing the program is Electron's own, which knows no word of ours.
  if (process.platform === 'win32' && app.isPackaged) app.setUserTasks(userTasks(process.execPath))

  let shown: DesktopState | undefined
  let blocker: number | undefined
  function follow(): void {
    const next = desktopState(terminal.status(), terminal.settings())
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
                terminal.log('error', 'desktop', 'Recording could not be switched', String(thrown))
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
        terminal.log('info', 'desktop', 'The system is asked not to suspend Tapedeck while it records')
      } else if (blocker !== undefined) {
        powerSaveBlocker.stop(blocker)
        blocker = undefined
      }
    }
    shown = next
  }
  function badge(recording: boolean): void {
    if (process.platform === 'darwin') app.dock?.setBadge(recording ? 'REC' : '')
    for (const window of options.windows()) {
      if (process.platform === 'win32' && !window.isDestroyed())
        window.setOverlayIcon(recording ? pictures.recording : null, recording ? 'Recording' : '')
    }
  }

  let shortcut = ''
  function followSettings(now: Settings): void {
    nativeTheme.themeSource = themeSource(now.appearance.theme)
    if (app.isPackaged && process.platform !== 'linux' && terminal.info.portable === undefined) {
      app.setLoginItemSettings({ openAtLogin: now.desktop.startAtLogin, args: ['--hidden'] })
    }
    if (now.desktop.bookmarkShortcut !== shortcut) {
      if (shortcut !== '') globalShortcut.unregister(shortcut)
      shortcut = now.desktop.bookmarkShortcut
      if (shortcut !== '' && !registered(shortcut)) {
        terminal.log('warn', 'desktop', `The shortcut ${shortcut} could not be taken: another program has it`)
      }
    }
  }
  function registered(accelerator: string): boolean {
    try {
      return globalShortcut.register(accelerator, bookmark)
    } catch {
      return false // not a shortcut that this system knows
    }
  }
  /** Marks this instant in the recording that runs. */
  function bookmark(): void {
    const { recorder, nowMs } = terminal.status()
    if (recorder.is !== 'recording') return
    terminal.replays
      .addBookmark({ session: recorder.session, atMs: nowMs, seq: null, text: 'Marked by shortcut' })
      .then(
        () => terminal.log('info', 'desktop', 'This instant was marked'),
        (thrown: unknown) => terminal.log('error', 'desktop', 'This instant could not be marked', String(thrown)),
      )
  }

  const settings = terminal.streams.settings({}, () => takeSettings())
  function takeSettings(): void {
    const now = settings.take()
    if (now) followSettings(now)
  }
  takeSettings()
  const unfollowAccent = followAccent(systemPreferences, process.platform, (accent) => terminal.desk.setAccent(accent))
  follow()
  const timer = setInterval(follow, EVERY_MS)
  timer.unref()
  return {
    state: () => desktopState(terminal.status(), terminal.settings()),
    close() {
      clearInterval(timer)
      settings.close()
      unfollowAccent()
      if (shortcut !== '') globalShortcut.unregister(shortcut)
      if (blocker !== undefined) powerSaveBlocker.stop(blocker)
      tray?.destroy()
    },
  }
}
