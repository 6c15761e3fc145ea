/** Converts a cell to the row that windows get. */
import type { Freshness, QuoteRow } from '../../../shared/core/status/status.ts'
import { unixMs, type UnixMs } from '../../../shared/base/units.ts'
import { sparkOf, type Cell } from './cell.ts'

const orNull = (n: number): number | null => (Number.isNaN(n) ? null : n)
const timeOrNull = (n: number): UnixMs | null => (Number.isNaN(n) ? null : unixMs(n))
const LAST_OF = [null, 'bar', 'mid', 'trade'] as const

/** The row of a cell; `name`: the instrument's name, if known. */
export function rowOf(cell: Cell, freshness: Freshness, name: string | null): QuoteRow {
  return {
    instrument: cell.id,
    asset: cell.asset,
    symbol: cell.symbol,
    name,
    last: orNull(cell.last),
    lastOf: Number.isNaN(cell.last) ? null : LAST_OF[cell.rank],
    lastEventMs: timeOrNull(cell.lastEventMs),
    lastRecvMs: timeOrNull(cell.lastRecvMs),
    tick: Number.isNaN(cell.tick) ? null : cell.tick > 0 ? 1 : cell.tick < 0 ? -1 : 0,
    flash: cell.flash,
    bid: orNull(cell.bid),
    ask: orNull(cell.ask),
    bidSize: orNull(cell.bidSize),
    askSize: orNull(cell.askSize),
    open: orNull(cell.open),
    high: orNull(cell.high),
    low: orNull(cell.low),
    volume: orNull(cell.volume),
    rangeOf: cell.session,
    reference: orNull(cell.reference),
    referenceOf: cell.referenceOf,
    decimals: cell.decimals,
    pip: cell.pip,
    freshness,
    spark: sparkOf(cell),
    stored: Number.isNaN(cell.last) ? cell.stored : null,
    mapping: cell.mapping === '' ? null : cell.mapping,
  }
}
