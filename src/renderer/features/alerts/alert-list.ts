/** Filters and sorts the alert list, and computes how far each alert is from firing. Pure. */
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
  /** Text to find in the symbol, the sentence or the note. */
  readonly text: string
  /** Null for all instruments. */
  readonly instrument: InstrumentId | null
}

/** Newest first, by last firing or else by creation. `textOf` returns the symbol and sentence to search. */
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

/** Distance of the price from the alert's level, percent of the price. Null if unknown or if it has no level. */
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

/** The alert won't fire again. */
export const isOver = ({ state }: AlertRow): boolean => state.is === 'fired' || state.is === 'expired'

/** The mark of a state. Its shape is readable without color. */
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
