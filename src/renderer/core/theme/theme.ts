/** What the document wears: theme, direction, density, size of the text, motion. */
import type { Settings } from '../../../shared/core/settings/settings.ts'
import { rowHeightOf } from './row-height.ts'
import { accentColours } from './accent.ts'

export type Look = 'dark' | 'light' | 'contrast'
export type Motion = 'less' | 'full'
type Appearance = Settings['appearance']

/** The media queries that a look may depend on. */
export const LOOK_QUERIES = [
  '(prefers-color-scheme: light)',
  '(prefers-contrast: more)',
  '(prefers-reduced-motion: reduce)',
] as const

/** The look of a theme; `system` follows what the system prefers. */
export function lookOf(theme: Appearance['theme'], prefers: (query: string) => boolean): Look {
  if (theme !== 'system') return theme
  if (prefers('(prefers-contrast: more)')) return 'contrast'
  return prefers('(prefers-color-scheme: light)') ? 'light' : 'dark'
}

/** Whether things may fade or slide. */
export function motionOf(motion: Appearance['motion'], prefers: (query: string) => boolean): Motion {
  if (motion !== 'system') return motion
  return prefers('(prefers-reduced-motion: reduce)') ? 'less' : 'full'
}

/** Puts an appearance on the root of a document: the main window's and those of popped-out panes. */
export function wear(root: HTMLElement, appearance: Appearance, look: Look, motion: Motion): void {
  root.dataset['theme'] = look
  root.dataset['direction'] = appearance.direction
  root.dataset['density'] = appearance.density
  root.dataset['motion'] = motion
  root.style.setProperty('--scale', String(appearance.scale / 100))
  root.style.setProperty('--row', `${rowHeightOf(appearance)}px`)
}

/** The tokens that an accent which is not ours takes the place of. */
const TOKENS = {
  accent: '--accent',
  accentText: '--accent-text',
  onAccent: '--on-accent',
  selected: '--selected',
} as const

/** Puts an accent on a root that wears a look already, as far as it can be read there; null: the look's own. */
export function wearAccent(root: HTMLElement, accent: string | null): void {
  for (const token of Object.values(TOKENS)) root.style.removeProperty(token)
  if (accent === null) return
  const css = getComputedStyle(root)
  const ground = (token: string): string => css.getPropertyValue(token).trim()
  const colours = accentColours(accent, {
    page: ground('--page'),
    pane: ground('--pane'),
    raised: ground('--raised'),
    text: ground('--text'),
    dim: ground('--dim'),
  })
  if (colours === null) return
  root.style.setProperty(TOKENS.accent, colours.accent)
  root.style.setProperty(TOKENS.accentText, colours.accentText)
  root.style.setProperty(TOKENS.onAccent, colours.onAccent)
  root.style.setProperty(TOKENS.selected, colours.selected)
}
