/** Alerts that nothing tells of but their list, for measuring and for tests. */
import type { AlertCondition, AlertDraft } from '../src/shared/features/alerts/types.ts'
import type { InstrumentId } from '../src/shared/base/units.ts'

/** A draft that fires once and never expires, where `more` does not say otherwise. */
export function quietDraft(
  instrument: InstrumentId,
  condition: AlertCondition,
  more: Partial<AlertDraft> = {},
): AlertDraft {
  return {
    instrument,
    condition,
    repeat: null,
    expiresMs: null,
    note: '',
    sound: 'none',
    system: false,
    log: false,
    flash: false,
    enabled: true,
    ...more,
  }
}
