/** The company that panes follow: the stock in view. */
import { parseInstrument } from '../../../shared/units.ts'
import type { WindowState } from '../../state/window.svelte.ts'

/** Its symbol in the service's spelling; null: what is in view is no stock. */
export function companySymbol(app: WindowState): string | null {
  const instrument = parseInstrument(app.instrument)
  if (instrument?.asset !== 'stocks') return null
  return app.quotes.row(app.instrument)?.symbol ?? instrument.key
}
