/** Makes the parts of a replay from listed sessions, with the gaps in and between them. */
import { CodedError } from '../../../shared/base/errors.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import { isTeamKey, type Gap, type SessionRow } from '../../../shared/core/recording/recording.ts'
import { unixMs, type RecordingId } from '../../../shared/base/units.ts'
import { joinParts, type Part } from './parts.ts'
import type { StoreReader } from '../store/types/reader.ts'

/** Loads the parts of the named sessions in playing order. Rejects with `not-found` or `ambiguous-source`. */
export async function loadParts(
  reader: Pick<StoreReader, 'sessions' | 'findPosition'>,
  names: readonly string[],
): Promise<{ readonly source: string; readonly rows: readonly SessionRow[]; readonly parts: readonly Part[] }> {
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
  const ends = await readEndsSoFar(reader, ofSource)
  const turns = inTurn(ofSource.map((row) => ({ ...row, row, endedMs: row.endedMs ?? ends.get(row.session) ?? null })))
  for (const {
    of: { row },
    notBeforeMs,
  } of turns) {
    if (!names.includes(row.session)) continue
    const last = await reader.findPosition({ recording: row.session, ms: Number.MAX_SAFE_INTEGER })
    if (last === null) continue
    rows.push(row)
    parts.push({
      recording: row.session,
      fromMs: row.startedMs,
      toMs: Math.max(row.endedMs ?? -Infinity, last.ms),
      lastSeq: last.seq,
      notBeforeMs,
      clean: row.clean,
    })
  }
  if (parts.length === 0) {
    throw new CodedError('not-found', 'Nothing was recorded in this session.', { hint: 'Choose another session.' })
  }
  return { source, rows, parts: joinParts(parts) }
}

/**
 * When each open replica with a later session of its shard ends so far, UTC ms, because its recorder may have died:
 * readers take the later one from there.
 */
async function readEndsSoFar(
  reader: Pick<StoreReader, 'findPosition'>,
  rows: readonly SessionRow[],
): Promise<ReadonlyMap<RecordingId, number>> {
  const newestMs = Math.max(...rows.map(({ startedMs }) => startedMs))
  const ends = new Map<RecordingId, number>()
  for (const { session, source, startedMs, endedMs } of rows) {
    if (endedMs !== null || startedMs === newestMs || !isTeamKey(source)) continue
    const last = await reader.findPosition({ recording: session, ms: Number.MAX_SAFE_INTEGER })
    ends.set(session, last?.ms ?? startedMs)
  }
  return ends
}

/** The time between parts that no stored gap covers, as a gap of each feed of the earlier session. */
export function gapsBetween(parts: readonly Part[], rows: readonly SessionRow[]): readonly Gap[] {
  return parts.flatMap((part, i) => {
    const next = parts.at(i + 1)
    const row = rows.find(({ session }) => session === part.recording)
    if (next === undefined || row === undefined || next.fromMs <= part.toMs) return []
    return row.feeds
      .filter(({ feed }) => !row.gaps.some((gap) => gap.feed === feed && gap.symbols.length === 0 && covers(gap, part)))
      .map(({ feed }): Gap => ({
        recording: part.recording,
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
  at: { readonly recording: string; readonly seq: number },
  nowMs: number,
): readonly Gap[] {
  const current = order.get(at.recording) ?? -1
  return gaps.flatMap((gap): Gap[] => {
    const session = order.get(gap.recording) ?? Infinity
    if (session > current || (session === current && gap.fromSeq > at.seq) || gap.fromMs > nowMs) return []
    const closed = gap.toMs !== null && gap.toMs <= nowMs && (session < current || (gap.toSeq ?? Infinity) <= at.seq)
    return [closed ? gap : { ...gap, toMs: null, toSeq: null }]
  })
}
