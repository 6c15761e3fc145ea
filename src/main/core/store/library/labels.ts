/** The user's labels of sessions: name, notes, tags, pin and bin. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { LabelPatch } from '../types/library.ts'
import type { LabelRow } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'

export class Labels {
  readonly #get
  readonly #put
  readonly #find

  constructor(db: Db) {
    this.#get = db.prepare<[number], LabelRow>('SELECT * FROM label WHERE recording = ?')
    this.#put = db.prepare<[number, string, string, string, number, number | null]>(
      'INSERT OR REPLACE INTO label (recording, name, notes, tags, pinned, binned_ms) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#find = db.prepare<[string], number>('SELECT id FROM recording WHERE key = ?').pluck()
  }

  /** The number of a session. Throws `not-found`. */
  find(key: SessionId): number {
    const id = this.#find.get(key)
    if (id === undefined) throw new CodedError('not-found', `There is no session ${key}.`)
    return id
  }

  /** Changes the given fields within the caller's transaction. `binnedMs`: UTC ms, null to restore. */
  set(id: number, patch: LabelPatch, binnedMs?: number | null): void {
    const old = this.#get.get(id)
    const tags = patch.tags === undefined ? (old?.tags ?? '[]') : JSON.stringify([...new Set(patch.tags)])
    this.#put.run(
      id,
      patch.name ?? old?.name ?? '',
      patch.notes ?? old?.notes ?? '',
      tags,
      (patch.pinned ?? old?.pinned === 1) ? 1 : 0,
      binnedMs === undefined ? (old?.binned_ms ?? null) : binnedMs,
    )
  }
}
