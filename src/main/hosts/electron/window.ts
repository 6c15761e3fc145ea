/** Windows: sandboxed, without Node; the main one is put back where it was. */
import { BrowserWindow, screen } from 'electron'
import {
  DESIGN_SIZE,
  LEAST_BESIDE,
  LEAST_SIZE,
  reachableBounds,
  readPlacement,
  writePlacement,
  type Placement,
  type Size,
} from './bounds.ts'
import { keepPlace, readPlaces } from './window-places.ts'

export interface WindowOptions {
  /** Path of the built preload. */
  readonly preload: string
  /** The page to show: `app://tapedeck/`, or the dev server's address. */
  readonly url: string
  /** Where the main window's place is kept. */
  readonly placementFile: string
  /** A window beside the main one; absent: the main one. */
  readonly further?: {
    /** Where the places of such windows are kept. */
    readonly placesFile: string
    /** What it is known by there; null: it opens beside the main one and is not remembered. */
    readonly key: string | null
    /** Its size until it has a place of its own. */
    readonly size: Size
  }
  /** Colour of the window until its page paints. */
  readonly background: string
  /** Tooling for developers is there. */
  readonly devTools: boolean
  /** The page could not be loaded: the window stays empty. */
  readonly onLoadFailure: (thrown: unknown) => void
}

/** How far a further window is put from the main one, px, so that both can be seen. */
const BESIDE = 36

function placeBeside(
  mainFile: string,
  { placesFile, key, size }: NonNullable<WindowOptions['further']>,
): Placement | undefined {
  const kept = key === null ? undefined : readPlaces(placesFile).get(key)
  const main = readPlacement(mainFile)
  return kept ?? (main && { ...size, x: main.x + BESIDE, y: main.y + BESIDE, maximized: false })
}

/** Opens a window; it shows itself when its page has painted. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { further } = options
  const saved = further ? placeBeside(options.placementFile, further) : readPlacement(options.placementFile)
  const least = further ? LEAST_BESIDE : LEAST_SIZE
  const primary = screen.getPrimaryDisplay()
  const screens = [primary, ...screen.getAllDisplays().filter(({ id }) => id !== primary.id)]
  const window = new BrowserWindow({
    ...reachableBounds(
      saved,
      screens.map(({ workArea }) => workArea),
      least,
      further?.size ?? DESIGN_SIZE,
    ),
    minWidth: least.width,
    minHeight: least.height,
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
    // Normal bounds: a window that is maximized or minimized goes back to them when it is restored.
    const place = { ...window.getNormalBounds(), maximized: window.isMaximized() }
    if (!further) writePlacement(options.placementFile, place)
    else if (further.key !== null) keepPlace(further.placesFile, further.key, place)
  })
  window.loadURL(options.url).catch((thrown: unknown) => options.onLoadFailure(thrown))
  return window
}
