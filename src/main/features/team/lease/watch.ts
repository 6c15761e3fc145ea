/** Watches the leases of a team for the metric of shards that nobody records. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import type { TeamMetrics } from '../metrics/metrics.ts'
import type { TeamBucket } from '../nats/team-log.ts'
import { createElapsed, readLeases } from './hold.ts'

const LOOK_MS = 2_000

/**
 * Sets `lease_age_seconds` of every shard that is planned or has had a lease: the time since its entry was last seen to change,
 * or since this began, on the clock of this process. Runs until `signal` aborts. Servers that are away, and teams without leases, are looked at again.
 */
export async function watchLeases(
  bucket: Pick<TeamBucket, 'entries' | 'madeMs'>,
  planned: () => Promise<readonly number[]>,
  metrics: TeamMetrics,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const elapsedMs = createElapsed(clock)
  const startedMs = elapsedMs()
  const seen = new Map<number, { revision: number; atMs: number }>()
  const stop = metrics.beforeRead(() => {
    for (const [shard, { atMs }] of seen) metrics.set('lease_age_seconds', { shard }, (elapsedMs() - atMs) / 1_000)
  })
  try {
    while (!signal.aborted) {
      try {
        for (const [shard, { revision, value }] of await readLeases(bucket)) {
          if (seen.get(shard)?.revision === revision || (value.released && seen.has(shard))) continue
          seen.set(shard, { revision, atMs: elapsedMs() })
        }
        // An entry expires after seconds, so one whose recorder died before isn't there any more.
        for (const shard of await planned()) if (!seen.has(shard)) seen.set(shard, { revision: 0, atMs: startedMs })
      } catch (thrown) {
        if (!(thrown instanceof CodedError)) throw thrown
      }
      await waitUntil(clock, signal, LOOK_MS)
    }
  } finally {
    stop()
  }
}
