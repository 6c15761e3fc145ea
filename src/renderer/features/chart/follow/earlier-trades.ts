/** Sides that were read of before a chart's first bar, merged to few parts: a chart of seconds has a small part of its day. */
import type { BarFlow, EarlierTrades } from '../../../../shared/core/market/indicators/indicator.ts'
import { mergeVwap, NO_VWAP } from '../../../../shared/core/market/flow/vwap.ts'

/** Days of every time zone begin at a multiple of this. */
const PART_MS = 900_000

/** Parts of [`fromMs`, `beforeMs`), UTC ms, in order. None spans the start of a day or an anchor. */
export function earlierTrades(
  flows: ReadonlyMap<number, BarFlow>,
  fromMs: number,
  beforeMs: number,
  anchors: readonly number[],
): readonly EarlierTrades[] {
  if (!(beforeMs >= fromMs)) return []
  const starts = [...flows.keys()].filter((ms) => ms < beforeMs).sort((a, b) => a - b)
  // What was before isn't read: a sum that begins there has no value.
  const parts: { startMs: number; volume: number; flow?: BarFlow }[] = [{ startMs: fromMs - 1, volume: 0 }]
  let lastMs = -Infinity
  for (const startMs of starts) {
    const flow = flows.get(startMs)
    if (flow === undefined) continue
    const { buy, sell, vwap = NO_VWAP } = flow
    const part = parts.at(-1)
    const isNew =
      Math.floor(startMs / PART_MS) !== Math.floor(lastMs / PART_MS) ||
      anchors.some((anchor) => lastMs < anchor && startMs >= anchor)
    lastMs = startMs
    if (isNew || part?.flow === undefined) {
      parts.push({ startMs, volume: vwap.volume, flow: { buy, sell, vwap } })
      continue
    }
    part.volume += vwap.volume
    const merged = mergeVwap(part.flow.vwap ?? NO_VWAP, vwap)
    part.flow = { buy: part.flow.buy + buy, sell: part.flow.sell + sell, vwap: merged }
  }
  return parts
}
