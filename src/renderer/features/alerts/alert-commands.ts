/** Commands of alerts. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { togglePane } from '../../core/window/general.ts'

export const ALERT_COMMANDS: readonly Command[] = [
  { id: 'alerts', group: 'Alerts', title: say('command.alerts'), keys: ['Alt+A'], run: togglePane('alerts') },
  {
    id: 'new-alert',
    group: 'Alerts',
    title: say('command.new-alert'),
    keys: ['Alt+B'],
    run: (app) => app.alerts.draft(app.instrument),
  },
]
