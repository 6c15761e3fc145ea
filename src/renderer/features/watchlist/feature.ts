/** The watchlist feature of a window: pane and commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { alerts } from '../alerts/feature.ts'
import { provideWatchlist } from './context.ts'
import DockedWatchlist from './DockedWatchlist.svelte'
import { WATCHLIST_COMMANDS } from './watchlist-commands.ts'

export const watchlist = defineWindowFeature({
  name: 'watchlist',
  needs: { alerts },
  start: (services) => ({
    service: null,
    provide: () => provideWatchlist(services.alerts),
    panes: [{ kind: 'watchlist', component: DockedWatchlist }],
    commands: WATCHLIST_COMMANDS,
  }),
})
