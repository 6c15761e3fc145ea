/**
 * Elects one of several windows of the app to do what must be done only once. The first window leads until it closes,
 * then another takes over. Without the Web Locks API, every window leads.
 */
export function leadership(name: string): { leads(): boolean; release(): void } {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  if (locks === undefined) return { leads: () => true, release: () => undefined }
  let leads = false
  let release = (): void => undefined
  const stop = new AbortController()
  locks
    .request(name, { signal: stop.signal }, () => {
      leads = true
      return new Promise<void>((resolve) => {
        release = resolve
      })
    })
    .catch(() => undefined) // released before the lock was granted
  return {
    leads: () => leads,
    release() {
      leads = false
      stop.abort()
      release()
    },
  }
}
