/** Opens an endpoint chosen in the palette or the help in the pane that shows it. */
import type { WindowState } from '../../core/window/window.svelte.ts'

/** Call this in an `$effect`. `show` returns true if the endpoint belongs to the pane, which clears the request. */
export function takeAsked(app: WindowState, show: (endpoint: string) => boolean): void {
  const asked = app.askedEndpoint
  if (asked && show(asked.id)) app.askedEndpoint = null
}
