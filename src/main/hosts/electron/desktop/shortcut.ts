/** The shortcut of everywhere: one accelerator at a time, or none. */
import type { GlobalShortcut } from 'electron'

export interface Shortcut {
  /** Takes another one; `''`: none. Answers why it does nothing; null: nothing stands against it. */
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
        return 'unknown' // no accelerator, or none that this system has
      }
      held = accelerator
      return null
    },
  }
}
