/** The company of a stock. */
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from '../window/window.svelte.ts'

/** The company's symbol as the service writes it; null if the instrument isn't a stock. */
export function companySymbol({ quotes }: Pick<WindowState, 'quotes'>, of: InstrumentId): string | null {
  const instrument = parseInstrument(of)
  if (instrument?.asset !== 'stocks') return null
  return quotes.row(of)?.symbol ?? instrument.key
}
