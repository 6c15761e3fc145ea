/** The sessions and messages evidence may use: those of the view's source and, in a replay, up to its clock. */
import type { CoverageRecording } from '../../../shared/features/evidence/coverage.ts'
import type { MessagePlace } from '../../../shared/features/evidence/evidence.ts'
import { matchesSource, type Gap, type LedgerEntry, type SessionRow } from '../../../shared/core/recording/recording.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'

export interface EvidenceView {
  /** `sourceKey` of its sessions, or that of all shards of a team. */
  readonly source: string
  /** Its clock, UTC ms. */
  readonly nowMs: number
  /** The last visible message or entry. Null: everything stored is visible. */
  readonly upTo: MessagePlace | null
  /** Whether the view is a replay, which also hides sessions after that of `upTo`. */
  readonly past: boolean
}

/** The visible sessions of the view's source, in reading order, without their gaps. */
export async function visibleSessions(reader: StoreReader, view: EvidenceView): Promise<readonly SessionRow[]> {
  const all = (await reader.sessions(true)).filter((row) => matchesSource(row.source, view.source))
  const rows = inTurn(all).map(({ of }) => of)
  if (!view.past) return rows
  const last = rows.findIndex((row) => row.session === view.upTo?.recording)
  return rows.slice(0, last + 1)
}

/** Whether a message is visible. Only limits the session of `upTo`; see `visibleSessions` for the others. */
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

/** A session as known at the view's clock. Entries and gaps from later are left out; gaps that end later are open. */
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
