/** Makes the parts of a replay from listed sessions, with the gaps in and between them. */
import { CodedError } from '../../../shared/base/errors.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { Gap, SessionRow } from '../../../shared/core/recording/session.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { joinParts, receivedSince, type Part } from './parts.ts'
import type { StoreReader } from '../store/types/reader.ts'

export interface LoadedParts {
  readonly source: string
  readonly rows: readonly SessionRow[]
  readonly parts: readonly Part[]
}

/**
 * Loads the parts of the named sessions in playing order. Several sessions of a team are a merge instead (`loadMerge`);
 * one that is played alone is whole. Rejects with `not-found` or `ambiguous-source`.
 */
export async function loadParts(
  reader: Pick<StoreReader, 'sessions' | 'findPosition'>,
  names: readonly string[],
): Promise<LoadedParts> {
  const all = await reader.sessions()
  const chosen = all.filter(({ session }) => names.includes(session))
  const missing = names.find((name) => !all.some(({ session }) => session === name))
  const [first] = chosen
  if (missing !== undefined || chosen.length === 0) {
    throw new CodedError('not-found', `There is no session "${missing ?? ''}".`, {
      hint: 'Choose one from the list of sessions.',
    })
  }
  const { source } = first
  if (chosen.some((row) => row.source !== source)) {
    throw new CodedError('ambiguous-source', 'These sessions come from different sources and can’t be combined.', {
      hint: 'Choose sessions from one source, or open each in its own window.',
    })
  }
  const rows: SessionRow[] = []
  const parts: Part[] = []
  const ofSource = all.filter((one) => one.source === source)
  const turns = inTurn(ofSource.map((row) => ({ ...row, row })))
  for (const {
    of: { row },
    notBeforeMs,
  } of turns) {
    if (!names.includes(row.session)) continue
    const last = await reader.findPosition({ session: row.session, ms: Number.MAX_SAFE_INTEGER })
    if (last === null) continue
    rows.push(row)
    parts.push({
      session: row.session,
      fromMs: row.startedMs,
      toMs: Math.max(row.endedMs ?? -Infinity, last.ms),
      lastSeq: last.seq,
      counts: receivedSince(notBeforeMs),
      clean: row.clean,
    })
  }
  if (parts.length === 0) {
    throw new CodedError('not-found', 'Nothing was recorded in this session.', { hint: 'Choose another session.' })
  }
  return { source, rows, parts: joinParts(parts) }
}

/** The time between parts that no stored gap covers, as a gap of each feed of the earlier session. */
export function gapsBetween(parts: readonly Part[], rows: readonly SessionRow[]): readonly Gap[] {
  return parts.flatMap((part, i) => {
    const next = parts.at(i + 1)
    const row = rows.find(({ session }) => session === part.session)
    if (next === undefined || row === undefined || next.fromMs <= part.toMs) return []
    return row.feeds
      .filter(({ feed }) => !row.gaps.some((gap) => gap.feed === feed && gap.symbols.length === 0 && covers(gap, part)))
      .map(({ feed }): Gap => ({
        session: part.session,
        feed,
        symbols: [],
        cause: part.clean ? 'quit' : 'crash',
        fromMs: unixMs(part.toMs),
        toMs: unixMs(next.fromMs),
        fromSeq: part.lastSeq,
        toSeq: null,
      }))
  })
}

const covers = (gap: Gap, { toMs }: Part): boolean => gap.fromMs <= toMs && (gap.toMs === null || gap.toMs > toMs)

/** The gaps as known at a position: gaps that opened later are missing, and gaps that closed later are still open. */
export function gapsKnownAt(
  gaps: readonly Gap[],
  order: ReadonlyMap<string, number>,
  at: { readonly session: string; readonly seq: number },
  nowMs: number,
): readonly Gap[] {
  const current = order.get(at.session) ?? -1
  return gaps.flatMap((gap): Gap[] => {
    const session = order.get(gap.session) ?? Infinity
    if (session > current || (session === current && gap.fromSeq > at.seq) || gap.fromMs > nowMs) return []
    const isEarlier = session < current
    const { toMs, toSeq } = gap
    // A recorded end can be after the clock: the recorder's clock was set back in the gap.
    const isClosed = toSeq === null ? isEarlier && toMs !== null && toMs <= nowMs : isEarlier || toSeq <= at.seq
    return [isClosed ? gap : { ...gap, toMs: null, toSeq: null }]
  })
}
