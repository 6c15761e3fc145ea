/** How far the clock of a session was set while it was recorded, from its entries. */
import type { Lead } from '../../../../shared/core/recording/reception.ts'
import { setBackMs } from '../../../../shared/core/recording/session.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'

export class ClockShifts {
  readonly #sql

  constructor(db: Db) {
    this.#sql = lazyStatements({
      shifts: () =>
        db.prepare<[number], ShiftRow>(
          `SELECT seq, body FROM entry WHERE recording = ? AND body LIKE '{"type":"clock"%' ORDER BY seq`,
        ),
      // Gaps last over few entries, so that this is cheap for thousands of sessions.
      inGaps: () =>
        db.prepare<[number], ShiftRow>(
          `SELECT DISTINCT entry.seq, entry.body FROM gap
           CROSS JOIN entry ON entry.recording = gap.recording AND entry.seq > gap.from_seq AND entry.seq < gap.to_seq
           WHERE gap.recording = ? AND gap.to_seq > gap.from_seq + 1 AND entry.body LIKE '{"type":"clock"%'
           ORDER BY entry.seq`,
        ),
    })
  }

  /** By seq. One that is corrupt is left out. */
  of(session: number): readonly Lead[] {
    return this.#sql.shifts.all(session).flatMap(leadOf)
  }

  /** Those that lie within a gap that has ended. */
  inGaps(session: number): readonly Lead[] {
    return this.#sql.inGaps.all(session).flatMap(leadOf)
  }
}

interface ShiftRow {
  readonly seq: number
  readonly body: string
}

function leadOf({ seq, body }: ShiftRow): readonly Lead[] {
  const ms = shiftOf(body)
  return ms === null ? [] : [{ seq, ms }]
}

/** Null if the entry is corrupt. */
function shiftOf(body: string): number | null {
  try {
    const { shiftMs } = JSON.parse(body) as { readonly shiftMs?: unknown } // checked below
    return typeof shiftMs === 'number' ? shiftMs : null
  } catch {
    return null
  }
}

interface StoredEnds {
  readonly from_ms: number
  readonly to_ms: number | null
  readonly from_seq: number
  readonly to_seq: number | null
}

/**
 * When a gap ended by the clock that its start is by, UTC ms: the clock may have been set back meanwhile. A clock that was set
 * forward moves no end, because in older sessions that can be a sleep. Null: it is open.
 */
export function endOfGap({ from_ms, to_ms, from_seq, to_seq }: StoredEnds, shifts: readonly Lead[]): number | null {
  if (to_ms === null) return null
  const inGap = shifts.filter(({ seq }) => seq > from_seq && seq < (to_seq ?? 0))
  return Math.max(
    inGap.reduce((endMs, { ms }) => endMs + setBackMs(ms), to_ms),
    from_ms,
  )
}
