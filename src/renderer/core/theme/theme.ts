/** Applies the appearance to a document: theme, direction colors, density, text size, motion. */
import type { Settings } from '../../../shared/core/settings/settings.ts'
import { rowHeightOf } from '../../styles/row-height.ts'
import { accentColours } from './accent.ts'

export type Look = 'dark' | 'light' | 'contrast'
export type Motion = 'less' | 'full'
type Appearance = Settings['appearance']

/** The media queries that the theme can depend on. */
export const LOOK_QUERIES = [
  '(prefers-color-scheme: light)',
  '(prefers-contrast: more)',
  '(prefers-reduced-motion: reduce)',
  '(forced-colors: active)',
] as const

/**
 * Resolves the theme setting; `system` follows the system's preference. Colors that the system forces on every page
 * don't reach canvases, so charts get the theme that is closest to them, whatever the setting.
 */
export function lookOf(theme: Appearance['theme'], prefers: (query: string) => boolean): Look {
  if (prefers('(forced-colors: active)')) return prefers('(prefers-color-scheme: light)') ? 'light' : 'contrast'
  if (theme !== 'system') return theme
  if (prefers('(prefers-contrast: more)')) return 'contrast'
  return prefers('(prefers-color-scheme: light)') ? 'light' : 'dark'
}

/** Whether fades and slides are allowed. */
export function motionOf(motion: Appearance['motion'], prefers: (query: string) => boolean): Motion {
  if (motion !== 'system') return motion
  return prefers('(prefers-reduced-motion: reduce)') ? 'less' : 'full'
}

/** Applies an appearance to the root of a document: the main window's or that of a popped-out pane. */
export function wear(root: HTMLElement, appearance: Appearance, look: Look, motion: Motion): void {
  root.dataset['theme'] = look
  root.dataset['direction'] = appearance.direction
  root.dataset['density'] = appearance.density
  root.dataset['motion'] = motion
  root.style.setProperty('--scale', String(appearance.scale / 100))
  root.style.setProperty('--row', `${rowHeightOf(appearance)}px`)
}

/** The tokens that the system's accent color replaces. */
const TOKENS = {
  accent: '--accent',
  accentText: '--accent-text',
  onAccent: '--on-accent',
  selected: '--selected',
} as const

/** Applies an accent color to a themed root, adjusted to be readable there. Null restores the theme's own. */
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
