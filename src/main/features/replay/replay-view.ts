/** One replay as a view: its own hub, the history up to its clock, and the player that feeds it. */
import { gridOf } from '../../../shared/core/market/calendar.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError, missingCase } from '../../../shared/base/errors.ts'
import { INTERVALS } from '../../../shared/core/market/market.ts'
import type { ReplayId, ReplayState, ReplayTimeline } from '../../../shared/features/replay/replay.ts'
import { isTeamKey } from '../../../shared/core/recording/recording.ts'
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { unixMs, type InstrumentId, type RecordingId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import { createDigestFold } from '../../core/market/digest.ts'
import type { HubCalendar } from '../../core/market/hub-types.ts'
import type { Market } from '../../core/market/market.ts'
import { createHub } from '../../core/market/hub.ts'
import { createMarket } from '../../core/market/market.ts'
import { nextOpen } from './opens.ts'
import { Player } from './player.ts'
import { limitsOf } from '../../core/store/types/bars.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { StoreWriter } from '../../core/store/types/writer.ts'
import { createViewHistory, type ViewHistory } from '../../core/views/history.ts'
import { gapsKnownAt, gapsBetween, loadParts } from '../../core/playback/replay-parts.ts'
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
  close(): void
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
}

/** Interval for checking whether a session that is still recording has grown, real ms. */
const GROW_MS = 2_000
/** Interval for checking freshness while the replay clock moves, real ms. */
const SWEEP_MS = 200

/** Opens sessions as a replay without a position; seek it next. Rejects with `not-found` or `ambiguous-source`. */
export async function openReplay(options: OpenOptions): Promise<OpenReplay> {
  const { id, reader, clock, calendar, nameOf } = options
  const opened = await loadParts(reader, options.sessions)
  const { source, rows } = opened
  let { parts } = opened
  const between = gapsBetween(parts, rows)
  const end = () => parts[parts.length - 1]
  /** Gaps of the last session, updated while it is still recording. */
  let lastGaps = rows[rows.length - 1].gaps
  const newHub = () => createHub({ calendar, nameOf })
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
  const player = new Player({
    reader,
    parts,
    market: companions.reduce((market, one) => one.over(market), createMarket(hub, createDigestFold())),
    newMarket: () => createMarket(newHub(), createDigestFold()),
    realMs,
    after: (ms, then) => clock.after(ms, then),
    changed() {
      states.changed()
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
      sessions: parts.map(({ recording, fromMs, toMs }) => ({
        session: recording,
        fromMs: unixMs(fromMs),
        toMs: unixMs(toMs),
      })),
      fromMs: unixMs(parts[0].fromMs),
      toMs: unixMs(end().toMs),
      nowMs: unixMs(nowMs),
      at: at === null ? null : { session: at.session, seq: at.seq },
      loop: loop === null ? null : { fromMs: unixMs(loop.fromMs), toMs: unixMs(loop.toMs) },
      ...rest,
    }
  }
  const states = wholeStreams(state)
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

  /** The position of each of the source's sessions in reading order. */
  let order: ReadonlyMap<string, number> = new Map()
  const readOrder = async (): Promise<void> => {
    const all = (await reader.sessions(true)).filter((row) => row.source === source)
    order = new Map(inTurn(all).map(({ of }, i) => [of.session, i]))
  }
  await readOrder()
  const history = createViewHistory({
    reader,
    source: () => source,
    present: () => limitsOf(player.present) ?? new Map(),
    committed: () => Promise.resolve(),
    wallMs: () => player.nowMs,
    days: (asset) => calendar.days(asset),
    visible: {
      sessions: (all) =>
        all.filter(({ session }) => (order.get(session) ?? Infinity) <= (order.get(player.present.recording) ?? -1)),
      gaps: (gaps) => gapsKnownAt([...gaps, ...between], order, player.present, player.nowMs),
    },
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
    upTo: () => player.present,
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

  const gapsOfAll = () => [...rows.slice(0, -1).flatMap(({ gaps }) => gaps), ...lastGaps, ...between]
  const marksOf = async () => (await Promise.all(parts.map(({ recording }) => reader.bookmarks(recording)))).flat()
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

  let goesOn = rows[rows.length - 1].endedMs === null
  let growing = false
  let grownMs = -Infinity
  const isStillRecorded = async (recording: RecordingId): Promise<boolean> => {
    if (isTeamKey(source))
      return (await reader.sessions(true)).some(({ session, live }) => session === recording && live)
    const { recorder } = options.status()
    return recorder.is === 'recording' && recorder.session === recording
  }
  const grow = async (): Promise<void> => {
    const { recording } = end()
    const isOpen = await isStillRecorded(recording)
    const [last, gaps] = await Promise.all([
      reader.findPosition({ recording, ms: Number.MAX_SAFE_INTEGER }),
      reader.gaps({ recording }),
    ])
    // That is from before the reads, so a session that has ended since is read once more.
    goesOn = isOpen
    if (closed || last === null || last.seq <= end().lastSeq) return
    lastGaps = gaps
    parts = [...parts.slice(0, -1), { ...end(), lastSeq: last.seq, toMs: Math.max(end().toMs, last.ms) }]
    player.grow(end())
  }

  return {
    player,
    view,
    states,
    grow() {
      const now = realMs()
      if (!goesOn || growing || closed || now - grownMs < GROW_MS) return
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
          const starts = gapsOfAll().flatMap(({ cause, fromMs }) => (cause === 'connect' ? [] : [fromMs]))
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
          return player.stepTo(barEdge(player.nowMs, forward, gridOf(asset ?? 'crypto', interval), INTERVALS[interval]))
        default:
          return missingCase(by)
      }
    },
    async timeline({ fromMs, toMs, buckets }) {
      const recordings = parts.map(({ recording }) => recording)
      const [counts, marks] = await Promise.all([reader.activity({ recordings, fromMs, toMs, buckets }), marksOf()])
      return {
        fromMs: unixMs(fromMs),
        toMs: unixMs(toMs),
        counts,
        gaps: gapsOfAll().filter((gap) => gap.fromMs < toMs && (gap.toMs ?? Infinity) > fromMs),
        bookmarks: marks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
      }
    },
    close() {
      closed = true
      for (const one of companions) one.close()
      player.close()
      for (const wake of [...wakes]) wake()
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
