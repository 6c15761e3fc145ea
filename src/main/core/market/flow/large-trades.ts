/** Reads the size from which an instrument's trades count as large, based on the previous trading day. */
import { dayEnd, dayStart } from '../../../../shared/core/market/calendar.ts'
import { MAX_AHEAD_MS } from '../../../../shared/core/market/bars.ts'
import { MAX_LATE_MS } from '../../../../shared/core/market/flow/side.ts'
import { parseInstrument, unixMs, type InstrumentId } from '../../../../shared/base/units.ts'
import type { LargeTrades } from '../../../../shared/core/views/contract.ts'
import { previousDay } from '../hub-calendar.ts'
import type { FlowHistory } from './flow-follower.ts'

const SHARE = 0.995

/** The size that at least 99.5 % of these don't exceed (nearest rank); null without any. */
export function largeSize(sizes: readonly number[]): number | null {
  if (sizes.length === 0) return null
  const sorted = Float64Array.from(sizes).sort()
  return sorted[Math.ceil(sorted.length * SHARE) - 1]
}

/** `nowMs`: the view's clock, UTC ms. */
export async function readLargeTrades(
  history: FlowHistory,
  instrument: InstrumentId,
  nowMs: number,
): Promise<LargeTrades> {
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  // On Mondays and after holidays, the day before had no trades.
  const fromMs = dayStart(asset, previousDay(asset, dayStart(asset, nowMs)))
  const toMs = dayEnd(asset, fromMs)
  const sizes: number[] = []
  let knownMs = -Infinity
  const ignore = () => undefined
  const unread = await history.flow(
    instrument,
    fromMs - MAX_AHEAD_MS,
    {
      needsOnlyTrades: true,
      trade(_, recvMs, eventMs, __, size) {
        const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
        if (!(atMs >= fromMs && atMs < toMs && size > 0 && size < Infinity)) return
        sizes.push(size)
        knownMs = Math.max(knownMs, recvMs)
      },
      quote: ignore,
      gap: ignore,
      sessionBegan: ignore,
    },
    // Trades can arrive late, but none after the view's clock.
    Math.min(nowMs, toMs + MAX_LATE_MS),
  )
  return {
    size: largeSize(sizes),
    trades: sizes.length,
    isWhole: unread.length === 0,
    fromMs: unixMs(fromMs),
    toMs: unixMs(toMs),
    knownMs: sizes.length === 0 ? null : unixMs(knownMs),
  }
}
