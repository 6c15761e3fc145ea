/** Which popped-out windows there are: each holds a lock by its name for as long as it lives. */

const nameOf = (workspace: string, window: string) => `tapedeck pane window ${workspace} ${window}`

/** Tells the other windows that this one is there, until it goes. */
export function holdWindow(workspace: string, window: string): void {
  void navigator.locks.request(nameOf(workspace, window), () => new Promise<never>(() => undefined))
}

/** Of some windows those that are there. */
export async function livingWindows(workspace: string, windows: readonly string[]): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map((one) => one.name))
  return new Set(windows.filter((one) => names.has(nameOf(workspace, one))))
}
