/** An endpoint that was chosen in the palette or the help: the pane that shows it goes there, once. */
import type { WindowState } from '../../core/window/window.svelte.ts'

/** Call it in an `$effect`. `show` answers whether the endpoint is one of the pane's. */
export function takeAsked(app: WindowState, show: (endpoint: string) => boolean): void {
  const asked = app.askedEndpoint
  if (asked && show(asked.id)) app.askedEndpoint = null
}
