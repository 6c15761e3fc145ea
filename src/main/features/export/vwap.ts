/** Volume-weighted average prices of bars, from the trades that the bars are built from. */
import { decodeStored } from '../../../service/codecs/decode-stored.ts'
import { KIND, scratch } from '../../../service/codec.ts'
import { usable } from '../../../shared/core/market/bars.ts'
import { gridOf } from '../../../shared/core/market/calendar.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import { entersMarket } from '../../../shared/core/recording/session.ts'
import type { FeedId, InstrumentId } from '../../../shared/base/units.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { stopIfCancelled, type BarExportOptions } from './options.ts'

/** A compensated sum in two doubles, so the order of additions affects at most the last bit. */
interface Sum {
  value: number
  rest: number
}

const zero = (): Sum => ({ value: 0, rest: 0 })
const total = ({ value, rest }: Sum): number => value + rest

function add(sum: Sum, x: number): void {
  const next = sum.value + x
  const part = next - sum.value
  sum.rest += sum.value - (next - part) + (x - part)
  sum.value = next
}

/**
 * Returns the VWAP of each bar in a page (oldest first): Σ price × size ÷ Σ size over the bar's trades. Both sums come
 * from the same read, because the page's own volume may be outdated if its last bar is still being recorded. NaN if a
 * bar isn't built from trades or none of them has a size. Throws like `StoreReader.ticks`.
 */
export async function vwapsOf(
  reader: StoreReader,
  feed: FeedId,
  instrument: InstrumentId,
  source: string,
  page: readonly Bar[],
  { of, asset, interval, sessions, signal }: BarExportOptions,
): Promise<readonly number[]> {
  const [first] = page
  const last = page.at(-1)
  if (of !== 'trade' || first === undefined || last === undefined) return page.map(() => NaN)
  const grid = gridOf(asset, interval)
  const sums = new Map<number, { readonly turnover: Sum; readonly volume: Sum }>(
    page.map(({ startMs }) => [startMs, { turnover: zero(), volume: zero() }]),
  )
  const record = scratch()
  const query = {
    feed,
    instruments: [instrument],
    sessions,
    source,
    fromMs: first.startMs,
    toMs: last.endMs,
  }
  for await (const ticks of reader.ticks(query)) {
    stopIfCancelled(signal)
    for (let row = 0; row < ticks.count; row++) {
      if (!entersMarket(ticks.flags[row])) continue
      const raw = ticks.raw(row)
      decodeStored(feed, ticks.flags[row], raw, 0, raw.length, record)
      const { kind, price, size, eventMs } = record
      if (kind !== KIND.trade || !usable(price) || !(size >= 0 && size < Infinity)) continue
      const sum = sums.get(grid.startOf(Number.isNaN(eventMs) ? ticks.recvMs[row] : eventMs))
      if (sum === undefined) continue
      add(sum.turnover, price * size)
      add(sum.volume, size)
    }
  }
  return page.map(({ startMs }) => {
    const sum = sums.get(startMs)
    // Without any size this is 0 ÷ 0 = NaN.
    return sum === undefined ? NaN : total(sum.turnover) / total(sum.volume)
  })
}
