/**
 * Notes of the trade journal, pinned to an instant or a range of market time. They are the user's own and never part of
 * what was recorded.
 */
import * as v from 'valibot'
import { instrument } from '../../base/schemas.ts'
import type { InstrumentId } from '../../base/units.ts'

export const MAX_NOTES = 5_000
export const MAX_NOTE_TEXT = 4_000
export const MAX_TAGS = 20
export const MAX_TAG = 40
export const MAX_PICTURES = 8
/** The most characters of a picture in Base64: a call is one frame of at most a million characters. */
export const MAX_PICTURE_BASE64 = 950_000

/** The limits of Date. */
const FARTHEST_MS = 8.64e15
const ms = v.pipe(v.number(), v.finite(), v.minValue(-FARTHEST_MS), v.maxValue(FARTHEST_MS))
const pictureFile = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}\.(png|jpg)$/))
const tag = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_TAG))

const content = {
  /** What the note is about; null: the whole market. */
  instrument: v.nullable(instrument),
  /** Market time, UTC ms. */
  fromMs: ms,
  /** The end of a range, UTC ms; null: an instant. */
  toMs: v.nullable(ms),
  text: v.pipe(v.string(), v.maxLength(MAX_NOTE_TEXT)),
  tags: v.pipe(v.array(tag), v.maxLength(MAX_TAGS)),
  /** Names of picture files, by the SHA-256 of their bytes. */
  pictures: v.pipe(v.array(pictureFile), v.maxLength(MAX_PICTURES)),
}
/** What the user enters. */
export interface NoteDraft {
  readonly instrument: InstrumentId | null
  readonly fromMs: number
  readonly toMs: number | null
  readonly text: string
  readonly tags: readonly string[]
  readonly pictures: readonly string[]
}
export interface Note extends NoteDraft {
  readonly id: string
  /** The source of the market it is pinned to (`sourceKey`). */
  readonly source: string
  /** When it was written and last changed, by the computer's clock, UTC ms. */
  readonly createdMs: number
  readonly changedMs: number
}

export const noteDraftSchema: v.GenericSchema<unknown, NoteDraft> = v.pipe(
  v.strictObject(content),
  v.check(({ fromMs, toMs }) => toMs === null || toMs > fromMs, 'a range that ends after it begins'),
)
export const noteSchema: v.GenericSchema<unknown, Note> = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(40)),
    source: v.pipe(v.string(), v.minLength(1), v.maxLength(5_200)),
    ...content,
    createdMs: ms,
    changedMs: ms,
  }),
  v.check(({ fromMs, toMs }) => toMs === null || toMs > fromMs, 'a range that ends after it begins'),
)

/** The notes of a source, oldest first, and the number of changes since the terminal started. */
export interface JournalState {
  readonly revision: number
  readonly notes: readonly Note[]
}

/** Notes by the time they are pinned to, then by when they were written. */
export const byTime = (a: Note, b: Note): number => a.fromMs - b.fromMs || a.createdMs - b.createdMs

/** Whether a note touches [fromMs, toMs). */
export const isWithin = (note: Note, fromMs: number, toMs: number): boolean =>
  note.fromMs < toMs && (note.toMs ?? note.fromMs) >= fromMs

/**
 * Whether a note may be shown at an instant, UTC ms. In a replay, a note that is pinned to a later time, or to a range
 * that ends later, would give away what comes next.
 */
export const isKnownAt = (note: Pick<Note, 'fromMs' | 'toMs'>, nowMs: number): boolean =>
  (note.toMs ?? note.fromMs) <= nowMs

/** The tags of a text such as "breakout #fomo #late", without the sign, each once. */
export function tagsIn(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)#([\p{L}\p{N}][\p{L}\p{N}_-]*)/gu)].map(([, tag]) => tag.slice(0, MAX_TAG))
  return [...new Set(found)].slice(0, MAX_TAGS)
}
