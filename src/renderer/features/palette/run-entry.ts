/** Runs a classic entry. */
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { codeRow } from './codes.ts'
import type { PaletteServices } from './context.ts'
import type { Entry } from './entry.ts'

/** `hit`: the entry's symbol; null if it names none. `show` selects a symbol. */
export function runEntry(
  app: WindowState,
  services: PaletteServices,
  entry: Entry,
  hit: SymbolHit | null,
  show: (hit: SymbolHit) => void = (one) => app.select(one.instrument),
): void {
  if (hit) show(hit)
  if (entry.interval !== null) app.setInterval(entry.interval)
  if (entry.code !== null) codeRow(entry.code)?.run(app, entry.argument, hit, services)
}
