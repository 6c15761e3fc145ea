/** Research requests of a component. They follow its question and the replay's clock, and end with the component. */
import { untrack } from 'svelte'
import type { WindowState } from '../../../core/window/window.svelte.ts'
import { ResponseState } from './research.svelte.ts'

/** Sends requests while the component exists. `question` is reactive; null sends none. Call during initialization. */
export function useResponse(
  app: WindowState,
  question: () => { readonly endpoint: string; readonly symbol: string } | null,
): ResponseState {
  const asked = new ResponseState(app.transport)
  $effect(() => {
    const now = question()
    if (now === null) return
    const params = app.settings.now.research.params[now.endpoint] ?? {}
    const whole = { view: app.view, ...now, params }
    untrack(() => asked.ask(whole))
  })
  $effect(() => () => asked.close())
  $effect(() => {
    void app.nowMs // follows the replay's clock, including jumps
    if (app.view !== 'live') untrack(() => void asked.follow())
  })
  return asked
}
