/** How long an instrument's bid and ask stood at each price, by bar: stored quotes first, then those that arrive. */
import type { BarGrid } from '../../../../shared/core/market/bars.ts'
import type { PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import { QuoteBars } from '../../../../shared/core/market/flow/quote-bars.ts'
import type { QuoteMapValue } from '../../../../shared/core/views/contract.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import type { StreamSource } from '../../../../shared/rpc/transport.ts'
import { FlowFollower, type FlowHistory } from './flow-follower.ts'
import type { Hub } from '../hub-types.ts'

export interface QuoteStreamArgs {
  readonly instrument: InstrumentId
  readonly grid: BarGrid
  readonly rows: PriceRows
  /** Receive times, [fromMs, toMs), UTC ms; `toMs` null: no end. */
  readonly fromMs: number
  readonly toMs: number | null
}

export function quoteMapStream(
  hub: Hub,
  history: FlowHistory,
  { instrument, grid, rows, fromMs, toMs }: QuoteStreamArgs,
  wake: () => void,
): StreamSource<QuoteMapValue> {
  let bars: QuoteBars
  let changed = new Set<number>()
  let follower: FlowFollower | null = null
  let isRead = false
  let isWhole = true
  let unread: readonly Span[] = []

  const follow = (): void => {
    follower?.close()
    changed = new Set()
    isRead = false
    isWhole = true
    const quotes = new QuoteBars(grid, { fromMs, toMs }, rows, (start) => {
      if (!isRead) return
      if (changed.size === 0) wake()
      changed.add(start)
    })
    bars = quotes
    follower = new FlowFollower(
      hub,
      history,
      { instrument, fromMs, ...(toMs === null ? {} : { toMs }) },
      {
        quote: (_, recvMs, __, bid, ask) => quotes.quote(recvMs, bid, ask),
        trade: (_, recvMs) => quotes.upTo(recvMs),
        gap: (feed) => {
          if (feed === 'quote') quotes.forget()
        },
        sessionBegan: () => quotes.forget(),
        swept: () => undefined,
      },
      (found) => {
        unread = found
        isRead = true
        wake()
      },
    )
  }
  const offReset = hub.onReset(follow)
  follow()
  return {
    take() {
      if (!isRead || (!isWhole && changed.size === 0)) return undefined
      const starts = isWhole ? bars.starts() : [...changed]
      const reset = isWhole ? { fromMs, toMs } : null
      isWhole = false
      changed.clear()
      return { reset, bars: bars.columns(starts), unread }
    },
    close() {
      offReset()
      follower?.close()
    },
  }
}
