/** Follows a team: keeps a verified copy of each session that its recorders publish, and shows the newest ones. */
import { toFailure } from '../../../../shared/base/errors.ts'
import type { Reason } from '../../../../shared/core/status/status.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { waitUntil } from '../../../base/clock.ts'
import type { TeamName } from '../names.ts'
import type { ConnectionState, TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import { endedSince, NO_COPIES, type LocalCopies } from './local-copies.ts'
import { RecorderPresence } from './recorder-presence.ts'
import type { GoneRecorder } from './recorder-watch.ts'
import { SessionFollower, type FollowerParts } from './session-follower.ts'
import { isOver } from './session-state.ts'
import type { TeamMarket } from './team-market.ts'

/** How often the log is asked for what it has last, ms. */
const CHECK_MS = 15_000
const RETRY_MS = 5_000
/** Sessions that began earlier than this aren't followed unless the store has begun to copy them, ms: the log's age. */
const FOLLOW_MS = 72 * 3_600_000
/** Ended sessions that are copied at a time, in addition to those that are being recorded. */
const MAX_ENDED = 2

export interface TeamFollowerParts extends Omit<FollowerParts, 'log' | 'show' | 'changed' | 'team'> {
  readonly team: TeamName
  readonly log: Pick<TeamLog, 'lastOf' | 'read' | 'state' | 'onState' | 'watchSessions' | 'subscribeLive' | 'bucket'>
  readonly market: Pick<TeamMarket, 'show' | 'end' | 'reachedPresent' | 'setLost' | 'setAway'>
  readonly copies: () => Promise<LocalCopies>
  /** Something that windows show has changed. */
  readonly changed: () => void
}

export class TeamFollower {
  readonly #parts: TeamFollowerParts
  readonly #sessions = new Map<SessionId, SessionFollower>()
  /** Sessions that ended and wait for their turn, the newest last. */
  readonly #ended = new Map<SessionId, SessionInfo>()
  readonly #closing = new AbortController()
  #copies = NO_COPIES
  #isConnected: boolean
  #problem: Reason | null = null
  #undo: readonly (() => void)[] = []
  #cancelCheck = (): void => undefined
  /** Reads the list of sessions again. */
  #watchAgain = (): void => undefined
  readonly #recorders: RecorderPresence
  #gone: ReadonlyMap<SessionId, Reason> = new Map<SessionId, Reason>()
  /** Sessions that can't be followed at the moment. */
  readonly #blocked = new Map<SessionId, Reason>()
  /** Sessions that were completed since the start. */
  readonly #completed = new Set<SessionId>()

  constructor(parts: TeamFollowerParts) {
    this.#parts = parts
    this.#isConnected = parts.log.state().is === 'connected'
    this.#recorders = new RecorderPresence({
      ...parts,
      canHear: () => this.#isConnected && this.#problem === null,
      infos: () => this.sessions().map(({ info }) => info),
      changed: (gone) => {
        this.#gone = gone
        this.#showAway()
        parts.changed()
      },
    })
  }

  /** Starts to follow. Rejects if the store can't be read. */
  async start(): Promise<void> {
    const { log, market } = this.#parts
    this.#copies = await this.#parts.copies()
    if (this.#closing.signal.aborted) return
    this.#undo = [
      log.subscribeLive('*', (message) => {
        this.#recorders.hear([message.session])
        this.#sessions.get(message.session)?.receive(message)
      }),
      log.onState((state) => this.#onState(state)),
    ]
    market.setLost(this.#isConnected ? null : lostReason(this.#parts.team))
    void this.#watch()
    this.#recorders.start()
    this.#check()
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** Why the list of sessions can't be read; null: it can. */
  get problem(): Reason | null {
    return this.#problem
  }

  /** Sessions whose recorders are gone, and since when. */
  gone(): ReadonlyMap<SessionId, GoneRecorder> {
    return this.#recorders.gone()
  }

  sessions(): readonly SessionFollower[] {
    return [...this.#sessions.values()]
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#recorders.close()
    for (const undo of [...this.#undo, this.#cancelCheck]) undo()
    await Promise.all(this.sessions().map((session) => session.close()))
  }

  #onState(state: ConnectionState): void {
    const isConnected = state.is === 'connected'
    if (isConnected === this.#isConnected) return
    const { market, team, report } = this.#parts
    this.#isConnected = isConnected
    market.setLost(isConnected ? null : lostReason(team))
    this.#recorders.restart()
    // Changes may have been lost with the connection.
    if (isConnected) this.#watchAgain()
    for (const session of this.#sessions.values()) session.setConnected(isConnected)
    report(
      isConnected ? 'info' : 'warn',
      isConnected
        ? `Team ${team} is reachable again.`
        : `Lost the servers of team ${team}. Prices age until they are back.`,
    )
    this.#parts.changed()
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing
    const { log, clock, team, report } = this.#parts
    while (!signal.aborted) {
      const again = new AbortController()
      this.#watchAgain = () => again.abort()
      const until = AbortSignal.any([signal, again.signal])
      // A list that is empty can be read, too. Requests fail sooner.
      const cancel = clock.after(CHECK_MS, () => this.#setProblem(null))
      try {
        for await (const info of log.watchSessions(until)) {
          this.#setProblem(null)
          this.#onSession(info)
        }
      } catch (thrown) {
        const { code, message, hint = '' } = toFailure(thrown)
        if (until.aborted) continue
        if (this.#problem?.message !== message)
          report('warn', `Can’t read the sessions of team ${team}: ${message}`, hint)
        this.#setProblem({ code, message, hint, closeCode: null })
      } finally {
        cancel()
      }
      await waitUntil(clock, until, RETRY_MS)
    }
  }

  #setProblem(problem: Reason | null): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#parts.changed()
  }

  #onSession(info: SessionInfo): void {
    const followed = this.#sessions.get(info.session)
    if (followed !== undefined) return followed.update(info)
    if (!this.#shouldFollow(info)) return
    // Servers that lost a session hear of it again as of one that is open.
    if (info.end === null && this.#ended.has(info.session)) return
    if (info.end === null) this.#follow(info)
    else {
      this.#ended.set(info.session, info)
      this.#followEnded()
    }
  }

  #shouldFollow(info: SessionInfo): boolean {
    const { session, startedMs, end } = info
    const { complete, begun } = this.#copies
    if (complete.has(session) || this.#completed.has(session)) return false
    if (begun.has(session)) return true
    if (startedMs < this.#parts.clock.wallMs() - FOLLOW_MS) return false
    // A session that ended before this terminal joined is fetched when somebody wants it.
    return end === null || endedSince(this.#copies, info)
  }

  #follow(info: SessionInfo): void {
    const { market } = this.#parts
    const session: SessionFollower = new SessionFollower(
      {
        ...this.#parts,
        show: (of, flushes) => {
          this.#setBlocked(info.session, null)
          market.show(of, flushes)
        },
        changed: () => this.#onChange(info.session),
      },
      info,
      this.#isConnected,
    )
    this.#sessions.set(info.session, session)
    this.#parts.changed()
  }

  #followEnded(): void {
    const isEnded = (session: SessionFollower): boolean => session.info.end !== null && !isOver(session.state)
    while (this.#ended.size > 0 && this.sessions().filter(isEnded).length < MAX_ENDED) {
      const [info] = [...this.#ended.values()].sort((a, b) => b.startedMs - a.startedMs)
      this.#ended.delete(info.session)
      this.#follow(info)
    }
  }

  #onChange(id: SessionId): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    const { phase } = session.state
    if (phase.is === 'waiting' || phase.is === 'stopped') this.#setBlocked(id, phase.why)
    if (phase.is === 'live') {
      const { info, state, receivedMs } = session
      const isStored = state.storedSeq === state.takenSeq
      if (isStored) this.#setBlocked(id, null)
      this.#parts.market.reachedPresent(id, isStored ? { info, seq: state.storedSeq, receivedMs } : null)
    }
    if (phase.is === 'ended') {
      this.#completed.add(id)
      this.#sessions.delete(id)
      this.#setBlocked(id, null)
      this.#parts.market.end(id, session.info.end?.endedMs)
      this.#followEnded()
    }
    this.#parts.changed()
  }

  /** Prices that can't arrive aren't quiet ones. Null: they arrive again, so what arrived is stored. */
  #setBlocked(id: SessionId, why: Reason | null): void {
    if (this.#blocked.get(id)?.message === why?.message) return
    if (why === null) this.#blocked.delete(id)
    else this.#blocked.set(id, why)
    this.#showAway()
  }

  #showAway(): void {
    this.#parts.market.setAway(new Map([...this.#blocked, ...this.#gone]))
  }

  #check(): void {
    this.#cancelCheck = this.#parts.clock.after(CHECK_MS, () => {
      for (const session of this.#sessions.values()) void session.checkLog()
      this.#check()
    })
  }
}

export const lostReason = (team: string): Reason => ({
  code: 'offline',
  message: `The servers of team ${team} can’t be reached.`,
  hint: 'Prices age until they are back; then Tapedeck fills in what it missed.',
  closeCode: null,
})
