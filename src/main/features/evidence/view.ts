/** What evidence may see of a view: recordings of one source, and of a replay nothing after its instant. */
import type { CoverageRecording } from '../../../shared/features/evidence/coverage.ts'
import type { MessagePlace } from '../../../shared/features/evidence/evidence.ts'
import type { Gap, LedgerEntry, SessionRow } from '../../../shared/core/recording/recording.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'

export interface EvidenceView {
  /** `sourceKey` of its recordings. */
  readonly source: string
  /** Its clock, UTC ms. */
  readonly nowMs: number
  /** The last message or entry that is visible; null: everything that is stored. */
  readonly upTo: MessagePlace | null
  /** It is the past: recordings after `upTo`'s are hidden too. */
  readonly past: boolean
}

/** Recordings of the view's source that it may see, oldest first, without their gaps. */
export async function visibleSessions(reader: StoreReader, view: EvidenceView): Promise<readonly SessionRow[]> {
  const rows = (await reader.sessions(true)).filter((row) => row.source === view.source)
  if (!view.past) return rows
  const last = rows.findIndex((row) => row.session === view.upTo?.recording)
  return rows.slice(0, last + 1)
}

/** Whether a message may be seen. `earlier`: its recording came before the view's own. */
export function isVisible(view: EvidenceView, recording: string, seq: number): boolean {
  return view.upTo === null || recording !== view.upTo.recording || seq <= view.upTo.seq
}

const ENTRY_TYPES: readonly LedgerEntry['type'][] = [
  'subscribe',
  'unsubscribe',
  'acknowledged',
  'released',
  'disconnected',
]

/** A session with gaps of its own as far as the view's clock: no entry, no gap and no end of a gap from after it. */
export async function recordingOf(
  reader: StoreReader,
  view: EvidenceView,
  { session, startedMs, endedMs }: SessionRow,
  gaps: readonly Gap[],
): Promise<CoverageRecording> {
  const { nowMs } = view
  const entries = await reader.entries({ recording: session, types: ENTRY_TYPES })
  return {
    recording: session,
    startedMs,
    endedMs: Math.max(startedMs, Math.min(endedMs ?? nowMs, nowMs)),
    entries: view.past ? entries.filter(({ seq }) => isVisible(view, session, seq)) : entries,
    gaps: view.past
      ? gaps
          .filter((gap) => isVisible(view, session, gap.fromSeq))
          .map((gap) => ((gap.toMs ?? 0) > nowMs ? { ...gap, toMs: null, toSeq: null } : gap))
      : gaps,
  }
}
