/** Tracks which popped-out windows are open: each holds a Web Lock under its name until it closes. */

const nameOf = (workspace: string, window: string) => `tapedeck pane window ${workspace} ${window}`

/** Holds this window's lock until the window closes. */
export function holdWindow(workspace: string, window: string): void {
  void navigator.locks.request(nameOf(workspace, window), () => new Promise<never>(() => undefined))
}

/** Filters window ids to those that are open. */
export async function livingWindows(workspace: string, windows: readonly string[]): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map((one) => one.name))
  return new Set(windows.filter((one) => names.has(nameOf(workspace, one))))
}
