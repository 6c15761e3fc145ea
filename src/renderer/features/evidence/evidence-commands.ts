/** Evidence commands. */
import { instrumentOf } from '../../core/market/watchlist-edit.ts'
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { general, listed, togglePane } from '../../core/window/general.ts'
import type { EvidenceState } from './evidence.svelte.ts'

export const evidenceCommands = (evidence: EvidenceState): readonly Command[] => [
  general('evidence', t('Show or hide Evidence'), ['Alt+V'], togglePane('evidence')),
  general('verify', t('Verify everything'), [], (app) => {
    void evidence.verify(null).then((failure) => {
      if (failure) return app.tell(failure)
      evidence.unseen = { session: null }
      app.layout.open('evidence')
    })
  }),
  listed('messages', t('Messages behind the bar or print (or double-click)'), ['Enter']),
  {
    ...general('quote-messages', t('Messages behind the quote'), ['Alt+M'], (app) =>
      evidence.show({
        instrument: app.instrument,
        what: { is: 'quote' },
        title: t('{symbol}, quote', { symbol: app.quotes.row(app.instrument)?.symbol ?? app.instrument }),
      }),
    ),
    forSymbol: (symbol) =>
      evidence.show({
        instrument: instrumentOf(symbol),
        what: { is: 'quote' },
        title: t('{symbol}, quote', { symbol: symbol.symbol }),
      }),
  },
]
