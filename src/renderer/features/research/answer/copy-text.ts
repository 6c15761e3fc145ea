/** Copying, with a word on how it went. */
import { say } from '../../../text/catalogue.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'

/** Puts a text on the clipboard; says `told`, or why it could not. */
export async function copyText({ toasts }: Pick<WindowState, 'toasts'>, text: string, told: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.say(told)
  } catch {
    toasts.show(say('research.clipboard-did-not-take-click'), { tone: 'bad' })
  }
}
