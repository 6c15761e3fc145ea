/**
 * Which connection of a feed carries which ticker. Pure: the same wants after the same plan give
 * the same plan, a ticker has one owner, and it moves only when it must.
 */
import { instrumentKey, type AssetClass } from '../../../shared/base/units.ts'

export interface FeedPlan {
  /** Tickers of each connection, in the spelling that was asked for. */
  readonly connections: readonly (readonly string[])[]
  /** Wanted, but there is no room: never a silent miss. */
  readonly overBudget: readonly string[]
}

export const EMPTY_PLAN: FeedPlan = { connections: [], overBudget: [] }

/**
 * The plan for `wanted` (unique by `instrumentKey`, oldest want first), keeping every ticker where
 * `previous` had it. A further connection is used only where the first is full and `sharding` is on.
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
  const homeless: string[] = []
  for (const ticker of wanted) {
    const index = owner.get(instrumentKey(asset, ticker))
    const home = index === undefined || (index > 0 && !sharding) ? undefined : connections[index]
    if (home === undefined || home.length >= limit) homeless.push(ticker)
    else home.push(ticker)
  }
  const overBudget: string[] = []
  for (const ticker of homeless) {
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

/** The sentence of a refusal: "XQ 50/50". */
export function budgetLabel(feedCode: string, used: number, limit: number): string {
  return `${feedCode} ${used}/${limit}`
}
