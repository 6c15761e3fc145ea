/** Keeps the status of a team current while somebody looks at it. */
import { toFailure, type Failure } from '../../../../shared/base/errors.ts'
import { UNREAD, type TeamOverview, type TeamStatus } from '../../../../shared/features/team/status.ts'
import type { UnixMs } from '../../../../shared/base/units.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import type { TeamLog } from '../nats/team-log.ts'
import { readFacts, readSessions, type TeamSessions } from './facts.ts'
import { teamStatus, type TeamFacts } from './status.ts'

const LOOK_MS = 2_000
/** How often the history is asked what is in quarantine. */
const HISTORY_MS = 10_000

export interface StatusWatchParts {
  /** The connection, while the terminal has one. */
  readonly log: () => TeamLog | null
  /** Frames in quarantine by shard; null: there is no history. Rejects with why it can't be read. */
  readonly quarantine: () => Promise<TeamFacts['quarantine']>
  readonly clock: Clock
  readonly isWatched: () => boolean
  readonly changed: () => void
}

/** What is followed over one connection. */
interface Following {
  readonly log: TeamLog
  readonly known: TeamSessions
  readonly stop: AbortController
}

export class StatusWatch {
  readonly #parts: StatusWatchParts
  #state = UNREAD
  #running: AbortController | null = null
  #following: Following | null = null
  #quarantine: TeamFacts['quarantine'] = null

  constructor(parts: StatusWatchParts) {
    this.#parts = parts
  }

  get state(): NonNullable<TeamOverview> {
    return this.#state
  }

  /** Starts to look, until nobody watches. */
  start(): void {
    if (this.#running !== null) return
    const running = new AbortController()
    this.#running = running
    void this.#keep(running, LOOK_MS, () => this.#look())
    void this.#keep(running, HISTORY_MS, () => this.#lookAtHistory())
  }

  /** Forgets everything, for another team. */
  reset(): void {
    this.stop()
    this.#quarantine = null
    this.#state = UNREAD
    if (this.#parts.isWatched()) this.start()
  }

  stop(): void {
    this.#running?.abort()
    this.#running = null
    this.#unfollow()
  }

  async #keep(running: AbortController, everyMs: number, look: () => Promise<Partial<NonNullable<TeamOverview>>>) {
    const { clock, isWatched, changed } = this.#parts
    while (!running.signal.aborted) {
      if (!isWatched()) return this.stop()
      const news = await look()
      if (running.signal.aborted) return this.#running === null ? this.#unfollow() : undefined
      this.#state = { ...this.#state, ...news }
      changed()
      await waitUntil(clock, running.signal, everyMs)
    }
  }

  async #look(): Promise<{ status?: TeamStatus; readMs?: UnixMs; problem: Failure | null }> {
    const log = this.#parts.log()
    // While the servers are away, the link says so; the last status stays.
    if (log?.state().is !== 'connected') return { problem: null }
    try {
      const { known } = this.#following?.log === log ? this.#following : await this.#follow(log)
      const readMs = this.#parts.clock.wallMs()
      const status = teamStatus(await readFacts(log, known, this.#quarantine, readMs))
      return { status, readMs, problem: null }
    } catch (thrown) {
      this.#unfollow()
      return { problem: log.state().is === 'connected' ? toFailure(thrown) : null }
    }
  }

  async #lookAtHistory(): Promise<{ historyProblem: Failure | null }> {
    try {
      this.#quarantine = await this.#parts.quarantine()
      return { historyProblem: null }
    } catch (thrown) {
      return { historyProblem: toFailure(thrown) }
    }
  }

  /** Reads every session once, then what changes. Starts again when the connection was lost: the server may have forgotten. */
  async #follow(log: TeamLog): Promise<Following> {
    this.#unfollow()
    const stop = new AbortController()
    const { signal } = stop
    const known = await readSessions(log)
    const following = { log, known, stop }
    this.#following = following
    const undo = log.onState(() => this.#unfollow(following))
    signal.addEventListener('abort', undo)
    const ended = (): void => this.#unfollow(following)
    const followSessions = async (): Promise<void> => {
      for await (const info of log.watchSessions(signal)) known.sessions.set(info.session, info)
    }
    const followWatermarks = async (): Promise<void> => {
      for await (const { session, lastSeq } of log.watchWatermarks(signal)) known.watermarks.set(session, lastSeq)
    }
    // The next look follows again, and says what is wrong.
    followSessions().then(ended, ended)
    followWatermarks().then(ended, ended)
    return following
  }

  #unfollow(which = this.#following): void {
    which?.stop.abort()
    if (this.#following === which) this.#following = null
  }
}
