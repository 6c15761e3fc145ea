/** Finds the sessions of a team that a replay merges, with the gaps of the view that they make. Times are UTC ms. */
import { CodedError } from '../../../shared/base/errors.ts'
import { skewAt } from '../../../shared/core/recording/merged-sessions.ts'
import {
  isTeamKey,
  matchesSource,
  readTeamKey,
  teamKey,
  type Gap,
  type SessionRow,
} from '../../../shared/core/recording/session.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import { unixMs, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { entryOfMerge, MAX_SESSIONS, type MergedEvent, type MergedSession } from './merge.ts'
import { MergedPlayback } from './merged-playback.ts'
import { endOfSession } from './merged-tracker.ts'
import { countsIn, type Counts, type Part } from './parts.ts'

export interface MergeOptions {
  /** Of a team's shard, or of all of them. */
  readonly source: string
  /** Only these sessions, as if no others existed. Absent: all of the source. */
  readonly sessions?: readonly string[]
  /** Receive times of the first and last message. */
  readonly fromMs: number
  readonly endMs: number
}

export interface LoadedMerge {
  readonly source: string
  readonly playback: MergedPlayback
  readonly part: Part
  /** The merged sessions: by shard, then by lease. */
  readonly rows: readonly SessionRow[]
  /** Gaps that no session of the merge filled, each with its symbols. */
  readonly gaps: readonly Gap[]
  /** Sessions of the source that the merge doesn't have and that aren't over when it begins. */
  readonly hidden: readonly SessionId[]
  /** Reads what was recorded since. Null: nothing, or the merge can't grow. */
  grow(): Promise<Pick<LoadedMerge, 'part' | 'gaps'> | null>
}

interface Lane extends MergedSession {
  readonly row: SessionRow
  readonly lastSeq: number
  readonly counts: Counts | null
  /** By the service's clock. */
  readonly startMs: number
  readonly lastMs: number
}

type Reader = Pick<StoreReader, 'sessions' | 'shares' | 'findPosition' | 'replay' | 'entries' | 'gaps' | 'instruments'>

/** Loads a merge. Rejects with `usage` for other sources, and with `not-found` if there is nothing to play. */
export async function loadMerge(reader: Reader, options: MergeOptions): Promise<LoadedMerge> {
  const { source, fromMs, endMs } = options
  if (!isTeamKey(source))
    throw new CodedError('usage', `${source} isn’t a team’s source.`, {
      hint: 'Name a team, such as team:*@eu, or one of its shards, such as team:2@eu. Play other sessions with --session.',
    })
  const { lanes, others } = await findLanes(reader, options)
  if (lanes.length === 0)
    throw new CodedError('not-found', `${source} has no sessions in this range.`, {
      hint: '"tapedeck sessions" lists what is stored.',
    })
  if (lanes.length > MAX_SESSIONS)
    throw new CodedError('usage', `${lanes.length} sessions can’t be played as one.`, {
      hint: `Choose a shorter range: at most ${MAX_SESSIONS} sessions can be merged.`,
    })
  const timeline = new Timeline(fromMs)
  const gaps = await gapsOf(reader, source, lanes)
  const events = await timeline.add(reader, lanes, gaps)
  const phase = { limits: [...lanes.map(({ lastSeq }) => lastSeq), events.length], counts: countsOf(lanes) }
  const playback = new MergedPlayback(
    reader,
    { sessions: lanes, events, phases: [phase], endMs },
    await entriesBefore(reader, lanes),
  )
  const beginMs = Math.max(fromMs, Math.min(...lanes.map(({ startMs }) => startMs)))
  const partOf = (all: readonly Lane[]): Part =>
    playback.part(beginMs, Math.max(beginMs, Math.min(endMs, ...[Math.max(...all.map(({ lastMs }) => lastMs))])))
  let known = lanes
  return {
    source,
    playback,
    part: partOf(lanes),
    rows: lanes.map(({ row }) => row),
    gaps,
    hidden: others.filter(({ lastMs }) => lastMs > beginMs).map(({ session }) => session),
    async grow() {
      if (endMs < Infinity) return null
      const sessions = known.map((lane) => lane.session)
      const grown = (await findLanes(reader, { ...options, sessions })).lanes
      if (grown.length !== known.length) return null
      const hasGrown = grown.some(({ lastSeq, row }, i) => lastSeq > known[i].lastSeq || row.live !== known[i].row.live)
      if (!hasGrown) return null
      const allGaps = await gapsOf(reader, source, grown)
      const more = await timeline.add(reader, grown, allGaps)
      playback.grow({ lastSeqs: grown.map(({ lastSeq }) => lastSeq), counts: countsOf(grown) }, more)
      known = grown
      return { part: partOf(grown), gaps: allGaps }
    },
  }
}

