/** The settings of a team's streams and buckets on NATS. */
import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream'
import { CodedError } from '../../../../shared/base/errors.ts'
import { LEASE_TTL_MS } from '../lease/lease.ts'
import { REPORT_TTL_MS } from '../reports/report.ts'
import { bucketName, republish, shardSubjects, streamName, type BucketName, type TeamName } from '../names.ts'
import { API, apiCode, requestError } from './errors.ts'

const SECOND_NS = 1_000_000_000
/** How long the log keeps frames. */
const LOG_AGE_MS = 72 * 3_600_000
const PLAN_HISTORY = 16
/** How long values are kept that aren't renewed; absent: for good. */
const TTL_MS: Partial<Record<BucketName, number>> = { leases: LEASE_TTL_MS, reports: REPORT_TTL_MS }

type Settings = Partial<StreamConfig> & Pick<StreamConfig, 'name'>

/** The stream of a shard. No maximum of bytes or messages: the log never drops what is younger than its age. */
export const shardSettings = (team: TeamName, shard: number): Settings => ({
  name: streamName(team, shard),
  subjects: [shardSubjects(team, shard)],
  retention: 'limits',
  storage: 'file',
  discard: 'new',
  max_age: (LOG_AGE_MS / 1_000) * SECOND_NS,
  duplicate_window: 120 * SECOND_NS,
  deny_delete: true,
  deny_purge: true,
  allow_rollup_hdrs: false,
  republish: republish(team, shard),
})

/** The stream behind a bucket, as the NATS client creates it. */
export function bucketSettings(team: TeamName, bucket: BucketName): Settings {
  const name = bucketName(team, bucket)
  return {
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    retention: 'limits',
    // Also leases: epochs are revisions, and those of a bucket in memory would start again with the server.
    storage: 'file',
    discard: 'new',
    max_msgs_per_subject: bucket === 'plan' ? PLAN_HISTORY : 1,
    max_age: ((TTL_MS[bucket] ?? 0) / 1_000) * SECOND_NS,
    deny_delete: true,
    allow_rollup_hdrs: true,
    // Reads must come from the leader: a replica may be behind.
    allow_direct: false,
  }
}

/**
 * Creates a stream unless it exists. Refuses one that exists with other settings; the number of replicas is the
 * operator's choice. Returns when it was created, as the server says it.
 */
export async function ensureStream(manager: JetStreamManager, settings: Settings, replicas: number): Promise<string> {
  const what = `the stream ${settings.name}`
  let found: StreamInfo
  try {
    found = await manager.streams.info(settings.name)
  } catch (thrown) {
    if (apiCode(thrown) !== API.noStream) throw requestError(thrown, what)
    try {
      found = await manager.streams.add({ ...settings, num_replicas: replicas })
    } catch (thrown) {
      throw requestError(thrown, `creating ${what}`)
    }
  }
  checkSettings(settings, found.config)
  return String(found.created)
}

function checkSettings(settings: Settings, existing: StreamConfig): void {
  const differing = Object.entries(settings).filter(
    ([key, value]) => !isSame(value, existing[key as keyof StreamConfig]),
  )
  if (differing.length === 0) return
  const [[key, value]] = differing
  const found = JSON.stringify(existing[key as keyof StreamConfig] ?? null)
  throw new CodedError(
    'unexpected-answer',
    `The stream ${settings.name} has other settings than this team’s: ${key} is ${found} instead of ${JSON.stringify(value)}.`,
    { hint: `Change it with \`nats stream edit ${settings.name}\`, or choose another team name.` },
  )
}

/** Servers leave out settings that are false or zero, and add members to objects. */
function isSame(wanted: unknown, found: unknown): boolean {
  if (wanted === false || wanted === 0) return found === undefined || found === wanted
  if (Array.isArray(wanted)) return Array.isArray(found) && JSON.stringify(wanted) === JSON.stringify(found)
  if (typeof wanted === 'object' && wanted !== null && typeof found === 'object' && found !== null)
    return Object.entries(wanted).every(([key, value]) => isSame(value, (found as Record<string, unknown>)[key]))
  return wanted === found
}
