/**
 * The order in which sessions are read, and where those of one source overlap. Sessions recorded here follow one
 * another, whatever the wall clock said; only those from another computer, imported or of a team, can contain the same
 * time twice. Of imports, the earlier session counts there. Sessions of a team's shard are joined message by message
 * (`merged-sessions.ts`).
 */
import { isTeamKey, readTeamKey } from '../../core/recording/session.ts'
import type { SessionRow } from '../../core/recording/session.ts'
import type { SessionId } from '../../base/units.ts'

/** The needed parts of a session. `endedMs` null: it is still running. */
export interface Recorded {
  readonly source: string
  readonly startedMs: number
  readonly endedMs: number | null
  readonly imported: boolean
  /** Number of the lease of a team's session; 0 or absent: without one. */
  readonly epoch?: number | undefined
}

/** A session in reading order. */
export interface InTurn<T> {
  readonly of: T
  /** Records before this belong to an earlier session, UTC ms; -Infinity: none do. */
  readonly notBeforeMs: number
  /** An earlier session that lasts longer than this one's start. Except for a team's, it ends at `notBeforeMs`. */
  readonly behind: T | null
}

/**
 * Puts sessions into reading order. Those recorded here are given in the order they were recorded, which is kept; one
 * from another computer goes before the first of them that started later. Sessions of a team's shard go by their leases,
 * because the clocks of recorders can differ, and those without a lease by their start. Shards go by the start of their
 * sessions.
 */
export function inTurn<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  const sources = [...Map.groupBy(all, ({ source }) => source).values()]
  if (sources.length <= 1) return inTurnOfOne(all)
  return mergeByStart(sources.map(inTurnOfOne), ({ of }) => of.startedMs)
}

/** Merges lists by start. Each list keeps its order, whatever its clocks said. */
function mergeByStart<T>(lists: readonly (readonly T[])[], startOf: (one: T) => number): readonly T[] {
  const keyed = lists.flatMap((list) => {
    let latest = -Infinity
    return list.map((one) => ({ one, startMs: (latest = Math.max(latest, startOf(one))) }))
  })
  return keyed.sort((a, b) => a.startMs - b.startMs).map(({ one }) => one)
}

/** The sessions of one shard, by their leases. */
function byLease<T extends Recorded>(all: readonly T[]): readonly T[] {
  const started = all.toSorted((a, b) => a.startedMs - b.startedMs)
  const epochOf = ({ epoch = 0 }: T): number => epoch
  const leased = started.filter((one) => epochOf(one) > 0).sort((a, b) => epochOf(a) - epochOf(b))
  return mergeByStart([leased, started.filter((one) => epochOf(one) === 0)], ({ startedMs }) => startedMs)
}

function inTurnOfOne<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  const isShard = all.length > 0 && isTeamKey(all[0].source)
  const order = isShard ? [...byLease(all)] : all.filter((one) => !isForeign(one))
  const inserted = isShard ? [] : all.filter(isForeign).toSorted((a, b) => a.startedMs - b.startedMs)
  for (const one of inserted) {
    const at = order.findIndex(({ startedMs }) => startedMs > one.startedMs)
    order.splice(at < 0 ? order.length : at, 0, one)
  }
  /** The one that ends last, of those from another computer and of all. */
  let foreign: T | null = null
  let any: T | null = null
  return order.map((of) => {
    const before = isForeign(of) ? any : foreign
    const behind = endOf(before) > of.startedMs ? before : null
    if (any === null || endOf(of) > endOf(any)) any = of
    if (isForeign(of) && (foreign === null || endOf(of) > endOf(foreign))) foreign = of
    return { of, notBeforeMs: behind === null || isShard ? -Infinity : endOf(behind), behind }
  })
}

/** Whether it was recorded by another computer, whose sessions can overlap. */
const isForeign = ({ imported, source }: Recorded): boolean => imported || isTeamKey(source)

const endOf = (one: Recorded | null): number => (one === null ? -Infinity : (one.endedMs ?? Infinity))

/**
 * Two sessions of one source that contain the same time. Only the earlier one is read there, except in a team's shard,
 * where each message is read from one of them.
 */
export interface Overlap {
  readonly source: string
  readonly earlier: SessionId
  readonly later: SessionId
  /** UTC ms. `toMs` Infinity: the earlier one is still running. */
  readonly fromMs: number
  readonly toMs: number
}

/** The overlaps of sessions, each with one of its own source. */
export function overlapsOf(sessions: readonly SessionRow[]): readonly Overlap[] {
  return inTurn(sessions).flatMap((turn) => overlapOf(turn, ({ session }) => session) ?? [])
}

/** The overlap of a session with an earlier one, or null. */
export function overlapOf<T extends Recorded>({ of, behind }: InTurn<T>, idOf: (one: T) => SessionId): Overlap | null {
  if (behind === null) return null
  const toMs = Math.min(endOf(behind), of.endedMs ?? Infinity)
  return { source: of.source, earlier: idOf(behind), later: idOf(of), fromMs: of.startedMs, toMs }
}

/** Sessions that overlap by less than this follow each other: recorders begin new ones at midnight, ms. */
const HANDOVER_MS = 1_000

/** The sessions that a replay of some of a team plays as one: theirs and all others of the team at that time. */
export function playedAsOne<T extends SessionRow>(all: readonly T[], some: readonly T[]): readonly T[] {
  const [first] = some
  const team = first === undefined ? null : readTeamKey(first.source)
  if (team === null || some.some(({ source }) => readTeamKey(source)?.team !== team.team)) return some
  const fromMs = Math.min(...some.map(({ startedMs }) => startedMs)) + HANDOVER_MS
  const toMs = Math.max(...some.map(endOf)) - HANDOVER_MS
  return all.filter(
    (row) =>
      some.includes(row) ||
      (readTeamKey(row.source)?.team === team.team &&
        row.binnedMs === null &&
        row.messages > 0 &&
        row.startedMs < toMs &&
        endOf(row) > fromMs),
  )
}

/** The overlaps as a sentence; '' if there are none. */
export function overlapSentence(overlaps: readonly Overlap[]): string {
  const [first, ...others] = overlaps
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : `, and ${others.length} more like it`
  const rule = isTeamKey(first.source)
    ? 'there, each message is read from one of them'
    : 'there, the earlier one is read'
  return `Sessions ${first.earlier} and ${first.later} of ${first.source} overlap: ${rule}${more}.`
}
