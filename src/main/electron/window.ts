/** Windows: sandboxed, without Node; the main one is put back where it was. */
import { BrowserWindow, screen } from 'electron'
import { LEAST_SIZE, reachableBounds, readPlacement, writePlacement } from './bounds.ts'

export interface WindowOptions {
  /** Path of the built preload. */
  readonly preload: string
  /** The page to show: `app://tapedeck/`, or the dev server's address. */
  readonly url: string
  /** Where the window's place is kept. */
  readonly placementFile: string
  /** A further window: beside the main one's place, and not remembered. Main by default. */
  readonly further?: boolean
  /** Colour of the window until its page paints. */
  readonly background: string
  /** Tooling for developers is there. */
  readonly devTools: boolean
  /** The page could not be loaded: the window stays empty. */
  readonly onLoadFailure: (thrown: unknown) => void
}

/** How far a further window is put from the main one, px, so that both can be seen. */
const BESIDE = 36

/** Opens a window; it shows itself when its page has painted. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const main = readPlacement(options.placementFile)
  const saved = main && options.further ? { ...main, x: main.x + BESIDE, y: main.y + BESIDE, maximized: false } : main
  const primary = screen.getPrimaryDisplay()
  const screens = [primary, ...screen.getAllDisplays().filter(({ id }) => id !== primary.id)]
  const window = new BrowserWindow({
    ...reachableBounds(
      saved,
      screens.map(({ workArea }) => workArea),
    ),
    minWidth: LEAST_SIZE.width,
    minHeight: LEAST_SIZE.height,
    title: 'Tapedeck',
    show: false,
    backgroundColor: options.background,
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      devTools: options.devTools,
    },
  })
  window.once('ready-to-show', () => {
    if (saved?.maximized) window.maximize()
    window.show()
  })
  window.on('close', () => {
    if (options.further) return
    // Normal bounds: a window that is maximized or minimized goes back to them when it is restored.
    writePlacement(options.placementFile, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  })
  window.loadURL(options.url).catch((thrown: unknown) => options.onLoadFailure(thrown))
  return window
}
