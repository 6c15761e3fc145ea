/** The global shortcut: one accelerator at a time, or none. */
import type { GlobalShortcut } from 'electron'

export interface Shortcut {
  /** Registers another accelerator; `''` for none. Returns why it failed, or null. */
  take(accelerator: string): 'taken' | 'unknown' | null
}

export function followShortcut(global: Pick<GlobalShortcut, 'register' | 'unregister'>, run: () => void): Shortcut {
  let held = ''
  return {
    take(accelerator) {
      if (held !== '') global.unregister(held)
      held = ''
      if (accelerator === '') return null
      try {
        if (!global.register(accelerator, run)) return 'taken'
      } catch {
        return 'unknown' // Not a valid accelerator on this system.
      }
      held = accelerator
      return null
    },
  }
}
