/** Decides when a price flashes: on a new trade at another price, and only while the price is live. */
import type { QuoteRow } from '../../../shared/core/status/status.ts'

/** What a cell remembers of the row it last showed. */
export interface FlashMemory {
  readonly instrument: string
  readonly flash: number
  /** Increases with each reconnect of the window; the first value of an epoch never flashes. */
  readonly epoch: number
}

export function remember(row: QuoteRow, epoch: number): FlashMemory {
  return { instrument: row.instrument, flash: row.flash, epoch }
}

/**
 * The direction to flash in, or null. No flash for the first value of a cell, for another
 * instrument (scrolling), after a reconnect or a seek (`tick` is null), for an equal price, or while
 * the price is not live.
 */
export function flashOf(before: FlashMemory | undefined, row: QuoteRow, epoch: number): 1 | -1 | null {
  if (!before || before.instrument !== row.instrument || before.epoch !== epoch) return null
  if (row.flash <= before.flash || row.tick === null || row.tick === 0) return null
  return row.freshness === 'live' || row.freshness === 'quiet' ? row.tick : null
}
