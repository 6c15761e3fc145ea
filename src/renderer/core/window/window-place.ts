/**
 * Remembers the positions of popped-out windows in the browser host. A page can't read other windows' positions, so
 * each window saves its own, and the window that reopens it reads it. Stored in the page's storage by workspace and
 * name.
 */
import * as v from 'valibot'

/** Position on the screen and inner size, px. */
export interface WindowPlace {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Smaller windows would hide their content; larger sizes can't be real. */
const MIN = { width: 320, height: 240 }
const FARTHEST = 32_000
const far = v.pipe(v.number(), v.integer(), v.minValue(-FARTHEST), v.maxValue(FARTHEST))
const placeSchema = v.object({
  left: far,
  top: far,
  width: v.pipe(far, v.minValue(MIN.width)),
  height: v.pipe(far, v.minValue(MIN.height)),
})
const USUAL = 'popup,width=760,height=560'

type Store = Pick<Storage, 'getItem' | 'setItem'>
const keyOf = (workspace: string, window: string): string => `tapedeck.place ${workspace} ${window}`

/** Saves the position of a window. Ignores invalid positions, such as of hidden windows, and storage errors. */
export function keepPlace(store: Store, workspace: string, window: string, place: WindowPlace): void {
  if (!v.is(placeSchema, place)) return
  try {
    store.setItem(keyOf(workspace, window), JSON.stringify(place))
  } catch {
    // Storage is full or unavailable: the window opens at its default position.
  }
}

/** The `window.open` features of a window: its saved position, or else the default size. */
export function featuresOf(store: Store, workspace: string, window: string): string {
  try {
    const read = v.safeParse(placeSchema, JSON.parse(store.getItem(keyOf(workspace, window)) ?? 'null'))
    if (!read.success) return USUAL
    const { left, top, width, height } = read.output
    return `popup,left=${left},top=${top},width=${width},height=${height}`
  } catch {
    return USUAL
  }
}

/** Saves this window's position until the returned function is called. Polls, because moving fires no event. */
export function followPlace(workspace: string, window_: string, view: Window = window): () => void {
  const keep = () =>
    keepPlace(view.localStorage, workspace, window_, {
      left: Math.round(view.screenX),
      top: Math.round(view.screenY),
      width: Math.round(view.innerWidth),
      height: Math.round(view.innerHeight),
    })
  const timer = view.setInterval(keep, 2_000)
  view.addEventListener('resize', keep)
  view.addEventListener('pagehide', keep)
  return () => {
    view.clearInterval(timer)
    view.removeEventListener('resize', keep)
    view.removeEventListener('pagehide', keep)
  }
}
