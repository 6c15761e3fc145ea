/** What a replay plays: sessions of one source in turn, or those of a team as one (decision 61). */
import { isTeamKey, matchesSource, type Gap } from '../../../../shared/core/recording/session.ts'
import { inTurn } from '../../../../shared/features/sessions/overlaps.ts'
import { unixMs, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import type { Market } from '../../../core/market/market.ts'
import type { Visible } from '../../../core/views/stored-view.ts'
import { gapsOfMergeAt, loadMerge, sourceOfMerge, type LoadedMerge } from '../../../core/playback/load-merge.ts'
import type { Part } from '../../../core/playback/parts.ts'
import { gapsBetween, gapsKnownAt, loadParts, type LoadedParts } from '../../../core/playback/replay-parts.ts'
import type { SeqLimits } from '../../../core/store/types/bars.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import type { Place, PlayerOptions } from './player-port.ts'

export interface Playable {
  /** `sourceKey` of the sessions, or that of all shards of their team. */
  readonly source: string
  readonly parts: readonly Part[]
  /** Reads the parts for playback. */
  readonly reader: PlayerOptions['reader'] & Pick<StoreReader, 'findPosition'>
  /** Oldest first, UTC ms. */
  readonly sessions: readonly { readonly session: SessionId; readonly fromMs: UnixMs; readonly toMs: UnixMs }[]
  /** Gaps in and between the sessions. */
  readonly gaps: readonly Gap[]
  /** Passes what is played on to a market. */
  into(market: Market): Market
  /** The last seq of each session that is visible at a place. */
  limitsAt(place: Place): SeqLimits
  /** The message or entry at a place; null: unknown. */
  originOf(place: Place): { readonly session: SessionId; readonly seq: number } | null
  /** What is visible at a place and a time, UTC ms. */
  visibleAt(place: () => Place, nowMs: () => number): Visible
  /** Reads what was recorded since. The last part that grew; null: none did. `isLive`: whether a session still is. */
  grow(isLive: (session: SessionId) => boolean): Promise<Part | null>
  /** Whether more may still be recorded. */
  readonly goesOn: boolean
}

/**
 * Loads sessions. With `team`, those of a team are merged with all others of it at that time. Rejects with `not-found`
 * or `ambiguous-source`.
 */
export async function loadPlayable(
  reader: StoreReader,
  { sessions, team }: { readonly sessions: readonly string[]; readonly team: boolean },
): Promise<Playable> {
  const merge = await findMerge(reader, sessions, team)
  return merge === null ? inTurnOf(reader, await loadParts(reader, sessions)) : mergeOf(reader, merge)
}

/** The merge that these sessions stand for. Null: they aren't of a team, or are a single session without others. */
export async function findMerge(
  reader: StoreReader,
  sessions: readonly string[],
  team: boolean,
): Promise<LoadedMerge | null> {
  const all = await reader.sessions(true)
  const named = all.filter(({ session }) => sessions.includes(session))
  const isOfTeam =
    named.length > 0 && named.length === sessions.length && named.every(({ source }) => isTeamKey(source))
  if (!isOfTeam || (named.length === 1 && !team)) return null
  const source = sourceOfMerge(named)
  const ofTeam = team ? source.replace(/^team:\d+@/, 'team:*@') : source
  if (named.some((row) => !matchesSource(row.source, source))) return null
  if (!team) return loadMerge(reader, { source, sessions, fromMs: -Infinity, endMs: Infinity })
  const range = await rangeOf(reader, ofTeam, sessions)
  const merge = await loadMerge(reader, { source: ofTeam, ...range })
  return merge.rows.length === 1 ? null : merge
}

/** When the first of these sessions began and the last one ended, by the service's clock, UTC ms. */
async function rangeOf(reader: StoreReader, source: string, sessions: readonly string[]) {
  const { part, rows } = await loadMerge(reader, { source, sessions, fromMs: -Infinity, endMs: Infinity })
  return { fromMs: part.fromMs, endMs: rows.some(({ live }) => live) ? Infinity : part.toMs }
}

async function inTurnOf(reader: StoreReader, { source, rows, parts: loaded }: LoadedParts): Promise<Playable> {
  const between = gapsBetween(loaded, rows)
  let parts = loaded
  let lastGaps = rows[rows.length - 1].gaps
  let goesOn = rows[rows.length - 1].endedMs === null
  /** The position of each of the source's sessions in reading order. */
  const all = (await reader.sessions(true)).filter((row) => row.source === source)
  const order: ReadonlyMap<string, number> = new Map(inTurn(all).map(({ of }, i) => [of.session, i]))
  return {
    source,
    reader,
    get parts() {
      return parts
    },
    get sessions() {
      return parts.map(({ session, fromMs, toMs }) => ({
        session,
        fromMs: unixMs(fromMs),
        toMs: unixMs(toMs),
      }))
    },
    get gaps() {
      return [...rows.slice(0, -1).flatMap(({ gaps }) => gaps), ...lastGaps, ...between]
    },
    get goesOn() {
      return goesOn
    },
    into: (market) => market,
    limitsAt: ({ session, seq }) => new Map([[session, seq]]),
    originOf: ({ session, seq }) => ({ session, seq }),
    visibleAt: (place, nowMs) => ({
      sessions: (some) =>
        some.filter(({ session }) => (order.get(session) ?? Infinity) <= (order.get(place().session) ?? -1)),
      gaps: (gaps) => gapsKnownAt([...gaps, ...between], order, place(), nowMs()),
    }),
    async grow(isLive) {
      const last = parts[parts.length - 1]
      const { session } = last
      const isOpen = isLive(session)
      const [end, gaps] = await Promise.all([
        reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER }),
        reader.gaps({ session }),
      ])
      // That is from before the reads, so a session that has ended since is read once more.
      goesOn = isOpen
      if (end === null || end.seq <= last.lastSeq) return null
      lastGaps = gaps
      const grown = { ...last, lastSeq: end.seq, toMs: Math.max(last.toMs, end.ms) }
      parts = [...parts.slice(0, -1), grown]
      return grown
    },
  }
}

