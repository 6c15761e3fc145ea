/** Copying, with a word on how it went. */
import { t } from '../../../../shared/base/text.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'

/** Copies a text, and shows `notice` or why it couldn't. */
export async function copyText({ toasts }: Pick<WindowState, 'toasts'>, text: string, notice: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.say(notice)
  } catch {
    toasts.show(t('Couldn’t copy. Click the window, then try again.'), { tone: 'bad' })
  }
}
