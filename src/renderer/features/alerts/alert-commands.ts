/** Alert commands. */
import { instrumentOf } from '../../core/market/watchlist-edit.ts'
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { togglePane } from '../../core/window/general.ts'
import type { Alerts } from './alerts.svelte.ts'

export const alertCommands = (alerts: Alerts): readonly Command[] => [
  { id: 'alerts', group: 'Alerts', title: t('Show or hide alerts'), keys: ['Alt+A'], run: togglePane('alerts') },
  {
    id: 'new-alert',
    group: 'Alerts',
    title: t('New alert on the symbol'),
    keys: ['Alt+B'],
    run: (app) => alerts.draft(app.instrument),
    forSymbol: (symbol) => alerts.draft(instrumentOf(symbol)),
  },
]
