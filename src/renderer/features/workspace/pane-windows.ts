/** Tracks which popped-out windows are open: each holds a Web Lock under its name until it closes. */

const nameOf = (workspace: string, window: string) => `tapedeck pane window ${workspace} ${window}`

/** Holds this window's lock until the window closes. */
export function holdWindow(workspace: string, window: string): void {
  void navigator.locks.request(nameOf(workspace, window), () => new Promise<never>(() => undefined))
}

/** Names of the locks of windows that this one opened and that haven't been seen yet. */
const opening = new Set<string>()

/** Remembers that this window has just opened another one, which may take a while to load. */
export function expectWindow(workspace: string, window: string): void {
  opening.add(nameOf(workspace, window))
}

/** A window that doesn't hold its lock so many times in a row is gone; one that is still loading has more time. */
const MISSES = 12
const MISSES_WHILE_LOADING = 60
/** How often a window looks which of those it opened are there. */
export const ASK_MS = 500
/** How long a popped-out window may take to load before its panes are taken back. */
export const LOADING_MS = MISSES_WHILE_LOADING * ASK_MS

/** Finds out which popped-out windows of a workspace are gone. */
export class LostWindows {
  readonly #workspace: string
  readonly #missed = new Map<string, number>()

  constructor(workspace: string) {
    this.#workspace = workspace
  }

  /** Those of `windows` that are gone. `living`: those that hold their locks now. Call it every `ASK_MS`. */
  after(windows: readonly string[], living: ReadonlySet<string>): readonly string[] {
    return windows.filter((one) => {
      const name = nameOf(this.#workspace, one)
      const missed = living.has(one) ? 0 : (this.#missed.get(one) ?? 0) + 1
      this.#missed.set(one, missed)
      const isLost = missed >= (opening.has(name) ? MISSES_WHILE_LOADING : MISSES)
      if (isLost || living.has(one)) opening.delete(name)
      return isLost
    })
  }
}

/** Filters window ids to those that are open. */
export async function livingWindows(workspace: string, windows: readonly string[]): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map((one) => one.name))
  return new Set(windows.filter((one) => names.has(nameOf(workspace, one))))
}
