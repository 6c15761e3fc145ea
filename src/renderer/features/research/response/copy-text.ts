/** Copies to the clipboard. */
import { t } from '../../../../shared/base/text.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'

/** Copies a text. Announces `notice` on success and shows an error otherwise. */
export async function copyText({ toasts }: Pick<WindowState, 'toasts'>, text: string, notice: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.say(notice)
  } catch {
    toasts.show(t('Couldn’t copy. Click the window, then try again.'), { tone: 'bad' })
  }
}
