/** Theme and text size commands. */
import { TEXT_SCALES } from '../../../shared/core/settings/comfort-settings.ts'
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../window/command.ts'
import { general } from '../window/general.ts'
import type { WindowState } from '../window/window.svelte.ts'

/** Switches to the next larger or smaller text size. */
function resize(app: WindowState, step: 1 | -1): void {
  const at = TEXT_SCALES.indexOf(app.settings.now.appearance.scale)
  const scale = TEXT_SCALES[at + step]
  if (scale === undefined) return
  app.set({ appearance: { scale } })
  app.toasts.say(t('Text size {percent} %', { percent: scale }))
}

export const THEME_COMMANDS: readonly Command[] = [
  general('theme', t('Switch between dark and light'), ['Alt+T'], (app) =>
    app.set({ appearance: { theme: document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light' } }),
  ),
  general('larger', t('Larger text'), ['Alt++'], (app) => resize(app, 1)),
  general('smaller', t('Smaller text'), ['Alt+-'], (app) => resize(app, -1)),
  general('usual-size', t('Reset text size'), [], (app) => app.set({ appearance: { scale: 100 } })),
]
