/** The sessions of a view's source and, in a replay, only what of them was recorded up to its clock. */
import type { Span } from '../../../shared/base/spans.ts'
import type { CoveredSession, SymbolExtent } from '../../../shared/features/evidence/session-spans.ts'
import { matchesSource, type Gap, type LedgerEntry, type SessionRow } from '../../../shared/core/recording/session.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import type { StoreReader } from '../store/types/reader.ts'
import type { View } from './views.ts'

export interface RecordedView {
  /** `sourceKey` of its sessions, or that of all shards of a team. */
  readonly source: string
  /** Its clock, UTC ms. */
  readonly nowMs: number
  /** The last visible message or entry of each session that may have more. Null: everything stored is visible. */
  readonly upTo: SeqLimits | null
  /** Whether the view is a replay, which also hides sessions after those of `upTo`. */
  readonly past: boolean
}

/** What a view shows now. */
export const recordedView = (view: Pick<View, 'source' | 'wallMs' | 'upTo' | 'live'>): RecordedView => ({
  source: view.source(),
  nowMs: view.wallMs(),
  upTo: view.upTo() ?? null,
  past: !view.live,
})

/** The visible sessions of the view's source, in reading order, without their gaps. */
export async function visibleSessions(reader: StoreReader, view: RecordedView): Promise<readonly SessionRow[]> {
  const all = (await reader.sessions(true)).filter((row) => matchesSource(row.source, view.source))
  const rows = inTurn(all).map(({ of }) => of)
  const { upTo } = view
  if (!view.past) return rows
  /** By source, the index of its last session with a limit. */
  const lastAt = new Map<string, number>()
  for (const [i, { session, source }] of rows.entries()) if (upTo?.has(session) === true) lastAt.set(source, i)
  if (lastAt.size === 0) return []
  return rows.filter(({ session, source }, i) => i <= (lastAt.get(source) ?? Infinity) && upTo?.get(session) !== 0)
}

/** Whether a message is visible. Only limits the sessions of `upTo`; see `visibleSessions` for the others. */
export function isVisible(view: RecordedView, session: SessionId, seq: number): boolean {
  return seq <= (view.upTo?.get(session) ?? Infinity)
}

const ENTRY_TYPES: readonly LedgerEntry['type'][] = [
  'subscribe',
  'unsubscribe',
  'acknowledged',
  'released',
  'disconnected',
]

/** A session as known at the view's clock. Entries and gaps from later are left out; gaps that end later are open. */
export async function coveredSession(
  reader: StoreReader,
  view: RecordedView,
  { session, startedMs, endedMs }: SessionRow,
  gaps: readonly Gap[],
): Promise<CoveredSession> {
  const { nowMs } = view
  const entries = await reader.entries({ session, types: ENTRY_TYPES })
  // The end of a gap can be after the clock although it is visible: the recorder's clock was set back meanwhile.
  const isOpen = ({ toMs, toSeq }: Gap): boolean =>
    (toMs ?? 0) > nowMs && (toSeq === null || !isVisible(view, session, toSeq))
  return {
    session,
    startedMs,
    endedMs: Math.max(startedMs, Math.min(endedMs ?? nowMs, nowMs)),
    entries: view.past ? entries.filter(({ seq }) => isVisible(view, session, seq)) : entries,
    gaps: view.past
      ? gaps
          .filter((gap) => isVisible(view, session, gap.fromSeq))
          .map((gap) => (isOpen(gap) ? { ...gap, toMs: null, toSeq: null } : gap))
      : gaps,
  }
}

/** Maximum imports whose symbol extents are cached. */
const MAX_IMPORTS = 64

/** Reads when the symbols of sessions were subscribed, and their gaps. */
export class ViewSessions {
  readonly #reader: StoreReader
  /** Imports never change, so the extents of their symbols can be cached. */
  readonly #extents = new Map<SessionId, readonly SymbolExtent[]>()

  constructor(reader: StoreReader) {
    this.#reader = reader
  }

  /** Those of `rows` that touch a range, with their gaps there. */
  async within(
    view: RecordedView,
    rows: readonly SessionRow[],
    range: Span,
    gaps: readonly Gap[],
  ): Promise<readonly CoveredSession[]> {
    const gapsOf = Map.groupBy(gaps, (gap) => gap.session)
    const sessions: CoveredSession[] = []
    // One after another, so that other requests don't wait behind thousands of these.
    for (const row of rows) {
      // A gap may extend past the end of its session: after a crash it lasts until the next start.
      const touches = (row.endedMs ?? Infinity) >= range.fromMs || gapsOf.has(row.session)
      if (row.startedMs >= range.toMs || !touches) continue
      const one = await coveredSession(this.#reader, view, row, gapsOf.get(row.session) ?? [])
      sessions.push(row.source.startsWith('import:') ? { ...one, extents: await this.#extentsOf(row) } : one)
    }
    return sessions
  }

  /**
   * Those of a view that touch the time from `fromMs` (UTC ms) to its clock. Gaps that can't be read are left out; a page
   * of bars reports them.
   */
  async since(view: RecordedView, fromMs: number): Promise<readonly CoveredSession[]> {
    const { source, nowMs } = view
    const gaps = await this.#reader.gaps({ source, fromMs: fromMs - 1, toMs: nowMs, skipCorrupt: true })
    return this.within(view, await visibleSessions(this.#reader, view), { fromMs, toMs: nowMs }, gaps)
  }

  async #extentsOf(row: SessionRow): Promise<readonly SymbolExtent[]> {
    const known = this.#extents.get(row.session)
    if (known !== undefined) return known
    const found: SymbolExtent[] = []
    for (const { feed, stored } of row.feeds) {
      if (stored === 0) continue
      for (const { instrument, symbols } of await this.#reader.instruments({ feed, session: row.session })) {
        const { fromMs, toMs } = await this.#reader.extent({
          feed,
          instruments: [instrument],
          session: row.session,
        })
        if (fromMs !== null && toMs !== null) found.push({ feed, symbol: symbols.at(-1) ?? instrument, fromMs, toMs })
      }
    }
    this.#extents.set(row.session, found)
    for (const oldest of this.#extents.keys()) {
      if (this.#extents.size <= MAX_IMPORTS) break
      this.#extents.delete(oldest)
    }
    return found
  }
}
