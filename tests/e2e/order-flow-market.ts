/** Five minutes of BTC-USD whose sides are known, because each trade is made at a bid, an ask or a midpoint. The same each time. */

/** Begin of the first bar, UTC ms. */
export const FLOW_FROM_MS = Date.UTC(2026, 2, 4, 15)
export const FLOW_BARS = 5
const MINUTE = 60_000
/** A quote each, and a trade half-way to the next one, ms. */
const EVERY_MS = 500
/** Each trade of this number is at the midpoint, where no side can be inferred. */
const MIDPOINT = 37

export interface FlowTrade {
  /** Event time, UTC ms. */
  readonly ms: number
  readonly price: number
  /** A multiple of 0.25, so sums are exact. */
  readonly size: number
  /** 1: bought at the ask; -1: sold at the bid; 0: at the midpoint. */
  readonly side: 1 | -1 | 0
}

/** `lines` are JSON Lines of ticks, as `tapedeck import` takes them. Prices have a tick of 1. */
export function orderFlowMarket(): { readonly lines: string; readonly trades: readonly FlowTrade[] } {
  const lines: string[] = []
  const trades: FlowTrade[] = []
  let turn = 1
  const next = (below: number): number => {
    turn = (Math.imul(turn, 1_664_525) + 1_013_904_223) >>> 0
    return (turn >>> 16) % below
  }
  const add = (feed: string, ms: number, fields: object): void => {
    const raw = JSON.stringify({ ev: feed.slice(-2), pair: 'BTC-USD', ...fields })
    lines.push(JSON.stringify({ feed, symbol: 'BTC-USD', recv_ms: ms + 3, seq: lines.length + 1, raw }))
  }
  let bid = 62_000
  const count = (FLOW_BARS * MINUTE) / EVERY_MS
  for (let i = 0; i < count; i++) {
    const ms = FLOW_FROM_MS + i * EVERY_MS
    const isWide = i % MIDPOINT === MIDPOINT - 1
    // It rises for two minutes, then falls.
    if (next(5) === 0) bid += i < count * 0.4 ? 1 : -1
    const ask = bid + (isWide ? 2 : 1)
    add('crypto/XQ', ms, { bp: bid, ap: ask, bs: 1, as: 1, t: ms })
    const isBought = next(100) < (i < count * 0.4 ? 65 : 35)
    const [price, side] = isWide ? ([bid + 1, 0] as const) : isBought ? ([ask, 1] as const) : ([bid, -1] as const)
    const trade: FlowTrade = { ms: ms + EVERY_MS / 2, price, side, size: (1 + next(16)) / 4 }
    trades.push(trade)
    add('crypto/XT', trade.ms, { p: price, t: trade.ms, s: trade.size })
  }
  // The last trade settles once a later quote has come. It is in the same bar.
  const end = FLOW_FROM_MS + FLOW_BARS * MINUTE - 100
  add('crypto/XQ', end, { bp: bid, ap: bid + 1, bs: 1, as: 1, t: end })
  return { lines: `${lines.join('\n')}\n`, trades }
}
