/** The return of the network, also while no window is there to hear of it. */

/** How often it is looked at, ms: the system tells it to pages alone. */
const EVERY_MS = 2_000

/** Calls `back` whenever the machine is on a network again; answers how to end that. */
export function followNetwork(isOnline: () => boolean, back: () => void): () => void {
  let online = isOnline()
  const timer = setInterval(() => {
    const before = online
    online = isOnline()
    if (online && !before) back()
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
