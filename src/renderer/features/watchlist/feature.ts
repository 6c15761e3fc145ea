/** Watchlists in the window: their pane and their commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import DockedWatchlist from './DockedWatchlist.svelte'
import { WATCHLIST_COMMANDS } from './watchlist-commands.ts'

export const watchlist = defineWindowFeature({
  name: 'watchlist',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'watchlist', component: DockedWatchlist }],
    commands: WATCHLIST_COMMANDS,
  }),
})