const countsOf = (lanes: readonly Lane[]): readonly (Counts | null)[] => lanes.map(({ counts }) => counts)

/** The source of sessions that are merged: that of their team, or of their shard if they are of one. */
export function sourceOfMerge(rows: readonly Pick<SessionRow, 'source'>[]): string {
  const [first] = rows
  return rows.every(({ source }) => source === first.source)
    ? first.source
    : teamKey(readTeamKey(first.source)?.team ?? '')
}

async function findLanes(reader: Reader, { source, sessions, fromMs, endMs }: MergeOptions) {
  const all = (await reader.sessions()).filter((row) => matchesSource(row.source, source) && row.binnedMs === null)
  const named = sessions === undefined ? all : all.filter(({ session }) => sessions.includes(session))
  const ids = named.map(({ session }) => session)
  const shares = new Map((await reader.shares(ids, source)).map((one) => [one.session, one]))
  const shardOf = ({ source: key }: SessionRow): number => Number(readTeamKey(key)?.shard)
  const lanes: Lane[] = []
  const ordered = inTurn(named.map((row) => ({ ...row, row }))).map(({ of }) => of.row)
  for (const row of ordered.toSorted((a, b) => shardOf(a) - shardOf(b))) {
    const { session, startedMs } = row
    const share = shares.get(session)
    const clock = share?.clock ?? [{ fromSeq: 0, skewMs: 0 }]
    const last = await reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER })
    if (last === null) continue
    const startMs = startedMs + skewAt({ clock }, 0)
    const lastMs = last.ms + skewAt({ clock }, last.seq)
    if (startMs > endMs || lastMs < fromMs) continue
    const ms = previous(fromMs) - skewAt({ clock }, 0)
    const before = fromMs === -Infinity ? null : await reader.findPosition({ session, ms })
    const counts = share === undefined ? null : countsIn(share)
    lanes.push({
      session,
      clock,
      afterSeq: before?.seq ?? 0,
      row,
      lastSeq: last.seq,
      counts,
      startMs,
      lastMs: Math.max(lastMs, (row.endedMs ?? -Infinity) + skewAt({ clock }, last.seq)),
    })
  }
  const isLane = new Set(lanes.map(({ session }) => session))
  const others = all.flatMap(({ session, endedMs }) =>
    isLane.has(session) ? [] : [{ session, lastMs: endedMs ?? Infinity }],
  )
  return { lanes, others }
}

/** What the sessions said about their feeds before the range. */
async function entriesBefore(reader: Reader, lanes: readonly Lane[]): Promise<readonly StoredEntry[]> {
  const before: StoredEntry[] = []
  for (const [i, { session, afterSeq }] of lanes.entries()) {
    if (afterSeq === 0) continue
    for (const stored of await reader.entries({ session })) {
      if (stored.seq > afterSeq) break
      const entry = entryOfMerge(stored.entry, i, lanes.length + 1)
      if (entry !== null) before.push({ ...stored, entry })
    }
  }
  return before
}

/** The gaps of the view of all these sessions, with those between and after them, by the service's clock. */
async function gapsOf(reader: Reader, source: string, lanes: readonly Lane[]): Promise<readonly Gap[]> {
  const sessions = lanes.map(({ session }) => session)
  const known = new Map<string, Promise<readonly string[]>>()
  const symbolsOf = (session: SessionId, feed: FeedId): Promise<readonly string[]> => {
    const key = `${session} ${feed}`
    const read = known.get(key) ?? readSymbols(reader, session, feed)
    known.set(key, read)
    return read
  }
  const stored = await reader.gaps({ source, sessions, skipCorrupt: true })
  const gaps: Gap[] = []
  for (const gap of [...stored, ...gapsBetweenLanes(lanes)]) {
    const { session, feed, fromSeq, fromMs, toMs } = gap
    // A feed's gap in one session isn't one of the symbols that others receive.
    const symbols = gap.symbols.length > 0 ? gap.symbols : await symbolsOf(session, feed)
    const lane = lanes.find((one) => one.session === session)
    if (symbols.length === 0 || lane === undefined) continue
    const skewMs = skewAt(lane, fromSeq)
    gaps.push({
      session,
      feed,
      symbols,
      cause: gap.cause,
      fromMs: unixMs(fromMs + skewMs),
      toMs: toMs === null ? null : unixMs(toMs + skewMs),
      fromSeq,
      toSeq: gap.toSeq,
    })
  }
  return gaps.sort((a, b) => a.fromMs - b.fromMs)
}

/** The newest symbol of each instrument that a session received from a feed. */
async function readSymbols(reader: Reader, session: SessionId, feed: FeedId): Promise<readonly string[]> {
  const found = await reader.instruments({ feed, session })
  return found.flatMap(({ symbols }) => symbols.slice(-1))
}

