/** Commands of the panes that ask the service's endpoints. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { togglePane } from '../../core/window/general.ts'

const research = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id,
  group: 'Research',
  title,
  keys,
  run,
})

export const RESEARCH_COMMANDS: readonly Command[] = [
  research('company', say('command.company'), ['Alt+C'], togglePane('company')),
  research('earnings', say('command.earnings'), ['Alt+Q'], togglePane('earnings')),
  research('news', say('command.news'), ['Alt+N'], togglePane('news')),
  research('commodities', say('command.commodities'), ['Alt+G'], togglePane('commodities')),
  research('technical', say('command.technical'), ['Alt+Y'], togglePane('technical')),
  research('research-settings', say('command.research-settings'), [], (app) => app.openSettings('research')),
]
