/** Reads a session's entries in pages, because a session of days can hold millions of them. */
import type { EntryRow } from '../format/ledger.ts'
import type { Db } from '../schema/sqlite.ts'

const ENTRY_PAGE_ROWS = 1_000

/** Number of entries a session has now, and the seq of the last one; 0 if it has none. */
export function countEntries(db: Db, session: number): { readonly count: number; readonly lastSeq: number } {
  const row = db
    .prepare<[number], { count: number; lastSeq: number }>(
      'SELECT count(*) AS count, coalesce(max(seq), 0) AS lastSeq FROM entry WHERE recording = ?',
    )
    .get(session)
  return row ?? { count: 0, lastSeq: 0 }
}

/** Entries up to a seq, oldest first. `read` runs each page's query, for example in a short transaction. */
export function* entriesUpTo(
  db: Db,
  session: number,
  lastSeq: number,
  read: <T>(run: () => T) => T = (run) => run(),
  pageRows = ENTRY_PAGE_ROWS,
): Generator<EntryRow> {
  const page = db.prepare<[number, number, number, number], EntryRow>(
    `SELECT seq, wall_ms AS wallMs, mono_ns AS monoNs, body FROM entry
     WHERE recording = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  )
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const rows = read(() => page.all(session, after, lastSeq, pageRows))
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.seq
  }
}

/** Entries with a look at the next one before it is taken. */
export class EntryCursor {
  readonly #rows: Iterator<EntryRow>
  #next: IteratorResult<EntryRow> | null = null

  constructor(rows: Iterable<EntryRow>) {
    this.#rows = rows[Symbol.iterator]()
  }

  /** The entry that `take` will return; undefined at the end. */
  get next(): EntryRow | undefined {
    this.#next ??= this.#rows.next()
    return this.#next.done === true ? undefined : this.#next.value
  }

  take(): void {
    if (this.next !== undefined) this.#next = null
  }
}
