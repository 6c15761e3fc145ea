/**
 * In which order the recordings of one source are read, and which of them overlap (settled rule 1). What was
 * recorded here came one after the other, whatever the wall clock said meanwhile: only what was imported, from
 * another machine, can hold the same time twice.
 */
import type { SessionRow } from '../../core/recording/recording.ts'
import type { RecordingId } from '../../base/units.ts'

/** What is asked of a recording; `endedMs` null: it goes on. */
export interface Recorded {
  readonly source: string
  readonly startedMs: number
  readonly endedMs: number | null
  readonly imported: boolean
}

/** A recording in its place. */
export interface InTurn<T> {
  readonly of: T
  /** What it received before this is an earlier one's, UTC ms; -Infinity: nothing is. */
  readonly notBeforeMs: number
  /** The one that ends at `notBeforeMs`. */
  readonly behind: T | null
}

/**
 * Recordings of one source in the order of reading. Those made here are given in the order in which they were
 * made, which is kept; an imported one goes before the first of them that started later.
 */
export function inTurn<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  const order = all.filter(({ imported }) => !imported)
  for (const one of all.filter(({ imported }) => imported).toSorted((a, b) => a.startedMs - b.startedMs)) {
    const at = order.findIndex(({ startedMs }) => startedMs > one.startedMs)
    order.splice(at < 0 ? order.length : at, 0, one)
  }
  /** Which ends last, of those imported and of all. */
  let imported: T | null = null
  let any: T | null = null
  return order.map((of) => {
    const before = of.imported ? any : imported
    const behind = endOf(before) > of.startedMs ? before : null
    if (any === null || endOf(of) > endOf(any)) any = of
    if (of.imported && (imported === null || endOf(of) > endOf(imported))) imported = of
    return { of, notBeforeMs: behind === null ? -Infinity : endOf(behind), behind }
  })
}

const endOf = (one: Recorded | null): number => (one === null ? -Infinity : (one.endedMs ?? Infinity))

/** Two recordings of one source that hold the same time: there, only the earlier one is read. */
export interface Overlap {
  readonly source: string
  readonly earlier: RecordingId
  readonly later: RecordingId
  /** UTC ms; `toMs` Infinity: the earlier one goes on. */
  readonly fromMs: number
  readonly toMs: number
}

/** Overlaps of recordings of one source. */
export function overlapsOf(sessions: readonly SessionRow[]): readonly Overlap[] {
  return inTurn(sessions).flatMap((turn) => overlapOf(turn, ({ session }) => session) ?? [])
}

/** The overlap of a recording with an earlier one; null: none. */
export function overlapOf<T extends Recorded>(
  { of, behind, notBeforeMs }: InTurn<T>,
  idOf: (one: T) => RecordingId,
): Overlap | null {
  if (behind === null) return null
  const toMs = Math.min(notBeforeMs, of.endedMs ?? Infinity)
  return { source: of.source, earlier: idOf(behind), later: idOf(of), fromMs: of.startedMs, toMs }
}

/** Overlaps in a sentence; '' where there are none. */
export function overlapSentence(overlaps: readonly Overlap[]): string {
  const [first, ...others] = overlaps
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : `, and ${others.length} more like it`
  return `Sessions ${first.earlier} and ${first.later} of ${first.source} overlap: there, the earlier one is read${more}.`
}
