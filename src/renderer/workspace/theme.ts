/** Which look the document wears. */
import type { Settings } from '../../shared/settings.ts'

export type Look = 'dark' | 'light' | 'contrast'

/** The look of a theme; `system` follows what the system prefers. */
export function lookOf(theme: Settings['appearance']['theme'], prefers: (query: string) => boolean): Look {
  if (theme !== 'system') return theme
  if (prefers('(prefers-contrast: more)')) return 'contrast'
  return prefers('(prefers-color-scheme: light)') ? 'light' : 'dark'
}