/** The time in which no session of a shard ran, after one of them, as gaps of it: by its own clock. */
function gapsBetweenLanes(lanes: readonly Lane[]): readonly Gap[] {
  return [...Map.groupBy(lanes, ({ row }) => row.source).values()].flatMap((shard) => {
    const gaps: Gap[] = []
    let last: Lane | null = null
    for (const next of [...shard.toSorted((a, b) => a.startMs - b.startMs), null]) {
      if (last !== null && (next === null ? !last.row.live : next.startMs > last.lastMs))
        gaps.push(...gapsAfter(last, next?.startMs ?? null))
      if (next !== null && (last === null || next.lastMs > last.lastMs)) last = next
    }
    return gaps
  })
}

function gapsAfter({ row, lastMs, lastSeq, clock }: Lane, toMs: number | null): readonly Gap[] {
  const skewMs = skewAt({ clock }, lastSeq)
  const fromMs = lastMs - skewMs
  const covers = (gap: Gap): boolean => gap.fromMs <= fromMs && (gap.toMs === null || gap.toMs > fromMs)
  return row.feeds
    .filter(({ feed }) => !row.gaps.some((gap) => gap.feed === feed && gap.symbols.length === 0 && covers(gap)))
    .map(({ feed }): Gap => ({
      session: row.session,
      feed,
      symbols: [],
      cause: row.clean ? 'quit' : 'crash',
      fromMs: unixMs(fromMs),
      toMs: toMs === null ? null : unixMs(toMs - skewMs),
      fromSeq: lastSeq,
      toSeq: null,
    }))
}

/** What happens in the view of all sessions, in order: gaps, and the ends of sessions. */
class Timeline {
  readonly #fromMs: number
  /** By gap, its number, from 1 in the order in which they open. */
  readonly #opened = new Map<string, number>()
  readonly #closed = new Set<string>()
  readonly #ended = new Set<SessionId>()

  constructor(fromMs: number) {
    this.#fromMs = fromMs
  }

  /** What hasn't been returned before. */
  async add(reader: Reader, lanes: readonly Lane[], gaps: readonly Gap[]): Promise<readonly MergedEvent[]> {
    const events: MergedEvent[] = []
    for (const [i, { row, lastMs, session }] of lanes.entries()) {
      if (row.live || this.#ended.has(session)) continue
      this.#ended.add(session)
      events.push({ ms: lastMs, entry: endOfSession(i) })
    }
    const known = await knownTimes(reader, lanes)
    const opens = gaps
      .map((gap) => ({ gap, ms: Math.max(gap.fromMs, known.get(`${gap.session} ${gap.fromSeq}`) ?? -Infinity) }))
      .filter(({ gap }) => (gap.toMs ?? Infinity) >= this.#fromMs)
      .toSorted((a, b) => a.ms - b.ms)
    for (const { gap, ms } of opens) {
      const { session, feed, cause, symbols, fromMs, toMs, fromSeq } = gap
      const key = `${session} ${feed} ${fromSeq} ${fromMs} ${symbols.join()}`
      let number = this.#opened.get(key)
      if (number === undefined) {
        this.#opened.set(key, (number = this.#opened.size + 1))
        events.push({ ms, entry: { type: 'gap-open', feed, cause, symbols, fromMs } })
      }
      if (toMs === null || this.#closed.has(key)) continue
      this.#closed.add(key)
      events.push({ ms: Math.max(ms, toMs), entry: { type: 'gap-close', feed, openedSeq: number } })
    }
    return events.toSorted((a, b) => a.ms - b.ms)
  }
}

/** When the sessions noticed their gaps, by session and seq: before, nobody knew of them. */
async function knownTimes(reader: Reader, lanes: readonly Lane[]): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  for (const { session, clock } of lanes)
    for (const { seq, wallMs } of await reader.entries({ session, types: ['gap-open'] }))
      times.set(`${session} ${seq}`, wallMs + skewAt({ clock }, seq))
  return times
}

/** The greatest number of milliseconds that is certainly before an instant: stamps have at most microseconds. */
export const previous = (ms: number): number => ms - 0.0005

/** The gaps as known at a place of a merge: later ones are missing, and those that closed later are still open. */
export function gapsOfMergeAt(gaps: readonly Gap[], seqs: ReadonlyMap<string, number>, nowMs: number): readonly Gap[] {
  return gaps.flatMap((gap): Gap[] => {
    const seq = seqs.get(gap.session) ?? 0
    if (gap.fromSeq > seq || gap.fromMs > nowMs) return []
    return [gap.toMs !== null && gap.toMs <= nowMs ? gap : { ...gap, toMs: null, toSeq: null }]
  })
}