function mergeOf(reader: StoreReader, merge: LoadedMerge): Playable {
  const { source, playback, hidden } = merge
  let { part, gaps, rows } = merge
  const isLane = new Set(rows.map(({ session }) => session))
  const none = hidden.map((session) => [session, 0] as const)
  const limitsAt = ({ seq }: Place): SeqLimits => new Map([...none, ...playback.limitsAt(seq)])
  return {
    source,
    reader: playback,
    get parts() {
      return [part]
    },
    get sessions() {
      return rows
        .map(({ session, startedMs, endedMs }) => ({
          session,
          fromMs: unixMs(Math.max(startedMs, part.fromMs)),
          toMs: unixMs(Math.min(endedMs ?? part.toMs, part.toMs)),
        }))
        .toSorted((a, b) => a.fromMs - b.fromMs)
    },
    get gaps() {
      return gaps
    },
    get goesOn() {
      return rows.some(({ live }) => live)
    },
    into: (market) => playback.into(market),
    limitsAt,
    originOf: ({ seq }) => playback.originOf(seq),
    visibleAt: (place, nowMs) => ({
      sessions(some) {
        const limits = limitsAt(place())
        return some.filter(({ session }) => limits.get(session) !== 0)
      },
      gaps(read) {
        const earlier = read.filter((gap) => !isLane.has(gap.session) && !hidden.includes(gap.session))
        return [...earlier, ...gapsOfMergeAt(gaps, limitsAt(place()), nowMs())]
      },
    }),
    async grow() {
      const grown = await merge.grow()
      rows = (await reader.sessions()).filter(({ session }) => isLane.has(session))
      if (grown === null) return null
      ;({ part, gaps } = grown)
      return part
    },
  }
}
