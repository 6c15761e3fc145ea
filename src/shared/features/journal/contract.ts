/** Calls and the stream of the trade journal. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { call, ms, view } from '../../rpc/contract.ts'
import { MAX_NOTES, MAX_PICTURE_BASE64, noteDraftSchema, noteSchema, type JournalState, type Note } from './note.ts'
import type { Review } from './review.ts'

const id = text(40)

export const JOURNAL_CALLS = {
  /**
   * Adds a note (`id` null) to the market of a view, or changes one. Fails with `not-found`, with `too-large` beyond the
   * limits, with `store-newer` and `disk-error`.
   */
  'journal.put': call<Note>()(v.strictObject({ view, id: v.nullable(id), note: noteDraftSchema })),
  /** Removes notes and returns them, for undoing. Missing ones are skipped. */
  'journal.remove': call<readonly Note[]>()(
    v.strictObject({ ids: v.pipe(v.array(id), v.minLength(1), v.maxLength(MAX_NOTES)) }),
  ),
  /** Puts removed notes back unchanged. */
  'journal.restore': call<null>()(
    v.strictObject({ notes: v.pipe(v.array(noteSchema), v.minLength(1), v.maxLength(MAX_NOTES)) }),
  ),
  /** Saves a PNG or JPEG picture and returns the name of its file. Fails with `bad-arguments` for anything else. */
  'journal.addPicture': call<string>()(
    v.strictObject({ base64: v.pipe(text(MAX_PICTURE_BASE64), v.regex(/^[A-Za-z0-9+/]+={0,2}$/)) }),
  ),
  /** A picture in Base64. Fails with `not-found`. */
  'journal.picture': call<string>()(v.strictObject({ file: text(80) })),
  /** Reviews [fromMs, toMs) of a view's market. A replay's review ends at its clock. */
  'journal.review': call<Review>()(v.strictObject({ view, fromMs: ms, toMs: ms })),
} as const

export const JOURNAL_STREAMS = {
  /** All notes of a view's market, immediately and after every change. In a replay, that includes later notes. */
  journal: call<JournalState>()(v.strictObject({ view })),
} as const
