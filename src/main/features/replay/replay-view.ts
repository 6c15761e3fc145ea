/** One replay as a view: its own hub, the history up to its clock, and the player that feeds it. */
import { gridOf } from '../../../shared/core/market/calendar.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError, missingCase } from '../../../shared/base/errors.ts'
import { msOf } from '../../../shared/core/market/market.ts'
import type { ReplayId, ReplayState, ReplayTimeline } from '../../../shared/features/replay/replay.ts'
import { isTeamKey } from '../../../shared/core/recording/session.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { sessionId, unixMs, type InstrumentId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import { createDigestFold } from '../../core/market/digest.ts'
import type { HubCalendar } from '../../core/market/hub-types.ts'
import type { Market } from '../../core/market/market.ts'
import { createHub } from '../../core/market/hub.ts'
import { createMarket } from '../../core/market/market.ts'
import { nextOpen } from './opens.ts'
import { Player } from './player.ts'
import { loadPlayable } from './play/playable.ts'
import { createServing, type Serving } from './serving.ts'
import type { Part } from '../../core/playback/parts.ts'
import type { SeqLimits } from '../../core/store/types/bars.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { StoreWriter } from '../../core/store/types/writer.ts'
import { createViewHistory, type ViewHistory } from '../../core/views/history.ts'
import { createSeeder } from '../../core/views/seeder.ts'
import type { View } from '../../core/views/views.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'

export interface OpenReplay {
  readonly player: Player
  readonly view: View
  readonly states: WholeStreams<ReplayState>
  /** Number of streams subscribed to it. */
  readonly streams: number
  state(): ReplayState
  /** Checks at most every GROW_MS whether the last session has grown, and extends the range. */
  grow(): void
  seek(to: CallArgs<'replay.seek'>['to']): Promise<void>
  step(args: Omit<CallArgs<'replay.step'>, 'id'>): Promise<void>
  timeline(args: Omit<CallArgs<'replay.timeline'>, 'id'>): Promise<ReplayTimeline>
  readonly serving: Serving
  /** Resolves when everything that the replay runs has ended. */
  close(): Promise<void>
}

/** Follows the market of one replay. */
export interface Companion {
  /** Wraps the replay's market so that the companion sees its updates. */
  over(market: Market): Market
  /** Called at most every SWEEP_MS while the replay clock moves, with its time, UTC ms. */
  sweep(nowMs: number): void
  close(): void
}
export type NewCompanion = (replay: {
  readonly id: ReplayId
  /** `sourceKey` of its sessions. */
  readonly source: string
  /** Bars up to the replay's clock. */
  readonly bars: ViewHistory['barsOrThrow']
}) => Companion

/** What every replay needs from the terminal. */
export interface ReplaysOptions {
  readonly reader: StoreReader
  readonly writer: Pick<StoreWriter, 'addBookmark' | 'removeBookmark'>
  readonly clock: Clock
  readonly calendar: HubCalendar
  readonly nameOf: (id: InstrumentId) => string | null
  /** Whether the store is being moved, so nothing can be read. */
  readonly storeIsAway: () => boolean
  /** The live status, for the parts that a replay doesn't have itself. */
  readonly status: () => StatusState
  /** Called if reading the store failed. */
  readonly failed: (what: string, thrown: unknown) => void
  /** Companions that follow the market of every replay. */
  readonly companions: readonly NewCompanion[]
}

export interface OpenOptions extends ReplaysOptions {
  readonly id: ReplayId
  readonly sessions: readonly string[]
  /** Of a team's sessions: with all others of it at that time. */
  readonly team: boolean
}

/** Interval for checking whether a session that is still recording has grown, real ms. */
const GROW_MS = 2_000
/** Interval for checking freshness while the replay clock moves, real ms. */
const SWEEP_MS = 200

