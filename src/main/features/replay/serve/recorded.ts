/** What is served: the parts of sessions in order, or a merge of a team's, and the instruments of each feed. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { FLAG, isTeamKey, type SessionRow } from '../../../../shared/core/recording/session.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'
import { joinParts, type Part } from '../../../core/playback/parts.ts'
import { loadMerge, sourceOfMerge } from '../../../core/playback/load-merge.ts'
import { loadParts } from '../../../core/playback/replay-parts.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import { findMerge, type Playable } from '../play/playable.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import type { Place } from '../play/player-port.ts'
import type { OwnClock } from './query.ts'

export interface Recorded {
  readonly reader: Pick<StoreReader, 'replay' | 'findPosition'>
  readonly parts: readonly Part[]
  /** Whether it is several sessions as one. */
  readonly isMerge: boolean
  /** The instruments of each feed, over all parts; empty for a window's replay, which must not know later ones. */
  readonly instruments: ReadonlyMap<FeedId, ReadonlySet<InstrumentId>>
  /** Whether a feed has an instrument. For a window's replay: whether it has shown one by a given time. */
  has(feed: FeedId, instrument: InstrumentId, shown: Moment | null): Promise<boolean>
}

/** Where a window's replay is. `atMs`: UTC. */
export interface Moment {
  readonly place: Place
  readonly atMs: number
}

/** What to serve: sessions, or what a team recorded in a time, UTC ms. */
export type Served =
  | { readonly sessions: readonly string[] }
  | { readonly source: string; readonly fromMs: number; readonly endMs: number }
  | { readonly playable: Playable }

/** Loads what is served; several sessions of a team as one. Rejects with `not-found` or `ambiguous-source`. */
export async function loadRecorded(reader: StoreReader, served: Served): Promise<Recorded> {
  if ('playable' in served) return loadedOf(reader, served.playable)
  const merge = 'source' in served ? await loadMerge(reader, served) : await findMerge(reader, served.sessions, false)
  if (merge !== null) return loaded(reader, merge.playback, [merge.part], merge.rows)
  const { parts, rows } = await loadParts(reader, 'sessions' in served ? served.sessions : [])
  return loaded(reader, reader, parts, rows)
}

/** What a window's replay plays. Its parts grow while a session is recorded. */
function loadedOf(store: StoreReader, playable: Playable): Recorded {
  const { reader } = playable
  return {
    reader,
    isMerge: reader !== store,
    instruments: new Map(),
    get parts() {
      return playable.parts
    },
    has: async (feed, instrument, shown) => shown !== null && hasShown(store, playable, feed, instrument, shown),
  }
}

/** Whether a window's replay has shown a message of an instrument. */
async function hasShown(
  store: StoreReader,
  playable: Playable,
  feed: FeedId,
  instrument: InstrumentId,
  { place, atMs }: Moment,
): Promise<boolean> {
  const played = new Set(playable.sessions.map(({ session }) => session))
  const rows = (await store.sessions(true)).filter(({ session }) => played.has(session))
  const visible = playable.visibleAt(
    () => place,
    () => atMs,
  )
  const limits = playable.limitsAt(place)
  for (const { session } of visible.sessions(rows)) {
    const upToSeq = limits.get(session) ?? Infinity
    for await (const { count, flags } of store.ticks({ feed, instruments: [instrument], session, upToSeq }))
      // Unrequested messages aren't served.
      if (flags.subarray(0, count).some((flag) => (flag & FLAG.unasked) === 0)) return true
  }
  return false
}

async function loaded(
  store: StoreReader,
  reader: Recorded['reader'],
  parts: readonly Part[],
  rows: readonly SessionRow[],
): Promise<Recorded> {
  const sessions = rows.map(({ session }) => session)
  const feeds = new Set(rows.flatMap((row) => row.feeds.map(({ feed }) => feed)))
  const instruments = new Map<FeedId, ReadonlySet<InstrumentId>>()
  for (const feed of feeds) {
    const found = await store.instruments({ feed, sessions, source: sourceOf(rows) })
    instruments.set(feed, new Set(found.map(({ instrument }) => instrument)))
  }
  const has: Recorded['has'] = (feed, id) => Promise.resolve(instruments.get(feed)?.has(id) === true)
  return { reader, parts, instruments, isMerge: reader !== store, has }
}

/** The source of sessions: that of their team if they are of several shards. */
const sourceOf = (rows: readonly SessionRow[]): string =>
  isTeamKey(rows[0].source) ? sourceOfMerge(rows) : rows[0].source

/** The receive times that a clock plays, [from, to). Throws `usage` if the session has none of them. */
export function rangeOf(parts: readonly Part[], { fromMs, toMs }: Pick<OwnClock, 'fromMs' | 'toMs'>): Span {
  const first = parts[0].fromMs
  // The end is exclusive, and the last message is played.
  const last = parts[parts.length - 1].toMs + 1
  const span = { fromMs: Math.max(first, fromMs ?? first), toMs: Math.min(last, toMs ?? last) }
  if (span.fromMs < span.toMs) return span
  throw new CodedError('usage', 'Nothing was recorded at these times.', {
    hint: `The sessions run from ${new Date(first).toISOString()} to ${new Date(last).toISOString()}.`,
  })
}

/** The parts up to a place at a time, UTC ms: what follows isn't known there. */
export function partsUpTo(parts: readonly Part[], { session, seq }: Place, atMs: number): readonly Part[] {
  const at = parts.findIndex((part) => part.session === session)
  const last = parts[at]
  const toMs = Math.min(Math.max(atMs, last.fromMs), last.toMs)
  return [...parts.slice(0, at), { ...last, lastSeq: Math.min(seq, last.lastSeq), toMs }]
}

/** The parts of some of the sessions; of all if none is named. Throws `not-found`. */
export function partsOf(parts: readonly Part[], sessions: readonly string[]): readonly Part[] {
  if (sessions.length === 0) return parts
  const unknown = sessions.find((name) => !parts.some(({ session }) => session === name))
  if (unknown !== undefined) throw new CodedError('not-found', `The session "${unknown}" isn’t served here.`)
  return joinParts(parts.filter(({ session }) => sessions.includes(session)))
}

/**
 * The instruments of symbols in some feeds; null: all. Rejects with `not-found` for a symbol that none of them has, or
 * that a window's replay hasn't shown yet.
 */
export async function instrumentsOf(
  recorded: Recorded,
  feeds: readonly FeedId[],
  symbols: readonly string[],
  shown: Moment | null,
): Promise<ReadonlySet<InstrumentId> | null> {
  if (symbols.length === 0) return null
  const wanted = new Set<InstrumentId>()
  for (const symbol of symbols) {
    let isKnown = false
    for (const feed of feeds) {
      const id = instrumentId(FEEDS[feed].asset, symbol)
      if (!wanted.has(id) && !(await recorded.has(feed, id, shown))) continue
      wanted.add(id)
      isKnown = true
    }
    if (isKnown) continue
    throw new CodedError(
      'not-found',
      shown === null
        ? `No message of the symbol "${symbol}" was recorded in these feeds.`
        : `The replay hasn’t shown a message of the symbol "${symbol}" in these feeds yet.`,
    )
  }
  return wanted
}
