/** The company that panes follow: the stock in view. */
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from '../window/window.svelte.ts'

/** Its symbol in the service's spelling; null: what is in view, or another `of`, is no stock. */
export function companySymbol(
  app: Pick<WindowState, 'instrument' | 'quotes'>,
  of: InstrumentId = app.instrument,
): string | null {
  const instrument = parseInstrument(of)
  if (instrument?.asset !== 'stocks') return null
  return app.quotes.row(of)?.symbol ?? instrument.key
}
