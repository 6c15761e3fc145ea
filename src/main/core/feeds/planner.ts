/**
 * Decides which connection of a feed carries which ticker; a pure function. A ticker is on one connection and moves
 * only when it must.
 */
import { instrumentKey, type AssetClass } from '../../../shared/base/units.ts'

export interface FeedPlan {
  /** Tickers of each connection, as subscribed to. */
  readonly connections: readonly (readonly string[])[]
  /** Wanted tickers that no connection has room for. They are displayed, never dropped silently. */
  readonly overBudget: readonly string[]
}

export const EMPTY_PLAN: FeedPlan = { connections: [], overBudget: [] }

/**
 * Plans `wanted` (unique by `instrumentKey`, oldest first), keeping each ticker on its connection in `previous`. A
 * second connection is used only if the first is full and `sharding` is on. `limit`: tickers per connection.
 */
export function plan(
  asset: AssetClass,
  previous: FeedPlan,
  wanted: readonly string[],
  limit: number,
  sharding: boolean,
): FeedPlan {
  const owner = new Map<string, number>()
  previous.connections.forEach((tickers, index) => {
    for (const ticker of tickers) owner.set(instrumentKey(asset, ticker), index)
  })
  const connections: string[][] = previous.connections.map(() => [])
  const unassigned: string[] = []
  for (const ticker of wanted) {
    const index = owner.get(instrumentKey(asset, ticker))
    const home = index === undefined || (index > 0 && !sharding) ? undefined : connections[index]
    if (home === undefined || home.length >= limit) unassigned.push(ticker)
    else home.push(ticker)
  }
  const overBudget: string[] = []
  for (const ticker of unassigned) {
    let home = connections.find((tickers, index) => tickers.length < limit && (index === 0 || sharding))
    if (home === undefined && (connections.length === 0 || sharding)) {
      home = []
      connections.push(home)
    }
    if (home === undefined) overBudget.push(ticker)
    else home.push(ticker)
  }
  while (connections.at(-1)?.length === 0) connections.pop()
  return { connections, overBudget }
}

/** Used and available tickers of a feed: "XQ 50/50". */
export function budgetLabel(feedCode: string, used: number, limit: number): string {
  return `${feedCode} ${used}/${limit}`
}
