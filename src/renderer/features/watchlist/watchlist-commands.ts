/** Commands of the watchlist and its lists. */
import { say } from '../../text/catalogue.ts'
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
  watchlist('rows', say('command.rows'), ['\u2193', '\u2191']),
  watchlist('move', say('command.move'), ['Alt+\u2193', 'Alt+\u2191']),
  watchlist('remove', say('command.remove'), ['Delete']),
  watchlist('rename', say('command.rename'), ['F2']),
  watchlist('next-list', say('command.next-list'), ['Alt+]'], (app) => stepList(app, 1)),
  watchlist('previous-list', say('command.previous-list'), ['Alt+['], (app) => stepList(app, -1)),
  watchlist('new-list', say('command.new-list'), [], (app) => app.lists.addList()),
]
