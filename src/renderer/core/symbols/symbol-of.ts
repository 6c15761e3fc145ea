/** The displayed symbol of an instrument. */
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from '../window/window.svelte.ts'

/** The symbol as the service writes it, or as in the watchlist until the service has sent it. */
export function symbolOf(app: WindowState, instrument: InstrumentId): string {
  const known = app.quotes.peek(instrument)?.symbol
  if (known !== undefined) return known
  const listed = app.list.symbols.find((one) => instrument === `${one.asset}:${one.symbol.replace(/[-/_]/g, '')}`)
  return listed?.symbol ?? instrument.slice(instrument.indexOf(':') + 1)
}
