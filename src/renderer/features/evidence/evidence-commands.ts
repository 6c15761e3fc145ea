/** Commands of the evidence. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { general, listed, togglePane } from '../../core/window/general.ts'

export const EVIDENCE_COMMANDS: readonly Command[] = [
  general('evidence', say('command.evidence'), ['Alt+V'], togglePane('evidence')),
  listed('messages', say('command.messages'), ['Enter']),
  general('quote-messages', say('command.quote-messages'), ['Alt+M'], (app) =>
    app.evidence.show({
      instrument: app.instrument,
      what: { is: 'quote' },
      title: say('commands.quote', { symbol: app.quotes.row(app.instrument)?.symbol ?? app.instrument }),
    }),
  ),
]
