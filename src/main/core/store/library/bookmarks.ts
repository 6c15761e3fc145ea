/** Bookmarks of sessions. They are the user's notes, not evidence. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import { unixMs } from '../../../../shared/base/units.ts'
import type { NewBookmark } from '../types/replay.ts'
import type { Db } from '../schema/sqlite.ts'

const MAX_BOOKMARKS = 10_000

/** Inserts a bookmark. Throws `not-found` if there is no such session, `not-allowed` if it has too many. */
export function insertBookmark(db: Db, { session, atMs, seq, text }: NewBookmark): ReplayBookmark {
  const id = db.prepare<[string], number>('SELECT id FROM recording WHERE key = ?').pluck().get(session)
  if (id === undefined) throw new CodedError('not-found', `There is no session ${session}.`)
  const count = db.prepare<[number], number>('SELECT count(*) FROM bookmark WHERE recording = ?').pluck().get(id) ?? 0
  if (count >= MAX_BOOKMARKS) {
    throw new CodedError('not-allowed', `Session ${session} has ${MAX_BOOKMARKS} bookmarks, the maximum.`, {
      hint: 'Remove some of them first.',
    })
  }
  const made = db
    .prepare<[number, number, number | null, string]>(
      'INSERT INTO bookmark (recording, at_ms, seq, text) VALUES (?, ?, ?, ?)',
    )
    .run(id, atMs, seq, text)
  return { id: Number(made.lastInsertRowid), session, atMs: unixMs(atMs), seq, text }
}

/** Returns whether the bookmark existed. */
export function deleteBookmark(db: Db, id: number): boolean {
  return db.prepare<[number]>('DELETE FROM bookmark WHERE id = ?').run(id).changes > 0
}
