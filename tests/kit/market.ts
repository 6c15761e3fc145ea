/** Bars and messages for tests. */
import type { Bar } from '../../src/shared/core/market/market.ts'
import { unixMs } from '../../src/shared/base/units.ts'

export interface BarParts extends Omit<Partial<Bar>, 'startMs' | 'endMs'> {
  /** UTC ms. */
  readonly startMs?: number
  readonly lengthMs?: number
}

/** A complete bar of one minute and one record. Without other prices it is flat at `close`, 100 by default. */
export function makeBar({ startMs = 0, lengthMs = 60_000, close = 100, ...parts }: BarParts = {}): Bar {
  return {
    startMs: unixMs(startMs),
    endMs: unixMs(startMs + lengthMs),
    open: close,
    high: close,
    low: close,
    close,
    volume: 1,
    count: 1,
    complete: true,
    ...parts,
  }
}

/** The text of a crypto trade. Numbers can be literals, so that tests choose the digits. `eventMs`: UTC ms. */
export const tradeText = (
  pair: string,
  price: number | string,
  size: number | string,
  eventMs: number | string,
): string => `{"ev":"XT","pair":"${pair}","p":${price},"t":${eventMs},"s":${size}}`

/** The text of a crypto quote. `eventMs`: UTC ms. */
export const quoteText = (pair: string, bid: number | string, ask: number | string, eventMs: number): string =>
  `{"ev":"XQ","pair":"${pair}","bp":${bid},"ap":${ask},"t":${eventMs}}`
