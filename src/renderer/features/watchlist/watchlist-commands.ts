/** Commands of the watchlist and its lists. */
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { Command } from '../../core/window/command.ts'
import { nothing } from '../../core/window/general.ts'

function stepList(app: WindowState, step: 1 | -1): void {
  const lists = app.settings.now.watchlists
  const at = lists.findIndex((list) => list.id === app.list.id)
  const to = lists[(at + step + lists.length) % lists.length]
  if (to) app.setWorkspace({ activeWatchlist: to.id })
}

const watchlist = (id: string, title: string, keys: readonly string[], run?: Command['run']): Command => ({
  id,
  group: 'Watchlist',
  title,
  keys,
  run: run ?? nothing,
  ...(run ? {} : { listedOnly: true }),
})

export const WATCHLIST_COMMANDS: readonly Command[] = [
  watchlist('rows', t('Next and previous symbol'), ['\u2193', '\u2191']),
  watchlist('move', t('Move symbol'), ['Alt+\u2193', 'Alt+\u2191']),
  watchlist('remove', t('Remove symbol'), ['Delete']),
  watchlist('rename', t('Rename list (on its tab)'), ['F2']),
  watchlist('next-list', t('Next list'), ['Alt+]'], (app) => stepList(app, 1)),
  watchlist('previous-list', t('Previous list'), ['Alt+['], (app) => stepList(app, -1)),
  watchlist('new-list', t('New list'), [], (app) => void app.lists.addList()),
  watchlist('import-list', t('Import symbols into a watchlist…'), [], (app) => void (app.dialog = 'import-list')),
]
