/** The screener of a window: its pane, saved screens, and notices of who entered or left them. */
import { changeText } from '../../../shared/features/screener/change-text.ts'
import { screenerSettings } from '../../../shared/features/screener/screen.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { SCREENER_COMMANDS } from './screener-commands.ts'
import ScreenerPane from './ScreenerPane.svelte'

export const screener = defineWindowFeature({
  name: 'screener',
  needs: {},
  settings: [screenerSettings],
  start(_, app) {
    /** The changes of the last value. Changes from before this window opened aren't shown. */
    let known: ReadonlySet<number> | null = null
    const stop = keepStream(app.transport, 'screener.changes', {}, (changes) => {
      for (const change of changes) {
        if (known !== null && !known.has(change.id) && app.route.window === undefined)
          app.toasts.show(`${change.name}: ${changeText(change)}`)
      }
      known = new Set(changes.map(({ id }) => id))
    })
    return {
      service: null,
      panes: [{ kind: 'screener', component: ScreenerPane, sized: true }],
      commands: SCREENER_COMMANDS,
      close: stop,
    }
  },
})
