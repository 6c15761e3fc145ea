/** The plan of a team: which shard records which symbols. Pure. */
import { countText } from '../../../../shared/base/count-text.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { FEED_IDS, feedAsset, instrumentId, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'
import { TICKERS_PER_CONNECTION } from '../../../../service/feeds.ts'
import { MAX_SHARDS } from '../names.ts'
import { shardScore } from './rendezvous.ts'

/** Symbols as the service writes them, by feed, in the order of their instruments. */
export type SymbolsOf = Readonly<Partial<Record<FeedId, readonly string[]>>>

/** Records a symbol on this shard, wherever else it would go. */
export interface Pin {
  readonly feed: FeedId
  readonly symbol: string
  readonly shard: number
}

export interface PlannedShard {
  readonly shard: number
  /** How many connections its account may open for each feed. */
  readonly connections: number
  readonly symbols: SymbolsOf
}

/** Every symbol of it is on exactly one shard. Shards are numbered from 1, without gaps. */
export interface Plan {
  readonly shards: readonly PlannedShard[]
  readonly pins: readonly Pin[]
}

export interface PlanRequest {
  readonly symbols: ReadonlyMap<FeedId, readonly string[]>
  /** Connections for each feed, by shard: the first one is that of shard 1. */
  readonly connections: readonly number[]
  readonly pins: readonly Pin[]
}

/** Symbols of one feed that the account of a shard can subscribe to. */
export const capacityOf = (connections: number): number => connections * TICKERS_PER_CONNECTION

interface Item {
  readonly id: InstrumentId
  readonly symbol: string
  /** Where it is in the previous plan, null: nowhere, or on a shard that is gone. */
  readonly before: number | null
  readonly pin: number | null
}

const byId = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1)

/**
 * Assigns every symbol to one shard by rendezvous hashing, within the capacity of each. Compared with `previous`, a
 * symbol moves only if it must (its shard is gone or full, or a pin says so), or to a shard that is new, which takes at
 * most its fair part of each feed. Feeds of one instrument go to one shard while there is room. Throws a CodedError
 * `usage` where the symbols don't fit.
 */
export function makePlan(request: PlanRequest, previous: Plan | null): Plan {
  const { connections, pins, symbols } = request
  if (connections.length < 1 || connections.length > MAX_SHARDS) {
    throw new CodedError('usage', `A team has 1 to ${MAX_SHARDS} shards, not ${connections.length}.`)
  }
  const placed = new Map<FeedId, Map<InstrumentId, number>>()
  const assigned = connections.map((): Partial<Record<FeedId, string[]>> => ({}))
  for (const feed of FEED_IDS) {
    const items = itemsOf(feed, symbols.get(feed) ?? [], pins, previous, connections.length)
    if (items.length === 0) continue
    refuseOverflow(feed, items.length, connections)
    const shardOf = assignFeed(feed, items, connections, newShards(connections.length, previous), (id) =>
      [...placed.values()].map((other) => other.get(id)).find((shard) => shard !== undefined),
    )
    placed.set(feed, shardOf)
    for (const { id, symbol } of items) {
      const shard = assigned[(shardOf.get(id) ?? 1) - 1] // each item was assigned to a shard
      ;(shard[feed] ??= []).push(symbol)
    }
  }
  return {
    shards: connections.map((count, at) => ({ shard: at + 1, connections: count, symbols: assigned[at] })),
    pins: pins.filter(({ feed, symbol }) => placed.get(feed)?.has(instrumentId(feedAsset(feed), symbol))),
  }
}

const newShards = (count: number, previous: Plan | null): readonly number[] =>
  previous === null ? [] : Array.from({ length: count }, (_, at) => at + 1).slice(previous.shards.length)

/** A feed's symbols in the order of their instruments, one for all aliases of an instrument. */
function itemsOf(
  feed: FeedId,
  symbols: readonly string[],
  pins: readonly Pin[],
  previous: Plan | null,
  shards: number,
): readonly Item[] {
  const idOf = (symbol: string): InstrumentId => instrumentId(feedAsset(feed), symbol)
  const pinned = new Map<InstrumentId, number>()
  for (const pin of pins) {
    if (pin.feed !== feed) continue
    const other = pinned.get(idOf(pin.symbol))
    const name = `${feed}:${pin.symbol}`
    if (pin.shard < 1 || pin.shard > shards) {
      throw new CodedError(
        'usage',
        `${name} is pinned to shard ${pin.shard}, and there are ${countText(shards, 'shard')}.`,
      )
    }
    if (other !== undefined && other !== pin.shard) {
      throw new CodedError('usage', `${name} is pinned to shard ${other} and to shard ${pin.shard}.`)
    }
    pinned.set(idOf(pin.symbol), pin.shard)
  }
  const before = new Map<InstrumentId, number>()
  for (const { shard, symbols: old } of previous?.shards ?? []) {
    if (shard <= shards) for (const symbol of old[feed] ?? []) before.set(idOf(symbol), shard)
  }
  const items = new Map<InstrumentId, Item>()
  for (const symbol of symbols) {
    const id = idOf(symbol)
    if (!items.has(id)) items.set(id, { id, symbol, before: before.get(id) ?? null, pin: pinned.get(id) ?? null })
  }
  return [...items.values()].sort(byId)
}

