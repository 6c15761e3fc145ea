/** One replay as a view: its own hub, the history up to its clock, and the player that feeds it. */
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
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
import { Player } from './player.ts'
import { ReplayMoves } from './replay-moves.ts'
import { loadPlayable, type Playable } from './play/playable.ts'
import { createServing, type Serving } from './serving.ts'
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
  const subscribers = new Subscribers()
  const sweeps = createSweeps(clock, () => {
    hub.sweep(player.nowMs)
    for (const one of companions) one.sweep(player.nowMs)
    status.changed()
  })

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
    jumped(from, to) {
      serving.jumped(from, to)
      // Feeds go with the clock, so that none is shown in a state of another time.
      status.changed()
    },
    changed() {
      states.changed()
      serving.moved()
      sweeps.ask()
    },
  })
  const state = (): ReplayState => stateOf(options, playable, player)
  const states = wholeStreams(state)
  const serving = createServing({ reader, clock, playable, player, failed: options.failed })
  const status = wholeStreams(() => statusOf(options.status(), player, source))

  const limits = (): SeqLimits => playable.limitsAt(player.present)
  const history = createViewHistory({
    reader,
    source: () => source,
    present: limits,
    committed: () => Promise.resolve(true),
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
    hold: (stream, wake) => subscribers.hold(stream, wake),
  }

  const moves = new ReplayMoves(reader, playable, player)
  const growth = new Growth(options, playable, player, () => states.changed())

  return {
    player,
    view,
    states,
    grow() {
      if (!subscribers.isClosed) growth.check()
    },
    get streams() {
      return subscribers.count
    },
    state,
    seek: (to) => moves.seek(to),
    step: (to) => moves.step(to),
    timeline: (args) => timelineOf(reader, playable, moves, args),
    serving,
    close() {
      subscribers.isClosed = true
      sweeps.close()
      growth.close()
      for (const one of companions) one.close()
      player.close()
      subscribers.wake()
      return serving.stop()
    },
  }
}

/** The streams subscribed to a replay. */
class Subscribers {
  readonly #wakes = new Set<() => void>()
  /** Whether the replay is closed: its streams fail from then on. */
  isClosed = false

  get count(): number {
    return this.#wakes.size
  }

  /** The same stream, which fails once the replay is closed. `wake` has it read then. */
  hold<T>(stream: StreamSource<T>, wake: () => void): StreamSource<T> {
    this.#wakes.add(wake)
    return {
      take: () => {
        if (this.isClosed)
          throw new CodedError('not-found', 'The replay was closed.', { hint: 'Open the session again.' })
        return stream.take()
      },
      close: () => {
        this.#wakes.delete(wake)
        stream.close()
      },
    }
  }

  /** Has all of them read. */
  wake(): void {
    for (const wake of [...this.#wakes]) wake()
  }
}

function stateOf({ id, sessions, team }: OpenOptions, playable: Playable, player: Player): ReplayState {
  const { nowMs, at, loop, ...rest } = player.state
  return {
    id,
    source: playable.source,
    sessions: playable.sessions,
    opened: sessions.map(sessionId),
    team,
    fromMs: unixMs(playable.parts[0].fromMs),
    toMs: unixMs(playable.parts[playable.parts.length - 1].toMs),
    growing: playable.goesOn,
    nowMs: unixMs(nowMs),
    at: at === null ? null : playable.originOf(at),
    loop: loop === null ? null : { fromMs: unixMs(loop.fromMs), toMs: unixMs(loop.toMs) },
    ...rest,
  }
}

async function timelineOf(
  reader: StoreReader,
  playable: Playable,
  moves: ReplayMoves,
  { fromMs, toMs, buckets }: Omit<CallArgs<'replay.timeline'>, 'id'>,
): Promise<ReplayTimeline> {
  const sessions = playable.sessions.map(({ session }) => session)
  const [counts, marks] = await Promise.all([reader.activity({ sessions, fromMs, toMs, buckets }), moves.bookmarks()])
  return {
    fromMs: unixMs(fromMs),
    toMs: unixMs(toMs),
    counts,
    gaps: playable.gaps.filter((gap) => gap.fromMs < toMs && (gap.toMs ?? Infinity) > fromMs),
    bookmarks: marks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
  }
}

/** The status of a replay of this source; `live`: for the parts that it doesn't have itself. */
const statusOf = (live: StatusState, player: Player, source: string): StatusState => ({
  ...live,
  nowMs: unixMs(player.nowMs),
  source: source === 'demo' ? 'demo' : isTeamKey(source) ? 'team' : 'service',
  origin: source === 'demo' ? 'demo' : source.slice(source.lastIndexOf('@') + 1),
  feeds: player.feeds(),
  skewMs: null,
})

/**
 * Sweeps when asked, at most every `SWEEP_MS`. The last request always gets its sweep: nothing follows it while a replay
 * is paused.
 */
function createSweeps(clock: Clock, sweep: () => void): { ask(): void; close(): void } {
  const realMs = () => clock.monoNs() / 1e6
  let sweptMs = -Infinity
  let isClosed = false
  let undo: (() => void) | null = null
  function run(): void {
    undo = null
    sweptMs = realMs()
    sweep()
  }
  return {
    ask() {
      if (isClosed || undo !== null) return
      const restMs = sweptMs + SWEEP_MS - realMs()
      if (restMs <= 0) run()
      else undo = clock.after(restMs, run)
    },
    close() {
      isClosed = true
      undo?.()
    },
  }
}

/** Extends a replay while its last session is still recorded. */
class Growth {
  readonly #options: OpenOptions
  readonly #playable: Playable
  readonly #player: Player
  readonly #ended: () => void
  #isGrowing = false
  #isClosed = false
  #checkedMs = -Infinity

  /** `ended`: the last session is no longer recorded. */
  constructor(options: OpenOptions, playable: Playable, player: Player, ended: () => void) {
    this.#options = options
    this.#playable = playable
    this.#player = player
    this.#ended = ended
  }

  check(): void {
    const now = this.#options.clock.monoNs() / 1e6
    if (!this.#playable.goesOn || this.#isGrowing || now - this.#checkedMs < GROW_MS) return
    this.#checkedMs = now
    this.#isGrowing = true
    this.#grow()
      .catch((thrown: unknown) => this.#options.failed('replay', thrown))
      .finally(() => (this.#isGrowing = false))
  }

  close(): void {
    this.#isClosed = true
  }

  async #grow(): Promise<void> {
    const live = await this.#liveSessions()
    const grown = await this.#playable.grow((session) => live === null || live.has(session))
    if (this.#isClosed) return
    if (grown !== null) this.#player.grow(grown)
    if (!this.#playable.goesOn) this.#ended()
  }

  /** Null: unknown, because a recorder that can't store anything now may continue its session. */
  async #liveSessions(): Promise<ReadonlySet<string> | null> {
    const { reader, status } = this.#options
    if (isTeamKey(this.#playable.source))
      return new Set((await reader.sessions(true)).flatMap(({ session, live }) => (live ? [session] : [])))
    const { recorder } = status()
    if (recorder.is === 'recording') return new Set([recorder.session])
    return recorder.is === 'off' ? new Set() : null
  }
}
