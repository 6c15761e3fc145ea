/** Commands that open the research panes and settings. */
import { t } from '../../../shared/base/text.ts'
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
  research('company', t('Company: profile, statements, ratios'), ['Alt+C'], togglePane('company')),
  research('earnings', t('Earnings: calendar, history, calls'), ['Alt+Q'], togglePane('earnings')),
  research('news', t('News and sentiment'), ['Alt+N'], togglePane('news')),
  research('commodities', t('Commodities'), ['Alt+G'], togglePane('commodities')),
  research('technical', t('Technical indicators: service and Tapedeck'), ['Alt+Y'], togglePane('technical')),
  research('research-settings', t('Research settings: daily requests, key, history'), [], (app) =>
    app.openSettings('research'),
  ),
]
