/**
 * Where popped-out windows stood, for the host that does not know it itself: a page may not look at other windows, so
 * each writes its own place and who opens it again reads it. By workspace and name, in the storage of the page.
 */
import * as v from 'valibot'

/** Px of the screen; size of what is inside. */
export interface WindowPlace {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Smaller ones would hide what they hold; larger ones are no place that a window had. */
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

/** Keeps the place of a window; what is no place, as of one that is hidden, and what cannot be kept is passed over. */
export function keepPlace(store: Store, workspace: string, window: string, place: WindowPlace): void {
  if (!v.is(placeSchema, place)) return
  try {
    store.setItem(keyOf(workspace, window), JSON.stringify(place))
  } catch {
    // No room: the window opens at its usual place.
  }
}

/** What to open a window with: where it was kept, else its usual size. */
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

/** Keeps the place of this window while it lives; answers how to end that. A move tells nobody, so it is looked for. */
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
