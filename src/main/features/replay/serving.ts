/** Serves what a window's replay plays to other programs, on the clock of its transport bar. */
import { CodedError, toFailure, type Failure } from '../../../shared/base/errors.ts'
import type { ServedReplay, ServedState } from '../../../shared/features/replay/replay.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'
import type { Playable } from './play/playable.ts'
import type { Player } from './player.ts'
import type { Place, PlayerState } from './play/player-port.ts'
import type { Follower, Leader } from './serve/led-playout.ts'
import type { ReplayServer } from './serve/replay-server.ts'

export interface Serving {
  /** What windows show of the server; null: it isn't running. */
  readonly states: WholeStreams<ServedState>
  /** Starts a server, if none runs. `port` 0: any free one. Rejects with `not-allowed` if the port is taken. */
  start(port: number): Promise<ServedReplay>
  /** Stops it, if one runs. Resolves when its port is free. */
  stop(): Promise<void>
  /** Call when the player's state changed. */
  moved(): void
  /** Call with each jump of the player. */
  jumped(from: Place, to: Place): void
}

export interface ServingOptions {
  readonly reader: StoreReader
  readonly clock: Clock
  readonly playable: Playable
  readonly player: Pick<Player, 'present' | 'play' | 'speed' | 'seek'> & {
    readonly state: Pick<PlayerState, 'playing' | 'speed' | 'nowMs' | 'ended'>
  }
  /** Called if reading the store failed. */
  readonly failed: (what: string, thrown: unknown) => void
}

export function createServing({ reader, clock, playable, player, failed }: ServingOptions): Serving {
  const followers = new Set<Follower>()
  let starting: Promise<ReplayServer> | null = null
  let server: ReplayServer | null = null
  /** Why serving ended by itself, until it starts again. */
  let failure: Failure | null = null
  const states = wholeStreams((): ServedState =>
    server !== null ? describe(server) : failure !== null ? { failure } : null,
  )
  const leader: Leader = {
    get place() {
      return player.present
    },
    get state() {
      const { playing, speed, nowMs, ended } = player.state
      return { playing, speed, atMs: nowMs, ended }
    },
    control({ playing, speed, atMs }) {
      if (speed !== undefined) player.speed(speed)
      // A later seek may replace this one. The window shows the result either way.
      if (atMs !== undefined) player.seek(atMs).catch(() => undefined)
      if (playing !== undefined) player.play(playing)
    },
    follow(follower) {
      followers.add(follower)
      return () => followers.delete(follower)
    },
  }
  const stop = async (): Promise<void> => {
    const running = starting
    starting = null
    const closing = await running?.catch(() => null)
    server = starting === null ? null : server
    states.changed()
    await closing?.close()
  }
  return {
    states,
    stop,
    moved() {
      for (const follower of followers) follower.moved()
    },
    jumped(from, to) {
      for (const follower of followers) follower.jumped(from, to)
    },
    async start(port) {
      // Loaded when it is used: few replays are served.
      starting ??= import('./serve/replay-server.ts').then(({ startReplayServer }) =>
        startReplayServer({
          reader,
          clock,
          served: { playable },
          port,
          speed: 1,
          loop: false,
          leader,
          clientsChanged: () => states.changed(),
        }),
      )
      const mine = starting
      try {
        const started = await mine
        if (starting !== mine) throw new CodedError('cancelled', 'Serving was stopped.')
        server = started
        failure = null
        started.played.catch((thrown: unknown) => {
          if (starting !== mine) return
          failed('a served replay', thrown)
          const { code, message } = toFailure(thrown)
          failure = { code, message: 'The replay is no longer served: the session couldn’t be read.', hint: message }
          return stop()
        })
        states.changed()
        return describe(started)
      } catch (thrown) {
        if (starting === mine) starting = null
        throw thrown
      }
    },
  }
}

function describe(server: ReplayServer): ServedReplay {
  const { baseUrl, username, password, apiKey } = server
  return { baseUrl, username, password, apiKey, clients: server.clients() }
}
