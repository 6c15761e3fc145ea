/** Commands of alerts. */
import { instrumentOf } from '../../core/market/watchlist-edit.ts'
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { togglePane } from '../../core/window/general.ts'
import type { Alerts } from './alerts.svelte.ts'

export const alertCommands = (alerts: Alerts): readonly Command[] => [
  { id: 'alerts', group: 'Alerts', title: say('command.alerts'), keys: ['Alt+A'], run: togglePane('alerts') },
  {
    id: 'new-alert',
    group: 'Alerts',
    title: say('command.new-alert'),
    keys: ['Alt+B'],
    run: (app) => alerts.draft(app.instrument),
    forSymbol: (symbol) => alerts.draft(instrumentOf(symbol)),
  },
]
