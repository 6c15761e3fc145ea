/** Detects that the network is back, even without a window. */

/** Polling interval, ms: Electron reports changes only to pages. */
const EVERY_MS = 2_000

/** Calls `back` whenever the computer is online again. Returns a function that stops it. */
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
