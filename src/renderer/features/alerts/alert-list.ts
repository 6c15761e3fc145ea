/** Which alerts are shown, in which order, and how far each is from firing. Pure. */
import type { AlertRow, AlertState } from '../../../shared/features/alerts/types.ts'
import type { QuoteRow } from '../../../shared/core/status/status.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

export const STATE_FILTERS = ['all', 'armed', 'blind', 'fired', 'other'] as const
export type StateFilter = (typeof STATE_FILTERS)[number]

function groupOf(state: AlertState): Exclude<StateFilter, 'all'> {
  switch (state.is) {
    case 'armed':
    case 'resting':
    case 'waiting':
      return 'armed'
    case 'snoozed':
      return 'other'
    case 'blind':
      return 'blind'
    case 'fired':
      return 'fired'
    case 'expired':
    case 'off':
    case 'elsewhere':
    case 'broken':
      return 'other'
  }
}

export interface AlertFilter {
  readonly state: StateFilter
  /** Of the symbol, the sentence or the note. */
  readonly text: string
  /** Null: every one. */
  readonly instrument: InstrumentId | null
}

/** Those that fired last first, then the newest. `textOf`: symbol and sentence of a row, to be searched. */
export function shownAlerts(
  rows: Iterable<AlertRow>,
  { state, text, instrument }: AlertFilter,
  textOf: (row: AlertRow) => string,
): readonly AlertRow[] {
  const wanted = text.trim().toLowerCase()
  return [...rows]
    .filter(
      (row) =>
        (state === 'all' || groupOf(row.state) === state) &&
        (instrument === null || row.instrument === instrument) &&
        (wanted === '' || `${textOf(row)} ${row.note}`.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => (b.firedMs ?? b.createdMs) - (a.firedMs ?? a.createdMs) || (a.id < b.id ? -1 : 1))
}

/** How far the price is from the level of an alert, percent of the price; null: not known, or no such thing. */
export function awayOf(row: AlertRow, quote: QuoteRow | undefined): number | null {
  const { condition } = row
  if (condition.is !== 'price' || quote === undefined) return null
  const { last, bid, ask } = quote
  const price =
    condition.of === 'last'
      ? last
      : condition.of === 'bid'
        ? bid
        : condition.of === 'ask'
          ? ask
          : bid === null || ask === null
            ? null
            : (bid + ask) / 2
  return price === null || price <= 0 ? null : (condition.level / price - 1) * 100
}

/** Alerts that have done what they were for. */
export const isOver = ({ state }: AlertRow): boolean => state.is === 'fired' || state.is === 'expired'

/** The mark of a state, as a shape that is readable without colour. */
export function dotOf(state: AlertState): 'ok' | 'busy' | 'stale' | 'bad' | 'off' | 'fired' {
  switch (state.is) {
    case 'armed':
      return 'ok'
    case 'waiting':
    case 'resting':
      return 'busy'
    case 'blind':
      return 'stale'
    case 'broken':
      return 'bad'
    case 'fired':
      return 'fired'
    case 'expired':
    case 'off':
    case 'elsewhere':
    case 'snoozed':
      return 'off'
  }
}
