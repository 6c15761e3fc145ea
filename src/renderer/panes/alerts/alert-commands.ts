/** Commands of alerts. */
import { say } from '../../messages/catalogue.ts'
import type { Command } from '../../workspace/command.ts'
import { togglePane } from '../../workspace/commands/general.ts'

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
