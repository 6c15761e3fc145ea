/** Keeps the state of the live market now and then, so that a replay need not begin at a recording's start. */
import type { RecordingId } from '../../../shared/base/units.ts'
import type { Market } from '../market/market.ts'
import type { StoreWriter } from '../store/types/store.ts'

/** At least this often. */
const EVERY_MS = 60_000
const EVERY_ENTRIES = 200_000
/** And in busy stretches after so many entries: a jump applies what follows the one before it. */
const BUSY_ENTRIES = 15_000
const BUSY_MS = 2_500

export interface Snapshots {
  /** A recording began; nothing of it is in the market yet: what was known before it is kept at seq 0. */
  began(recording: RecordingId, wallMs: number): void
  /** The market is as of this seq now. */
  after(seq: number, wallMs: number): void
}

/** Nothing is kept yet. */
export function createSnapshots(market: Market, writer: Pick<StoreWriter, 'snapshot'>): Snapshots {
  let recording: RecordingId | null = null
  let lastSeq = 0
  let lastMs = 0
  /** Replay time: of receipt, made never to decrease. */
  let timeMs = 0
  const keep = (seq: number): void => {
    if (recording === null) return
    lastSeq = seq
    lastMs = timeMs
    writer.snapshot({ recording, seq, wallMs: timeMs, version: market.version, data: market.save() })
  }
  return {
    began(id, wallMs) {
      recording = id
      timeMs = wallMs
      keep(0)
    },
    after(seq, wallMs) {
      if (wallMs > timeMs) timeMs = wallMs
      const entries = seq - lastSeq
      const busy = entries >= BUSY_ENTRIES && timeMs - lastMs >= BUSY_MS
      if (busy || timeMs - lastMs >= EVERY_MS || entries >= EVERY_ENTRIES) keep(seq)
    },
  }
}
