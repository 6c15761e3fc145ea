/** The size from which trades are large, by those of the trading day before a view's clock. */
import { untrack } from 'svelte'
import { dayStart } from '../../../shared/core/market/calendar.ts'
import type { LargeTrades } from '../../../shared/core/views/contract.ts'
import type { AssetClass, InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'

/**
 * `now` is null while nothing is read. Reads again on another day, and when a replay goes back before the last trade that
 * counted was received. Call it while a component is created. `app` returns null while the size isn't needed.
 */
export function largeTrades(
  app: () => Pick<WindowState, 'transport' | 'view' | 'clockMs'> | null,
  subject: { readonly instrument: InstrumentId; readonly asset: AssetClass },
): { readonly now: LargeTrades | null } {
  let read = $state.raw<LargeTrades | null>(null)
  let seeks = $state(0)
  const clockMs = $derived(app()?.clockMs ?? NaN)
  // As text, because NaN, outside of trading days, is never equal to itself.
  const day = $derived(String(dayStart(subject.asset, clockMs)))
  /** A replay went back to when this wasn't known yet. */
  const isAhead = $derived(read !== null && clockMs < (read.knownMs ?? -Infinity))
  $effect(() => {
    if (isAhead) untrack(() => seeks++)
  })
  $effect(() => {
    void [day, seeks]
    const window = app()
    read = null
    if (window === null) return
    let isCurrent = true
    const { transport, view } = window
    void transport.invoke('tape.large', { view, instrument: subject.instrument }).then((result) => {
      if (isCurrent && result.ok) read = result.value
    })
    return () => (isCurrent = false)
  })
  return {
    get now() {
      return isAhead ? null : read
    },
  }
}
