/** What an alert that fired tells the outside. */
import { withSchema } from '../../../base/json-schema.ts'
import type { Alert, AlertEvent } from '../../../../shared/features/alerts/types.ts'
import type { ActionNote } from './deliver.ts'
import { isoOrNull } from '../../../../shared/base/iso-time.ts'

/** `sentence`: what happened, for people. `delivery`: a new ID. */
export function noteOf(
  alert: Alert,
  event: AlertEvent & { readonly is: 'fired' },
  symbol: string,
  sentence: string,
  delivery: string,
): ActionNote {
  const { id, instrument, condition, note, market } = alert
  const { atMs, eventMs, value, before } = event
  return {
    delivery,
    text: note === '' ? sentence : `${sentence} – ${note}`,
    body: bodyOf({
      delivery,
      alert: id,
      instrument,
      symbol,
      market,
      text: sentence,
      note,
      condition,
      value,
      before,
      fired: isoOrNull(atMs),
      event: isoOrNull(eventMs),
    }),
  }
}

const bodyOf = (facts: object): string => JSON.stringify(withSchema('alert', facts))

/** The note of a test from the settings. It has `test` instead of what an alert measured. */
export function testNote(delivery: string, nowMs: number): ActionNote {
  const text = 'This is a test of Tapedeck’s alerts.'
  return {
    delivery,
    text,
    body: bodyOf({
      delivery,
      test: true,
      text,
      fired: new Date(nowMs).toISOString(),
    }),
  }
}
