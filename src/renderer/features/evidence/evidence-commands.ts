/** Commands of the evidence. */
import { instrumentOf } from '../../core/market/watchlist-edit.ts'
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { general, listed, togglePane } from '../../core/window/general.ts'
import type { EvidenceState } from './evidence.svelte.ts'

export const evidenceCommands = (evidence: EvidenceState): readonly Command[] => [
  general('evidence', say('command.evidence'), ['Alt+V'], togglePane('evidence')),
  listed('messages', say('command.messages'), ['Enter']),
  {
    ...general('quote-messages', say('command.quote-messages'), ['Alt+M'], (app) =>
      evidence.show({
        instrument: app.instrument,
        what: { is: 'quote' },
        title: say('commands.quote', { symbol: app.quotes.row(app.instrument)?.symbol ?? app.instrument }),
      }),
    ),
    forSymbol: (symbol) =>
      evidence.show({
        instrument: instrumentOf(symbol),
        what: { is: 'quote' },
        title: say('menu.quoteOf', { symbol: symbol.symbol }),
      }),
  },
]
