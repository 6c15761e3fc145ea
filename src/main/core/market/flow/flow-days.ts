/**
 * Keeps the trades of whole past days by price, in memory and in files, so a profile of a month reads only the day that
 * isn't over (docs/decisions/0093-days-of-order-flow.md).
 */
import { MAX_AHEAD_MS } from '../../../../shared/core/market/bars.ts'
import { dayEnd, dayStart } from '../../../../shared/core/market/calendar.ts'
import { FlowBars, type FlowPart, type FlowSpan } from '../../../../shared/core/market/flow/flow-bars.ts'
import { joinPart, NO_GAP, type GapState, type LostBetween } from '../../../../shared/core/market/flow/gap-count.ts'
import { SETTLE_MS, SIDES_LOOKBACK_MS } from '../../../../shared/core/market/flow/side.ts'
import { parseInstrument, type InstrumentId } from '../../../../shared/base/units.ts'
import type { Hub } from '../hub-types.ts'
import type { FlowDayFiles } from './flow-day-files.ts'
import type { FlowHistory, StoredSpan } from './flow-follower.ts'
import { SidedTrades } from './sided-trades.ts'

/** The most rows of all days together, 40 bytes each. The least recently used days are dropped first. */
const MAX_ROWS = 1_500_000

/** Dates of trades, [fromMs, toMs), UTC ms. */
interface DaysSpan extends FlowSpan {
  readonly instrument: InstrumentId
  readonly decimals: number
}

/** Receipt, [fromMs, toMs), UTC ms. */
interface Receipt {
  readonly fromMs: number
  readonly toMs: number
}

/** The start of a span, whose other trades were received from `restMs` on (UTC ms). */
export interface LeadingDays {
  readonly parts: readonly FlowPart[]
  /** Gaps where two parts meet. */
  readonly lost: readonly LostBetween[]
  readonly gapBefore: GapState
  readonly restMs: number
}

export class FlowDays {
  /** Least recently used first. */
  readonly #parts = new Map<string, FlowPart>()
  readonly #files: Pick<FlowDayFiles, 'load' | 'save'> | null
  readonly #maxRows: number
  #rows = 0

  /** `files` null: days are only kept in memory. */
  constructor(files: Pick<FlowDayFiles, 'load' | 'save'> | null = null, maxRows = MAX_ROWS) {
    this.#files = files
    this.#maxRows = maxRows
  }

  /**
   * The days of a span that can't change any more, oldest first, each with the trades that were received in it. Their
   * rows are one tick of `decimals` high. Stops early once `isClosed`.
   */
  async read(hub: Hub, history: FlowHistory, span: DaysSpan, isClosed: () => boolean): Promise<LeadingDays> {
    const asset = parseInstrument(span.instrument)?.asset ?? 'stocks'
    const settled = await history.settled?.()
    const parts: FlowPart[] = []
    const lost: LostBetween[] = []
    let gapBefore: GapState = NO_GAP
    // Trades can be dated a little ahead.
    let at = span.fromMs - MAX_AHEAD_MS
    // Nothing was received before the day of the first session.
    if (settled !== undefined && settled.firstMs < Infinity) at = Math.max(at, dayStart(asset, settled.firstMs))
    while (settled !== undefined && !isClosed()) {
      const end = dayEnd(asset, Math.max(at, span.fromMs))
      if (span.toMs !== null && end > span.toMs) break
      const stored = await settled.nameOf(at - SIDES_LOOKBACK_MS, end + SETTLE_MS)
      if (stored === null) break
      if (stored.name !== '') {
        const part = await this.#part(hub, history, span, { fromMs: at, toMs: end }, stored, isClosed)
        const joined = joinPart(gapBefore, part.gapEnds)
        if (joined.lost !== null) lost.push(joined.lost)
        gapBefore = joined.after
        parts.push(part)
      }
      at = end
    }
    return { parts, lost, gapBefore, restMs: at }
  }

  async #part(
    hub: Hub,
    history: FlowHistory,
    span: DaysSpan,
    receipt: Receipt,
    { name, proven }: StoredSpan,
    isClosed: () => boolean,
  ): Promise<FlowPart> {
    const { instrument, decimals, fromMs, toMs } = span
    // The first part has trades of the day before, which no span that begins here needs.
    const dates = { fromMs: receipt.fromMs < fromMs ? fromMs : -Infinity, toMs: null }
    const key = JSON.stringify([instrument, decimals, receipt, dates, name])
    const source = proven === null ? null : { key, sessions: proven }
    let part = this.#parts.get(key) ?? (source && (await this.#files?.load(source))) ?? null
    if (part === null) {
      const read = await readPart(hub, history, { ...span, ...dates }, receipt)
      part = read.part
      // A replay that seeked back meanwhile may have read only a part of the day.
      if (!read.isWhole || isClosed()) return part
      if (source) void this.#files?.save(source, part)
    }
    this.#keep(key, part)
    const isWithin = part.firstMs >= fromMs && (toMs === null || part.lastMs < toMs)
    return part.firstMs > part.lastMs || isWithin ? part : (await readPart(hub, history, span, receipt)).part
  }

  #keep(key: string, part: FlowPart): void {
    if (!this.#parts.delete(key)) this.#rows += rowsOf(part)
    this.#parts.set(key, part)
    for (const [oldest, dropped] of this.#parts) {
      if (this.#rows <= this.#maxRows || oldest === key) break
      this.#parts.delete(oldest)
      this.#rows -= rowsOf(dropped)
    }
  }
}

/** A day without trades takes memory, too. */
const rowsOf = ({ bars }: FlowPart): number => Math.max(1, bars.cells?.[0]?.row.length ?? 0)

/** The trades received in a span and dated in another. `isWhole`: all of them could be read. */
async function readPart(
  hub: Hub,
  history: FlowHistory,
  { instrument, decimals, fromMs, toMs }: DaysSpan,
  receipt: Receipt,
): Promise<{ readonly part: FlowPart; readonly isWhole: boolean }> {
  const start = receipt.fromMs
  const bars = new FlowBars({ startOf: () => start }, { fromMs, toMs }, { decimals, group: 1 })
  let [firstMs, lastMs] = [Infinity, -Infinity]
  return new Promise((resolve) => {
    const sided = new SidedTrades(
      hub,
      history,
      { instrument, ...receipt, gapBefore: null },
      {
        arrived(trade) {
          if (Number.isNaN(bars.arrived(trade))) return
          const atMs = Number.isNaN(trade.eventMs) ? trade.recvMs : trade.eventMs
          firstMs = Math.min(firstMs, atMs)
          lastMs = Math.max(lastMs, atMs)
        },
        settled: (trade, side) => void bars.settled(trade, side),
        lost: (between) => void bars.lost(between),
        ready(unread) {
          sided.close()
          for (const span of unread) bars.lost({ afterMs: span.fromMs, beforeMs: span.toMs, why: 'gap' })
          const { gapEnds } = sided
          const part = { bars: bars.columns([start]), coverage: bars.coverage, gapEnds, firstMs, lastMs }
          resolve({ part, isWhole: unread.length === 0 })
        },
      },
    )
  })
}