function refuseOverflow(feed: FeedId, count: number, connections: readonly number[]): void {
  const capacity = connections.reduce((sum, one) => sum + capacityOf(one), 0)
  if (count <= capacity) return
  throw new CodedError(
    'usage',
    `${feed} has ${countText(count, 'symbol')}, and ${countText(connections.length, 'shard')} can carry ${capacity}.`,
    {
      hint: 'Add shards with --shards, or connections with --connections if the plans of the accounts allow several.',
    },
  )
}

/** Assigns one feed: pins, then what stays, then what new shards take, then the rest. */
function assignFeed(
  feed: FeedId,
  items: readonly Item[],
  connections: readonly number[],
  added: readonly number[],
  shardOfOtherFeed: (id: InstrumentId) => number | undefined,
): Map<InstrumentId, number> {
  const room = connections.map(capacityOf)
  const shardOf = new Map<InstrumentId, number>()
  const roomOf = (shard: number): number => room[shard - 1] ?? 0
  const assign = ({ id }: Item, shard: number): void => {
    shardOf.set(id, shard)
    room[shard - 1] = roomOf(shard) - 1
  }
  const bestFirst = (list: readonly Item[], shard: number): readonly Item[] =>
    list.toSorted((a, b) => shardScore(b.id, shard) - shardScore(a.id, shard) || byId(a, b))

  for (const item of items) {
    if (item.pin === null) continue
    if (roomOf(item.pin) === 0) {
      const capacity = capacityOf(connections[item.pin - 1] ?? 0)
      throw new CodedError(
        'usage',
        `More than ${capacity} symbols of ${feed} are pinned to shard ${item.pin}, which can carry ${capacity}.`,
        { hint: 'Remove pins, or give its account more connections with --connections.' },
      )
    }
    assign(item, item.pin)
  }
  const all = connections.map((_, at) => at + 1)
  const best = (id: InstrumentId, shards: readonly number[]): number =>
    shards.reduce((a, b) => (shardScore(id, b) > shardScore(id, a) ? b : a))
  const fair = Math.floor(items.length / connections.length)
  const free = items.filter(({ pin }) => pin === null)
  for (const shard of added) {
    const takes = free.filter(({ id }) => best(id, all) === shard)
    for (const item of bestFirst(takes, shard).slice(0, Math.min(fair, roomOf(shard)))) assign(item, shard)
  }
  const open = (): readonly Item[] => free.filter(({ id }) => !shardOf.has(id))
  for (const [shard, stay] of Map.groupBy(open(), ({ before }) => before)) {
    if (shard !== null) for (const item of bestFirst(stay, shard).slice(0, roomOf(shard))) assign(item, shard)
  }
  for (const item of open()) {
    const other = shardOfOtherFeed(item.id)
    const withRoom = all.filter((shard) => roomOf(shard) > 0)
    assign(item, other !== undefined && roomOf(other) > 0 ? other : best(item.id, withRoom))
  }
  return shardOf
}

/** A symbol that another shard records from now on. Null: it isn't in that plan. */
export interface Move {
  readonly feed: FeedId
  readonly symbol: string
  readonly from: number | null
  readonly to: number | null
}

/** What differs between two plans, by feed and instrument. */
export function comparePlans(previous: Plan | null, next: Plan): readonly Move[] {
  const [before, after] = [locate(previous), locate(next)]
  const moves: Move[] = []
  for (const [key, { feed, symbol, shard }] of after) {
    const from = before.get(key)?.shard ?? null
    if (from !== shard) moves.push({ feed, symbol, from, to: shard })
  }
  for (const [key, { feed, symbol, shard }] of before) {
    if (!after.has(key)) moves.push({ feed, symbol, from: shard, to: null })
  }
  return moves
}

function locate(plan: Plan | null) {
  const found = new Map<string, { readonly feed: FeedId; readonly symbol: string; readonly shard: number }>()
  for (const feed of FEED_IDS) {
    for (const { shard, symbols } of plan?.shards ?? []) {
      for (const symbol of symbols[feed] ?? []) {
        found.set(`${feed} ${instrumentId(feedAsset(feed), symbol)}`, { feed, symbol, shard })
      }
    }
  }
  return found
}

export function symbolsOfPlan(plan: Plan): ReadonlyMap<FeedId, readonly string[]> {
  const all = FEED_IDS.map((feed): [FeedId, readonly string[]] => [
    feed,
    plan.shards.flatMap(({ symbols }) => symbols[feed] ?? []),
  ])
  return new Map(all.filter(([, symbols]) => symbols.length > 0))
}