/** Opens sessions as a replay without a position; seek it next. Rejects with `not-found` or `ambiguous-source`. */
export async function openReplay(options: OpenOptions): Promise<OpenReplay> {
  const { id, reader, clock, calendar, nameOf } = options
  const playable = await loadPlayable(reader, options)
  const { source } = playable
  const newHub = () => createHub({ calendar, nameOf, stateOf: (feed, of) => player.stateOf(feed, of) })
  const hub = newHub()
  const realMs = () => clock.monoNs() / 1e6
  let closed = false
  const wakes = new Set<() => void>()
  let sweptMs = 0

  const companions = options.companions.map((make) =>
    make({
      id,
      source,
      bars: (instrument, of, interval, limit) => history.barsOrThrow(instrument, of, interval, limit),
    }),
  )
  const market = companions.reduce((inner, one) => one.over(inner), createMarket(hub, createDigestFold()))
  const player: Player = new Player({
    reader: playable.reader,
    parts: playable.parts,
    market: playable.into(market),
    newMarket: () => playable.into(createMarket(newHub(), createDigestFold())),
    realMs,
    after: (ms, then) => clock.after(ms, then),
    jumped: (from, to) => serving.jumped(from, to),
    changed() {
      states.changed()
      serving.moved()
      const now = realMs()
      if (now - sweptMs < SWEEP_MS) return
      sweptMs = now
      hub.sweep(player.nowMs)
      for (const one of companions) one.sweep(player.nowMs)
      status.changed()
    },
  })
  const state = (): ReplayState => {
    const { nowMs, at, loop, ...rest } = player.state
    return {
      id,
      source,
      sessions: playable.sessions,
      opened: options.sessions.map(sessionId),
      team: options.team,
      fromMs: unixMs(playable.parts[0].fromMs),
      toMs: unixMs(end().toMs),
      nowMs: unixMs(nowMs),
      at: at === null ? null : playable.originOf(at),
      loop: loop === null ? null : { fromMs: unixMs(loop.fromMs), toMs: unixMs(loop.toMs) },
      ...rest,
    }
  }
  const states = wholeStreams(state)
  const serving = createServing({ reader, clock, playable, player, failed: options.failed })
  const status = wholeStreams((): StatusState => {
    const live = options.status()
    return {
      ...live,
      nowMs: unixMs(player.nowMs),
      source: source === 'demo' ? 'demo' : isTeamKey(source) ? 'team' : 'service',
      origin: source === 'demo' ? 'demo' : source.slice(source.lastIndexOf('@') + 1),
      feeds: player.feeds(),
      skewMs: null,
    }
  })

  const limits = (): SeqLimits => playable.limitsAt(player.present)
  const history = createViewHistory({
    reader,
    source: () => source,
    present: limits,
    committed: () => Promise.resolve(),
    wallMs: () => player.nowMs,
    days: (asset) => calendar.days(asset),
    visible: playable.visibleAt(
      () => player.present,
      () => player.nowMs,
    ),
    failed: options.failed,
  })
  const seeder = createSeeder(hub, history)
  hub.onReset(() => seeder.forget())

  const view: View = {
    live: false,
    hub,
    history,
    seeder,
    status,
    wallMs: () => player.nowMs,
    source: () => source,
    upTo: limits,
    hold<T>(stream: StreamSource<T>, wake: () => void): StreamSource<T> {
      wakes.add(wake)
      return {
        take() {
          if (closed) throw new CodedError('not-found', 'The replay was closed.', { hint: 'Open the session again.' })
          return stream.take()
        },
        close() {
          wakes.delete(wake)
          stream.close()
        },
      }
    },
  }

  const marksOf = async () =>
    (await Promise.all(playable.sessions.map(({ session }) => reader.bookmarks(session)))).flat()
  /** The nearest of some instants after now (1) or before it (-1). */
  const nearest = (instants: readonly number[], towards: 1 | -1): number | undefined => {
    const { nowMs } = player
    if (towards > 0) return instants.filter((ms) => ms > nowMs).reduce<number | undefined>(least, undefined)
    return instants.filter((ms) => ms < nowMs).reduce<number | undefined>(most, undefined)
  }
  const none = (what: string): CodedError =>
    new CodedError('not-found', `There is no ${what} in this replay.`, { hint: 'The replay didn’t move.' })
  const toBookmark = async (
    pick: (all: readonly { readonly id: number; readonly atMs: number }[]) => number | undefined,
  ) => {
    const all = await marksOf()
    const chosen = all.find((one) => one.id === pick(all))
    if (chosen === undefined) throw none('such bookmark')
    const { session, seq, atMs } = chosen
    await (seq === null ? player.seek(atMs) : player.seekSeq(session, Math.max(0, seq - 1), atMs))
  }

  const end = (): Part => playable.parts[playable.parts.length - 1]
  let growing = false
  let grownMs = -Infinity
  const liveSessions = async (): Promise<ReadonlySet<string>> => {
    if (isTeamKey(source))
      return new Set((await reader.sessions(true)).flatMap(({ session, live }) => (live ? [session] : [])))
    const { recorder } = options.status()
    return new Set(recorder.is === 'recording' ? [recorder.session] : [])
  }
  const grow = async (): Promise<void> => {
    const live = await liveSessions()
    const grown = await playable.grow((session) => live.has(session))
    if (!closed && grown !== null) player.grow(grown)
  }

  return {
    player,
    view,
    states,
    grow() {
      const now = realMs()
      if (!playable.goesOn || growing || closed || now - grownMs < GROW_MS) return
      grownMs = now
      growing = true
      grow()
        .catch((thrown: unknown) => options.failed('replay', thrown))
        .finally(() => (growing = false))
    },
    get streams() {
      return wakes.size
    },
    state,
    async seek(to) {
      switch (to.at) {
        case 'start':
          return player.seekStart()
        case 'end':
          return player.seek(end().toMs)
        case 'ms':
          return player.seek(to.ms)
        case 'next gap':
        case 'previous gap': {
          // Skip `connect` gaps: a feed that isn't connected at the start is no event to seek to.
          const starts = playable.gaps.flatMap(({ cause, fromMs }) => (cause === 'connect' ? [] : [fromMs]))
          const found = nearest(starts, to.at === 'next gap' ? 1 : -1)
          if (found === undefined) throw none(to.at === 'next gap' ? 'further gap' : 'earlier gap')
          return player.seek(found)
        }
        case 'next bookmark':
        case 'previous bookmark':
          return toBookmark((all) => {
            const atMs = nearest(
              all.map((one) => one.atMs),
              to.at === 'next bookmark' ? 1 : -1,
            )
            return all.find((one) => one.atMs === atMs)?.id
          })
        case 'bookmark':
          return toBookmark(() => to.bookmark)
        case 'next open': {
          const open = nextOpen(to.asset, player.nowMs)
          if (!(open <= end().toMs)) throw none('later market open')
          return player.seek(open)
        }
        default:
          return missingCase(to)
      }
    },
    async step({ by, forward, interval, asset }) {
      switch (by) {
        case 'message':
          return player.stepMessage(forward)
        case 'second':
          return player.stepTo(player.nowMs + (forward ? 1_000 : -1_000))
        case 'bar':
          return player.stepTo(barEdge(player.nowMs, forward, gridOf(asset ?? 'crypto', interval), msOf(interval)))
        default:
          return missingCase(by)
      }
    },
    async timeline({ fromMs, toMs, buckets }) {
      const sessions = playable.sessions.map(({ session }) => session)
      const [counts, marks] = await Promise.all([reader.activity({ sessions, fromMs, toMs, buckets }), marksOf()])
      return {
        fromMs: unixMs(fromMs),
        toMs: unixMs(toMs),
        counts,
        gaps: playable.gaps.filter((gap) => gap.fromMs < toMs && (gap.toMs ?? Infinity) > fromMs),
        bookmarks: marks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
      }
    },
    serving,
    close() {
      closed = true
      for (const one of companions) one.close()
      player.close()
      for (const wake of [...wakes]) wake()
      return serving.stop()
    },
  }
}

const least = (a: number | undefined, b: number): number => (a === undefined ? b : Math.min(a, b))
const most = (a: number | undefined, b: number): number => (a === undefined ? b : Math.max(a, b))

/** The nearest bar boundary after or before an instant, UTC ms. */
function barEdge(
  ms: number,
  forward: boolean,
  grid: { startOf(ms: number): number; endOf(start: number): number },
  intervalMs: number,
): number {
  const start = grid.startOf(ms)
  if (forward) return Number.isNaN(start) ? ms + intervalMs : grid.endOf(start)
  if (start < ms) return start
  const before = grid.startOf(ms - 1)
  return Number.isNaN(before) ? ms - intervalMs : before
}
