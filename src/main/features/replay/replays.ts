/** The terminal's open replays. Each is a view of its own over sessions of one source. */
import { randomUUID } from 'node:crypto'
import type { CallArgs } from '../../../shared/contracts.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type {
  ReplayBookmark,
  ReplayId,
  ReplaySpeed,
  ReplayState,
  ReplayTimeline,
  ServedReplay,
  ServedState,
} from '../../../shared/features/replay/replay.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { FEED_IDS, feedAsset, parseInstrument, sessionId, type InstrumentId } from '../../../shared/base/units.ts'
import { storeAway } from '../../core/jobs/jobs.ts'
import { seekFirstFrame } from './first-frame.ts'
import { openReplay, type OpenReplay, type ReplaysOptions } from './replay-view.ts'
import type { View } from '../../core/views/views.ts'

/** Replay operations for windows. Any call with the id of a replay that isn't open fails with `not-found`. */
export interface Replays {
  /** Opens sessions of one source at a replay time, UTC ms; null: at the start, `first frame`: see `seekFirstFrame`. */
  open(args: CallArgs<'replay.open'>): Promise<ReplayState>
  /** Closes a replay and its streams. Does nothing if it isn't open. */
  close(id: ReplayId): Promise<void>
  play(id: ReplayId, on: boolean): void
  speed(id: ReplayId, speed: ReplaySpeed): void
  step(args: CallArgs<'replay.step'>): Promise<ReplayState>
  seek(id: ReplayId, to: CallArgs<'replay.seek'>['to']): Promise<ReplayState>
  options(args: CallArgs<'replay.options'>): void
  timeline(args: CallArgs<'replay.timeline'>): Promise<ReplayTimeline>
  /** Whether nothing of an instrument is in the sessions of a replay, none of which is still being recorded. */
  lacks(id: ReplayId, instrument: InstrumentId): Promise<boolean>
  stream(args: { readonly id: ReplayId }, wake: () => void): StreamSource<ReplayState>
  /** Serves a replay to other programs on its own clock, `port` 0: on any free one. */
  serve(id: ReplayId, port: number): Promise<ServedReplay>
  stopServing(id: ReplayId): Promise<void>
  served(args: { readonly id: ReplayId }, wake: () => void): StreamSource<ServedState>
  states(): readonly ReplayState[]
  /** Number of open replays. */
  count(): number
  view(id: ReplayId): View | undefined
  /** The bookmarks of one session, or of all (null), oldest first. */
  bookmarks(session: string | null): Promise<readonly ReplayBookmark[]>
  addBookmark(args: CallArgs<'bookmarks.add'>): Promise<ReplayBookmark>
  removeBookmark(bookmark: number): Promise<void>
  /** Call regularly. Updates what a replay shows of the live recorder, even while its clock is paused. */
  tick(): void
  /** Closes all replays and their servers. */
  closeAll(): Promise<void>
}

/** Maximum open replays. To make room, one without streams is closed, such as one that a crashed window left open. */
const MAX = 8

/** Creates the registry, with no replay open. */
export function createReplays(options: ReplaysOptions): Replays {
  const { reader, writer } = options
  const open = new Map<ReplayId, OpenReplay>()
  const known = (id: ReplayId): OpenReplay => {
    const replay = open.get(id)
    if (replay !== undefined) return replay
    throw new CodedError('not-found', `There is no replay "${id}".`, { hint: 'Open the session again.' })
  }
  const end = (id: ReplayId): Promise<void> => {
    const closed = open.get(id)?.close()
    open.delete(id)
    return closed ?? Promise.resolve()
  }
  const makeRoom = (): void => {
    if (open.size < MAX) return
    const left = [...open].find(([, replay]) => replay.streams === 0)
    if (left === undefined) {
      throw new CodedError('budget', `${MAX} replays are open.`, { hint: 'Close one of them first.' })
    }
    void end(left[0])
  }
  return {
    async open({ sessions, atMs, team = false }) {
      if (options.storeIsAway()) throw storeAway()
      makeRoom()
      // Unique across restarts: a window that outlives this process must not find another replay under its id.
      const id = `replay-${randomUUID()}`
      const replay = await openReplay({ ...options, id, sessions: [...new Set(sessions)], team })
      open.set(id, replay)
      try {
        if (atMs === 'first frame') await seekFirstFrame(replay)
        else await (atMs === null ? replay.seek({ at: 'start' }) : replay.seek({ at: 'ms', ms: atMs }))
      } catch (thrown) {
        void end(id)
        throw thrown
      }
      return replay.state()
    },
    close: async (id) => end(id),
    play: (id, on) => known(id).player.play(on),
    speed: (id, speed) => known(id).player.speed(speed),
    async step(args) {
      const replay = known(args.id)
      await replay.step(args)
      return replay.state()
    },
    async seek(id, to) {
      const replay = known(id)
      await replay.seek(to)
      return replay.state()
    },
    options: ({ id, ...options }) => known(id).player.options(options),
    timeline: async (args) => known(args.id).timeline(args),
    async lacks(id, instrument) {
      const { growing, sessions } = known(id).state()
      if (growing) return false
      const within = sessions.map(({ session }) => session)
      const feeds = FEED_IDS.filter((feed) => feedAsset(feed) === parseInstrument(instrument)?.asset)
      const found = await Promise.all(feeds.map((feed) => reader.instruments({ feed, sessions: within })))
      return !found.flat().some((one) => one.instrument === instrument)
    },
    stream({ id }, wake) {
      const replay = known(id)
      return replay.view.hold(replay.states.open(wake), wake)
    },
    serve: async (id, port) => known(id).serving.start(port),
    stopServing: async (id) => known(id).serving.stop(),
    served({ id }, wake) {
      const { view, serving } = known(id)
      return view.hold(serving.states.open(wake), wake)
    },
    view: (id) => open.get(id)?.view,
    bookmarks: (session) => reader.bookmarks(session === null ? null : sessionId(session)),
    addBookmark: ({ session, atMs, seq, text }) => writer.addBookmark({ session: sessionId(session), atMs, seq, text }),
    async removeBookmark(bookmark) {
      await writer.removeBookmark(bookmark)
    },
    tick() {
      for (const replay of open.values()) {
        replay.view.status.changed()
        replay.grow()
      }
    },
    states: () => [...open.values()].map((one) => one.state()),
    count: () => open.size,
    async closeAll() {
      await Promise.all([...open.keys()].map(end))
    },
  }
}
