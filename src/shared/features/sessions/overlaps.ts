/**
 * The order in which sessions are read, and where those of one source overlap. Sessions recorded here follow one
 * another, whatever the wall clock said; only those from another computer, imported or of a team, can contain the same
 * time twice.
 */
import { isTeamKey } from '../../core/recording/recording.ts'
import type { SessionRow } from '../../core/recording/recording.ts'
import type { RecordingId } from '../../base/units.ts'

/** The needed parts of a session. `endedMs` null: it is still running. */
export interface Recorded {
  readonly source: string
  readonly startedMs: number
  readonly endedMs: number | null
  readonly imported: boolean
}

/** A session in reading order. */
export interface InTurn<T> {
  readonly of: T
  /** Records before this belong to an earlier session, UTC ms; -Infinity: none do. */
  readonly notBeforeMs: number
  /** The session that ends at `notBeforeMs`. */
  readonly behind: T | null
}

/**
 * Puts sessions into reading order. Those recorded here are given in the order they were recorded, which is kept; one
 * from another computer goes before the first of them that started later. Sessions of different sources, which are the
 * shards of a team, go by their start and never hide one another.
 */
export function inTurn<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  const sources = [...Map.groupBy(all, ({ source }) => source).values()]
  if (sources.length <= 1) return inTurnOfOne(all)
  return sources.flatMap(inTurnOfOne).toSorted((a, b) => a.of.startedMs - b.of.startedMs)
}

function inTurnOfOne<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  const order = all.filter((one) => !isForeign(one))
  for (const one of all.filter(isForeign).toSorted((a, b) => a.startedMs - b.startedMs)) {
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
    return { of, notBeforeMs: behind === null ? -Infinity : endOf(behind), behind }
  })
}

/** Whether it was recorded by another computer, whose sessions can overlap. */
const isForeign = ({ imported, source }: Recorded): boolean => imported || isTeamKey(source)

const endOf = (one: Recorded | null): number => (one === null ? -Infinity : (one.endedMs ?? Infinity))

/** Two sessions of one source that contain the same time. Only the earlier one is read there. */
export interface Overlap {
  readonly source: string
  readonly earlier: RecordingId
  readonly later: RecordingId
  /** UTC ms. `toMs` Infinity: the earlier one is still running. */
  readonly fromMs: number
  readonly toMs: number
}

/** The overlaps of sessions, each with one of its own source. */
export function overlapsOf(sessions: readonly SessionRow[]): readonly Overlap[] {
  return inTurn(sessions).flatMap((turn) => overlapOf(turn, ({ session }) => session) ?? [])
}

/** The overlap of a session with an earlier one, or null. */
export function overlapOf<T extends Recorded>(
  { of, behind, notBeforeMs }: InTurn<T>,
  idOf: (one: T) => RecordingId,
): Overlap | null {
  if (behind === null) return null
  const toMs = Math.min(notBeforeMs, of.endedMs ?? Infinity)
  return { source: of.source, earlier: idOf(behind), later: idOf(of), fromMs: of.startedMs, toMs }
}

/** The overlaps as a sentence; '' if there are none. */
export function overlapSentence(overlaps: readonly Overlap[]): string {
  const [first, ...others] = overlaps
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : `, and ${others.length} more like it`
  return `Sessions ${first.earlier} and ${first.later} of ${first.source} overlap: there, the earlier one is read${more}.`
}
