/** Copying, with a word on how it went. */
import { t } from '../../../../shared/base/text.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'

/** Puts a text on the clipboard; says `told`, or why it could not. */
export async function copyText({ toasts }: Pick<WindowState, 'toasts'>, text: string, told: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.say(told)
  } catch {
    toasts.show(t('Couldn’t copy. Click the window, then try again.'), { tone: 'bad' })
  }
}
