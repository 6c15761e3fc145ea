/** The watchlist feature of a window: pane and commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { alerts } from '../alerts/feature.ts'
import { provideWatchlist } from './context.ts'
import DockedWatchlist from './DockedWatchlist.svelte'
import ImportListDialog from './ImportListDialog.svelte'
import { ListImport } from './list-import.svelte.ts'
import { WATCHLIST_COMMANDS } from './watchlist-commands.ts'

export const watchlist = defineWindowFeature({
  name: 'watchlist',
  needs: { alerts },
  start({ alerts }, { transport }) {
    const listImport = new ListImport(transport)
    return {
      service: null,
      provide: () => provideWatchlist({ alerts: alerts.alerts, listImport }),
      panes: [{ kind: 'watchlist', component: DockedWatchlist }],
      commands: WATCHLIST_COMMANDS,
      dialogs: [{ name: 'import-list', component: ImportListDialog }],
    }
  },
})
