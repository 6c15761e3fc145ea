/** The plan as the team keeps it: JSON under one key of the bucket `plan`, whose last 16 versions NATS keeps. */
import * as v from 'valibot'
import { FEED_IDS, feedAsset, instrumentId } from '../../../../shared/base/units.ts'
import { MAX_SHARDS } from '../names.ts'
import { capacityOf, type Plan } from './plan.ts'

export const PLAN_KEY = 'plan'

/** NATS takes messages of 1 MiB unless it is configured otherwise. */
export const MAX_PLAN_BYTES = 900_000

const SYMBOL = v.pipe(v.string(), v.minLength(1), v.maxLength(64))
const SHARD = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SHARDS))
const FEED = v.picklist(FEED_IDS)

const PLAN = v.strictObject({
  version: v.literal(1),
  shards: v.pipe(
    v.array(
      v.strictObject({
        shard: SHARD,
        connections: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)),
        symbols: v.record(FEED, v.array(SYMBOL)),
      }),
    ),
    v.minLength(1),
    v.maxLength(MAX_SHARDS),
  ),
  pins: v.array(v.strictObject({ feed: FEED, symbol: SYMBOL, shard: SHARD })),
})

export const encodePlan = (plan: Plan): string => JSON.stringify({ version: 1, ...plan })

/** Reads what another machine wrote; null if it isn't a plan that this version understands and that keeps its rules. */
export function decodePlan(text: string): Plan | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const read = v.safeParse(PLAN, value)
  if (!read.success) return null
  const { version: _, ...plan } = read.output
  return isConsistent(plan) ? plan : null
}

function isConsistent({ shards }: Plan): boolean {
  for (const feed of FEED_IDS) {
    const seen = new Set<string>()
    for (const { connections, symbols } of shards) {
      const own = symbols[feed] ?? []
      if (own.length > capacityOf(connections)) return false
      for (const symbol of own) {
        const id = instrumentId(feedAsset(feed), symbol)
        if (seen.has(id)) return false
        seen.add(id)
      }
    }
  }
  return shards.every(({ shard }, at) => shard === at + 1)
}
