/**
 * Of several windows of one app, the one that does what is to be done once. The first has it until it is
 * closed; then another. Without locks every window thinks it leads.
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
    .catch(() => undefined) // given up before it came
  return {
    leads: () => leads,
    release() {
      leads = false
      stop.abort()
      release()
    },
  }
}
