/** The window as one pane sees it: with the instrument of the pane's colour, and picking for that colour. */
import { parseInstrument, type AssetClass, type InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { zoneOf } from '../../text/zones.ts'
import type { PaneContext } from '../../core/window/pane-context.ts'

/**
 * Everything but what is looked at is the window's own. Reads stay reactive: each asks the window, or the pane,
 * when it is made.
 */
export function scopeOf(app: WindowState, pane: PaneContext): WindowState {
  const asset = (): AssetClass => parseInstrument(pane.instrument)?.asset ?? 'crypto'
  const own: Partial<Record<keyof WindowState, () => unknown>> = {
    instrument: () => pane.instrument,
    asset,
    zone: () => zoneOf(app.settings.now.zone, asset()),
    select: () => (instrument: InstrumentId) => pane.setInstrument(instrument),
  }
  const bound = new Map<unknown, unknown>()
  return new Proxy(app, {
    get(target, key) {
      const mine = Object.hasOwn(own, key) ? own[key as keyof WindowState] : undefined // one of the keys above
      if (mine) return mine()
      // The window keeps private state: its methods and getters must run on itself.
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      let method = bound.get(value)
      if (method === undefined) {
        method = value.bind(target) as unknown
        bound.set(value, method)
      }
      return method
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
}
