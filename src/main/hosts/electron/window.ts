/** Windows: sandboxed, without Node; the main one is put back where it was. */
import { BrowserWindow, screen } from 'electron'
import {
  DESIGN_SIZE,
  MIN_BESIDE,
  MIN_SIZE,
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
  /** File of the main window's placement. */
  readonly placementFile: string
  /** Set for a window besides the main one. */
  readonly further?: {
    /** File of their placements. */
    readonly placesFile: string
    /** Its key there; null opens it next to the main window and doesn't save its placement. */
    readonly key: string | null
    /** Its size until a placement is saved. */
    readonly size: Size
  }
  /** Background color until the page paints. */
  readonly background: string
  /** Whether developer tools are available. */
  readonly devTools: boolean
  /** Called if the page couldn't be loaded. */
  readonly onLoadFailure: (thrown: unknown) => void
}

/** Offset of a further window from the main one, px, so that both are visible. */
const BESIDE = 36

function placeBeside(
  mainFile: string,
  { placesFile, key, size }: NonNullable<WindowOptions['further']>,
): Placement | undefined {
  const saved = key === null ? undefined : readPlaces(placesFile).get(key)
  const main = readPlacement(mainFile)
  return saved ?? (main && { ...size, x: main.x + BESIDE, y: main.y + BESIDE, maximized: false })
}

/** Opens a window; it shows itself when its page has painted. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { further } = options
  const saved = further ? placeBeside(options.placementFile, further) : readPlacement(options.placementFile)
  const least = further ? MIN_BESIDE : MIN_SIZE
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
    // Normal bounds are what a maximized or minimized window returns to.
    const place = { ...window.getNormalBounds(), maximized: window.isMaximized() }
    if (!further) writePlacement(options.placementFile, place)
    else if (further.key !== null) keepPlace(further.placesFile, further.key, place)
  })
  window.loadURL(options.url).catch((thrown: unknown) => options.onLoadFailure(thrown))
  return window
}
