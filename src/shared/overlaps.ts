/**
 * In which order the recordings of one source are read, and which of them overlap (settled rule 1). What a
 * machine recorded itself came one after the other, whatever its wall clock said meanwhile: only imports,
 * which may come from several machines, can hold the same time twice.
 */
import type { SessionRow } from './recording.ts'
import type { RecordingId } from './units.ts'

/** What is asked of a recording; `endedMs` null: it goes on. */
export interface Recorded {
  readonly source: string
  readonly startedMs: number
  readonly endedMs: number | null
}

/** A recording in its place. */
export interface InTurn<T> {
  readonly of: T
  /** What it received before this is an earlier one's, UTC ms; -Infinity: nothing is. */
  readonly notBeforeMs: number
  /** The one that ends at `notBeforeMs`. */
  readonly behind: T | null
}

/** Whether recordings of a source, by its key, may have been made side by side. */
export const mayOverlap = (source: string): boolean => source.startsWith('import:')

/** Recordings of one source, given in the order in which they came into the store, in that of reading. */
export function inTurn<T extends Recorded>(all: readonly T[]): readonly InTurn<T>[] {
  if (!all.some(({ source }) => mayOverlap(source))) {
    return all.map((of) => ({ of, notBeforeMs: -Infinity, behind: null }))
  }
  let longest: T | null = null
  const endOf = (one: T | null): number => (one === null ? -Infinity : (one.endedMs ?? Infinity))
  return all
    .toSorted((a, b) => a.startedMs - b.startedMs)
    .map((of) => {
      const behind = endOf(longest) > of.startedMs ? longest : null
      if (longest === null || endOf(of) > endOf(longest)) longest = of
      return { of, notBeforeMs: behind === null ? -Infinity : endOf(behind), behind }
    })
}

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
