/** What an alert that fired tells the outside. */
import type { Alert, AlertEvent } from '../../../../shared/features/alerts/types.ts'
import type { ActionNote } from './deliver.ts'

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
  const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
  return {
    delivery,
    text: note === '' ? sentence : `${sentence} – ${note}`,
    body: JSON.stringify({
      schema: 'tapedeck/alert/1',
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
      fired: iso(atMs),
      event: iso(eventMs),
    }),
  }
}

/** The note of a test from the settings. */
export function testNote(delivery: string, nowMs: number): ActionNote {
  const text = 'This is a test of Tapedeck’s alerts.'
  return {
    delivery,
    text,
    body: JSON.stringify({
      schema: 'tapedeck/alert/1',
      delivery,
      test: true,
      text,
      fired: new Date(nowMs).toISOString(),
    }),
  }
}
