/** Pages of event bars, built from the stored trades of a trading day. */
import { dayEnd, dayStart } from '../../../shared/core/market/calendar.ts'
import { eventBarOf, MAX_BRICKS, type EventBarRule } from '../../../shared/core/market/event-bars.ts'
import { SETTLE_MS } from '../../../shared/core/market/flow/side.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { BarsPage } from '../../../shared/core/views/contract.ts'
import type { Span } from '../../../shared/base/spans.ts'
import { matchesSource } from '../../../shared/core/recording/session.ts'
import { parseInstrument, type AssetClass, type InstrumentId } from '../../../shared/base/units.ts'
import { unreadable } from '../market/event-bars/stream.ts'
import { EventTrades } from '../market/event-bars/trades.ts'
import { seriesFeed } from '../market/series.ts'
import type { StoreReader } from '../store/types/reader.ts'
import type { View } from './views.ts'

interface Asked {
  readonly instrument: InstrumentId
  readonly rule: EventBarRule
  /** The bars start before this instant, UTC ms; null: up to now. */
  readonly beforeMs: number | null
  readonly limit: number
}

/** The newest event bars that start before an instant, as a view sees them. A page never holds two days. */
export async function eventBarsPage(
  reader: Pick<StoreReader, 'bars' | 'sessions' | 'extent'>,
  view: View,
  { instrument, rule, beforeMs, limit }: Asked,
): Promise<BarsPage> {
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const { decimals } = view.hub.cell(instrument)
  /** The date of the newest hour with trades before an instant, UTC ms; null: none. */
  const datedBefore = async (ms: number | null): Promise<number | null> => {
    const query = { instrument, of: 'trade', interval: '1h', source: view.source(), limit: 1 } as const
    const upTo = view.upTo()
    const page = await reader.bars({ ...query, beforeMs: ms, upTo, skipCorrupt: true })
    return page.bars.at(0)?.startMs ?? null
  }
  const newestMs = beforeMs ?? Math.max(view.wallMs(), (await datedBefore(null)) ?? 0)
  const asked = { instrument, rule, beforeMs: beforeMs ?? Infinity, limit }
  const feed = seriesFeed(asset, 'trade', '1m')
  /** Days of [fromMs, toMs), UTC ms, in which sessions with trades of the instrument ran, newest first. */
  async function* daysOfSessions(fromMs: number, toMs: number): AsyncGenerator<number, void> {
    if (fromMs >= toMs) return
    const days = new Set<number>()
    for (const { session, source, startedMs, endedMs } of await reader.sessions(true)) {
      const [firstMs, lastMs] = [Math.max(startedMs, fromMs), Math.min(endedMs ?? Infinity, toMs - 1)]
      if (firstMs > lastMs || !matchesSource(source, view.source())) continue
      const { records } = await reader.extent({ feed, instruments: [instrument], session })
      if (records === 0) continue
      for (let day = dayStart(asset, firstMs); day <= lastMs; day = dayEnd(asset, day)) days.add(day)
    }
    for (const day of [...days].toSorted((a, b) => b - a)) if (day >= fromMs) yield day
  }
  // Of days without a bar that can be read, too.
  const unread: Span[] = []
  const days = daysBefore(asset, newestMs, datedBefore, daysOfSessions)
  for (let next = await days.next(); next.done !== true; next = await days.next()) {
    const read = await barsOfDay(view, asset, asked, next.value)
    unread.push(...read.unread)
    if (read.bars.length === 0) continue
    const bars = read.bars.slice(-limit)
    const gaps = await view.history.gaps(feed, instrument, bars[0].startMs, bars.at(-1)?.endMs)
    let more = read.bars.length > limit || (await datedBefore(next.value)) !== null
    // Trades can have been received days after their date.
    while (!more && (next = await days.next()).done !== true) {
      const older = await barsOfDay(view, asset, asked, next.value)
      unread.push(...older.unread)
      more = older.bars.length > 0
    }
    return { bars, gaps: [...gaps, ...unreadable(feed, unread)], decimals, more }
  }
  return { bars: [], gaps: unreadable(feed, unread), decimals, more: false }
}

/**
 * The days in which trades may have been received, from that of an instant back. Stored bars tell days by the dates of
 * trades, which are usually received on that day or the next, or shortly before midnight. Between those days, sessions tell
 * when others may have been received.
 */
async function* daysBefore(
  asset: AssetClass,
  fromMs: number,
  datedBefore: (ms: number) => Promise<number | null>,
  daysOfSessions: (fromMs: number, toMs: number) => AsyncGenerator<number, void>,
): AsyncGenerator<number, void> {
  for (let day = dayStart(asset, fromMs); ;) {
    yield day
    const before = dayStart(asset, day - 1)
    yield before
    const dated = await datedBefore(before)
    const after = dated === null ? null : dayEnd(asset, dated)
    yield* daysOfSessions(after === null ? -Infinity : dayEnd(asset, after), before)
    if (dated === null || after === null) return
    if (after < before) yield after
    day = dayStart(asset, dated)
  }
}

/** The newest bars of the trades received in the day that begins at `fromMs`, UTC: at least `limit` + 1, or all. */
async function barsOfDay(
  view: View,
  asset: AssetClass,
  { instrument, rule, beforeMs, limit }: Asked & { readonly beforeMs: number },
  fromMs: number,
): Promise<{ readonly bars: readonly Bar[]; readonly unread: readonly Span[] }> {
  const range = { fromMs, toMs: dayEnd(asset, fromMs), beforeMs, most: limit + 1 + MAX_BRICKS }
  const trades = new EventTrades(
    rule,
    (ms) => dayStart(asset, ms),
    range,
    () => undefined,
  )
  // The side of a trade can depend on quotes right after it.
  const toMs = range.toMs + (trades.needsOnlyTrades ? 0 : SETTLE_MS)
  const unread = await view.history.flow(instrument, fromMs, trades, toMs)
  trades.end()
  return { bars: trades.builder.bars.filter((bar) => bar.startMs < beforeMs).map(eventBarOf), unread }
}
