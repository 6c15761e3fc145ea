/** Saves the state of the live market periodically, so that a replay can start in the middle of a session. */
import type { SessionId } from '../../../shared/base/units.ts'
import type { Market } from '../market/market.ts'
import type { StoreWriter } from '../store/types/writer.ts'

/** The longest time and the most entries between two snapshots. */
const EVERY_MS = 60_000
const EVERY_ENTRIES = 200_000
/** When busy, save after this many entries and ms, because a seek applies every entry after the last snapshot. */
const BUSY_ENTRIES = 15_000
const BUSY_MS = 2_500

export interface Snapshots {
  /** A session began. Saves the state before it as seq 0. */
  began(session: SessionId, wallMs: number): void
  /** The market has applied everything up to `seq`, received at `wallMs`. */
  after(seq: number, wallMs: number): void
}

export function createSnapshots(market: Market, writer: Pick<StoreWriter, 'snapshot'>): Snapshots {
  let session: SessionId | null = null
  let lastSeq = 0
  let lastMs = 0
  /** Replay time: receipt time that never decreases. */
  let timeMs = 0
  const save = (seq: number): void => {
    if (session === null) return
    lastSeq = seq
    lastMs = timeMs
    writer.snapshot({ session, seq, wallMs: timeMs, version: market.version, data: market.save() })
  }
  return {
    began(id, wallMs) {
      session = id
      timeMs = wallMs
      save(0)
    },
    after(seq, wallMs) {
      if (wallMs > timeMs) timeMs = wallMs
      const entries = seq - lastSeq
      const busy = entries >= BUSY_ENTRIES && timeMs - lastMs >= BUSY_MS
      if (busy || timeMs - lastMs >= EVERY_MS || entries >= EVERY_ENTRIES) save(seq)
    },
  }
}
