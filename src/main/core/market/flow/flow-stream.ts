/** Volume by side of an instrument's bars: first the stored ones, then every bar that changes. */
import { MAX_AHEAD_MS, type BarGrid } from '../../../../shared/core/market/bars.ts'
import type { PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import { FlowBars, type FlowSpan } from '../../../../shared/core/market/flow/flow-bars.ts'
import { NO_GAP } from '../../../../shared/core/market/flow/gap-count.ts'
import { MAX_LATE_MS } from '../../../../shared/core/market/flow/side.ts'
import type { FlowValue } from '../../../../shared/core/views/contract.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import type { StreamSource } from '../../../../shared/rpc/transport.ts'
import type { Hub } from '../hub-types.ts'
import type { FlowDays, LeadingDays } from './flow-days.ts'
import type { FlowHistory } from './flow-follower.ts'
import { SidedTrades } from './sided-trades.ts'

/** The bars start in [fromMs, toMs), UTC ms. */
export interface FlowStreamArgs extends FlowSpan {
  readonly instrument: InstrumentId
  /** Null: the span is one bar. */
  readonly grid: Pick<BarGrid, 'startOf'> | null
  /** Splits volume by price; null: it doesn't. */
  readonly rows: PriceRows | null
}

/**
 * With `days`, whole past days of a single bar are read once for all streams.
 * Nothing is sent until the stored trades have their sides; otherwise a bar could show only a part of its trades.
 */
export function flowStream(
  hub: Hub,
  history: FlowHistory,
  { instrument, grid, rows, fromMs, toMs }: FlowStreamArgs,
  wake: () => void,
  days: FlowDays | null = null,
): StreamSource<FlowValue> {
  const bounds = grid ?? { startOf: () => fromMs }
  let bars = new FlowBars(bounds, { fromMs, toMs }, rows)
  let changed = new Set<number>()
  let sided: SidedTrades | null = null
  let isRead = false
  let isWhole = true
  /** Whether the number of gaps changed without a change to any bar. */
  let hasNewGap = false

  const note = (start: number): void => {
    if (Number.isNaN(start) || !isRead) return
    if (changed.size === 0) wake()
    changed.add(start)
  }
  /** The trades of the span received from an instant on, after those of these days. */
  const followFrom = ({ parts, lost, gapBefore, restMs }: LeadingDays): void => {
    const rest = new FlowBars(bounds, { fromMs, toMs }, rows)
    for (const part of parts) rest.include(fromMs, part)
    for (const between of lost) rest.lost(between)
    bars = rest
    const range = { instrument, fromMs: restMs, gapBefore, ...(toMs === null ? {} : { toMs: toMs + MAX_LATE_MS }) }
    sided = new SidedTrades(hub, history, range, {
      arrived: (trade) => note(rest.arrived(trade)),
      settled: (trade, side) => note(rest.settled(trade, side)),
      lost(between) {
        if (!rest.lost(between) || !isRead) return
        hasNewGap = true
        wake()
      },
      ready(unread) {
        for (const span of unread) rest.lost({ afterMs: span.fromMs, beforeMs: span.toMs, why: 'gap' })
        isRead = true
        wake()
      },
    })
  }
  let turn = 0
  const follow = (): void => {
    const mine = ++turn
    sided?.close()
    sided = null
    changed = new Set()
    isRead = false
    isWhole = true
    // Trades further from their date than this have no side.
    const all = { parts: [], lost: [], gapBefore: NO_GAP, restMs: fromMs - MAX_AHEAD_MS }
    if (days === null || grid !== null || rows === null) return followFrom(all)
    const isClosed = () => mine !== turn
    const span = { instrument, decimals: rows.decimals, fromMs, toMs }
    void days.read(hub, history, span, isClosed).then((read) => {
      if (!isClosed()) followFrom(read)
    })
  }
  const offReset = hub.onReset(follow)
  follow()
  return {
    take() {
      if (!isRead || sided === null || (!isWhole && changed.size === 0 && !hasNewGap)) return undefined
      const starts = isWhole ? bars.starts() : [...changed]
      const reset = isWhole ? { fromMs, toMs } : null
      isWhole = false
      hasNewGap = false
      changed.clear()
      return { reset, bars: bars.columns(starts), coverage: bars.coverage, meter: sided.meter }
    },
    close() {
      turn++
      offReset()
      sided?.close()
    },
  }
}
