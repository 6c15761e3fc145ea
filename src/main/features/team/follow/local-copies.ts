/** What the store has of a team before it is followed, and which sessions ended since then. Pure. */
import { unixMs, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import { readTeamKey, type SessionRow } from '../../../../shared/core/recording/session.ts'
import type { SessionInfo } from '../session-info.ts'

export interface LocalCopies {
  /** Sessions that are here completely, and those that aren't. */
  readonly complete: ReadonlySet<SessionId>
  readonly begun: ReadonlySet<SessionId>
  /** By shard; shards without a copy are missing. */
  readonly latest: ReadonlyMap<number, LatestCopy>
  /** When the newest of all was written last, UTC ms; null: there are none. */
  readonly upToMs: UnixMs | null
}

/** The newest copies of a shard. */
export interface LatestCopy {
  /** Of their lease. */
  readonly epoch: number
  /** When the newest of them ended or began, UTC ms. */
  readonly upToMs: UnixMs
}

type Row = Pick<SessionRow, 'session' | 'source' | 'startedMs' | 'endedMs' | 'epoch'>

export const NO_COPIES: LocalCopies = { complete: new Set(), begun: new Set(), latest: new Map(), upToMs: null }

/** `rows`: sessions of the team. `nowMs`: UTC. */
export function findCopies(rows: readonly Row[], nowMs: number): LocalCopies {
  if (rows.length === 0) return NO_COPIES
  const ended = rows.filter(({ endedMs }) => endedMs !== null)
  const latest = new Map<number, LatestCopy>()
  for (const [shard, some] of Map.groupBy(rows, ({ source }) => Number(readTeamKey(source)?.shard))) {
    const epoch = Math.max(...some.map(epochOf))
    const ofLease = some.filter((row) => epochOf(row) === epoch)
    latest.set(shard, { epoch, upToMs: newest(ofLease, nowMs) })
  }
  return {
    complete: new Set(ended.map(({ session }) => session)),
    begun: new Set(rows.filter(({ endedMs }) => endedMs === null).map(({ session }) => session)),
    latest,
    upToMs: newest(rows, nowMs),
  }
}

/**
 * Whether a session ended after the newest copy of its shard was written. Compares leases as well as times: a recorder whose
 * clock was ahead for a day would otherwise hide a day of the others.
 */
export function endedSince({ latest, upToMs }: LocalCopies, { shard, epoch, end }: SessionInfo): boolean {
  if (end === null || upToMs === null) return false
  const mine = latest.get(shard)
  return end.endedMs > (mine?.upToMs ?? upToMs) || (mine !== undefined && epoch > mine.epoch)
}

const epochOf = ({ epoch = 0 }: Row): number => epoch

/** What is dated in the future says nothing about when it was written. */
const newest = (rows: readonly Row[], nowMs: number): UnixMs =>
  unixMs(Math.max(0, ...rows.map(({ startedMs, endedMs }) => endedMs ?? startedMs).filter((ms) => ms <= nowMs)))
