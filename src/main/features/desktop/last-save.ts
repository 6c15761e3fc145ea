/** Lets windows send what they hold back, such as the last step of a drag, before the terminal closes. */

/** A window that doesn't answer, for example because it hangs, delays closing by this, ms. */
const PATIENCE_MS = 500

export interface LastSave {
  /** Whether windows are asked to save. */
  readonly isAsked: boolean
  saved(): void
  /** Asks all windows and resolves when they have saved, or soon. */
  ask(): Promise<void>
}

export interface LastSaveOptions {
  readonly windows: () => number
  /** Tells them that `isAsked` has changed. */
  readonly tell: () => void
  readonly patienceMs?: number
}

export function createLastSave({ windows, tell, patienceMs = PATIENCE_MS }: LastSaveOptions): LastSave {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAsked = false
  let saved = 0
  return {
    get isAsked() {
      return isAsked
    },
    saved() {
      if (++saved >= windows()) resolve()
    },
    async ask() {
      if (windows() === 0) return
      isAsked = true
      tell()
      const timer = setTimeout(resolve, patienceMs)
      await promise
      clearTimeout(timer)
    },
  }
}
