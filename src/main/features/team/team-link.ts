/** One team, from the first connection until it is left: connects, follows, and says how it stands. */
import { durationLabel } from '../../../shared/base/duration-label.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { matchesSource, teamKey } from '../../../shared/core/recording/session.ts'
import type { Reason } from '../../../shared/core/status/status.ts'
import type { FollowedSession, FollowPhase, TeamLink, TeamState } from '../../../shared/features/team/team.ts'
import { unixMs, type SessionId, type UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../core/log/log.ts'
import type { LateWriter } from '../../core/store/late-store.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { LiveService } from '../../core/views/live-feature.ts'
import type { MarketService } from '../../core/views/market-feature.ts'
import type { TeamAddress } from './access.ts'
import type { TeamFollower } from './follow/follower.ts'
import type { LocalCopies } from './follow/local-copies.ts'
import type { Phase } from './follow/session-model.ts'
import type { TeamMarket } from './follow/team-market.ts'
import type { History } from './history/history.ts'
import type { TeamLog } from './nats/team-log.ts'

/** How long to wait before connecting again, ms. */
const RETRY_MS = 5_000

export interface TeamLinkParts {
  readonly address: () => Promise<TeamAddress>
  readonly name: string
  /** Options of this program say which team it is. */
  readonly isGiven: boolean
  readonly reader: StoreReader
  readonly writer: LateWriter
  readonly live: Pick<LiveService, 'feeds' | 'followed' | 'refresh' | 'showFeeds'>
  readonly market: Pick<MarketService, 'follow' | 'storeFailed'>
  readonly clock: Clock
  readonly log: Log['add']
  readonly changed: () => void
  /** Opens the team's log and its history. */
  readonly connect: (address: TeamAddress) => Promise<TeamLog>
  readonly openHistory: (address: TeamAddress) => Promise<History | null>
}

export class Team {
  readonly #parts: TeamLinkParts
  #link: TeamLink = { is: 'connecting' }
  #servers = ''
  #historyPlace: string | null = null
  #log: TeamLog | null = null
  #history: History | null = null
  #openingHistory: Promise<History | null> | null = null
  #address: TeamAddress | null = null
  #follower: TeamFollower | null = null
  #market: TeamMarket | null = null
  #cancelRetry = (): void => undefined
  #isClosed = false
  #connecting: Promise<void> | null = null

  constructor(parts: TeamLinkParts) {
    this.#parts = parts
    this.#connect()
  }

  /** The connection to the team's servers, while there is one. */
  get log(): TeamLog | null {
    return this.#log
  }

  /**
   * The team's history, opened again if it couldn't be before; null if none is set. Rejects with why it can't be read, as
   * where it's another database than the one that the team's archivers use.
   */
  async openHistory(): Promise<History | null> {
    const history = await this.#open()
    const log = this.#log
    if (history === null || log?.state().is !== 'connected') return history
    const { checkHistory } = await import('./history-claim.ts')
    try {
      await checkHistory(log, history)
    } catch (thrown) {
      // The past stays readable while the servers are away.
      if (toFailure(thrown).code === 'not-allowed') throw thrown
    }
    return history
  }

  async #open(): Promise<History | null> {
    if (this.#history !== null || this.#address === null || this.#address.history === null) return this.#history
    const opening = (this.#openingHistory ??= this.#parts.openHistory(this.#address))
    try {
      const opened = await opening
      if (this.#isClosed) await opened?.close()
      else this.#history = opened
      return opened
    } finally {
      this.#openingHistory = null
    }
  }

  get state(): NonNullable<TeamState> {
    const nowMs = this.#parts.clock.wallMs()
    const sessions = this.#follower?.sessions() ?? []
    const gone = this.#follower?.gone()
    const rows = sessions.map(({ info, state, signer, isHeld }): FollowedSession => {
      const lastMs = this.#market?.lastMs(info.session) ?? null
      const { phase } = state
      const { session, shard, recorder, startedMs, key } = info
      const lateMs = phase.is === 'live' && !isHeld ? (this.#market?.lateMs(session) ?? null) : null
      const waits = phase.is === 'waiting' || phase.is === 'stopped' ? phase.why : isHeld ? UNSIGNED : null
      const why = waits ?? (lateMs === null ? null : lateReason(recorder, lateMs))
      const silent = gone?.get(session)
      const goneMs = silent === undefined ? null : (silent.sinceMs ?? lastMs ?? startedMs)
      return {
        session,
        shard,
        recorder,
        phase: isHeld && phase.is === 'live' ? 'waiting' : lateMs === null ? phaseOf(phase) : 'catching up',
        seq: state.storedSeq,
        lastMs,
        goneMs,
        why,
        signer,
        isSigning: key !== undefined,
      }
    })
    const behind = rows.filter(({ phase, lastMs }) => phase === 'catching up' && lastMs !== null)
    const lags = behind.map(({ lastMs }) => nowMs - (lastMs ?? nowMs))
    return {
      name: this.#parts.name,
      isGiven: this.#parts.isGiven,
      servers: this.#servers,
      history: this.#historyPlace,
      link: this.#link,
      problem: this.#follower?.problem ?? null,
      lagMs: rows.some(({ phase }) => phase === 'live') || lags.length > 0 ? Math.max(this.#market?.delayMs ?? 0, ...lags) : null, // oxfmt-ignore
      sessions: rows,
      isTrusting: (this.#address?.trusted ?? null) !== null,
    }
  }

  /** Sessions of the team were added to the store. */
  reload(): void {
    this.#market?.reload()
  }

  /** Connects now, if it is waiting to. */
  retry(): void {
    if (this.#log === null && this.#connecting === null) this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    // At once: the next source shows its own.
    this.#parts.market.follow(null)
    this.#parts.live.showFeeds(null)
    await this.#connecting?.catch(() => undefined)
    await this.#follower?.close()
    await this.#log?.close().catch(() => undefined)
    await this.#history?.close().catch(() => undefined)
  }

  #connect(): void {
    this.#cancelRetry()
    this.#connecting = this.#start()
      .catch((thrown: unknown) => this.#failed(thrown))
      .finally(() => {
        this.#connecting = null
      })
  }

  async #start(): Promise<void> {
    const { live, market, reader, writer, clock, name } = this.#parts
    const { TeamMarket } = await import('./follow/team-market.ts')
    const { TeamFollower, lostReason } = await import('./follow/follower.ts')
    this.#market ??= new TeamMarket(
      {
        sink: live.followed,
        refresh: (context) => live.refresh(context),
        entries: async (session, upToSeq) =>
          (await reader.entries({ session })).filter(({ seq, entry }) => seq <= upToSeq && entry.type !== 'digest'),
        wallMs: () => clock.wallMs(),
        wanted: (feed) => live.feeds.wanted(feed),
        failed: market.storeFailed,
      },
      lostReason(name),
    )
    if (this.#isClosed) return
    market.follow(this.#market)
    const teamMarket = this.#market
    live.showFeeds({
      statuses: () => teamMarket.statuses(),
      isSimulated: () => teamMarket.isSimulated,
      retry: () => this.retry(),
    })
    const address = await this.#parts.address()
    this.#address = address
    this.#servers = address.target.servers.join(', ')
    this.#historyPlace = address.history?.place ?? null
    this.#set({ is: 'connecting' })
    const log = await this.#parts.connect(address)
    if (this.#isClosed) return log.close()
    this.#log = log
    await this.openHistory().catch((thrown: unknown) => this.#historyFailed(thrown))
    log.onState((state) => {
      if (log !== this.#log) return
      if (state.is === 'connected') this.#set({ is: 'connected', server: state.server })
      else if (state.is === 'closed') this.#failed(state.why ?? lostError(name))
      // The servers are there, and refuse the user or are full. A person has to put that right, here or there.
      else if (state.why !== null) this.#failed(state.why)
      else if (!this.#isClosed) this.#set({ is: 'lost', sinceMs: clock.wallMs(), why: lostReason(name) })
    })
    const report = (level: 'info' | 'warn' | 'error', text: string, detail?: string): void =>
      this.#parts.log(level, 'team', text, detail)
    this.#follower = new TeamFollower({
      team: address.team,
      trusted: address.trusted,
      log,
      history:
        address.history === null
          ? null
          : {
              flushes: (session, after) => this.#flushes(session, after),
              signatures: async (session) => (await this.openHistory())?.signatures(session) ?? [],
            },
      replicas: async () => {
        await writer.open()
        return writer.replicas()
      },
      lastReceived: (session, lastSeq) => this.#lastReceived(session, lastSeq),
      market: teamMarket,
      copies: () => this.#copies(address.team),
      clock,
      report,
      changed: () => this.#parts.changed(),
    })
    await this.#follower.start()
    const state = log.state()
    if (state.is === 'connected') this.#set({ is: 'connected', server: state.server })
    this.#parts.log('info', 'team', `Following team ${name} at ${this.#servers}.`)
  }

  /** The present doesn't need it; it is opened again when something is read from it. */
  #historyFailed(thrown: unknown): void {
    const { message, hint } = toFailure(thrown)
    this.#parts.log('warn', 'team', `Can’t read the history of team ${this.#parts.name}: ${message}`, hint)
  }

  async *#flushes(session: SessionId, afterSeq: number): ReturnType<History['flushes']> {
    const history = await this.openHistory()
    if (history !== null) yield* history.flushes(session, afterSeq)
  }

  async #lastReceived(session: SessionId, lastSeq: number): Promise<UnixMs | null> {
    for await (const batch of this.#parts.reader.replay({ session, afterSeq: lastSeq - 1 })) {
      const ms = batch.count > 0 ? batch.recvMs[batch.count - 1] : batch.entries.at(-1)?.wallMs
      if (ms !== undefined) return unixMs(ms)
    }
    return null
  }

  async #copies(team: string): Promise<LocalCopies> {
    let rows: Awaited<ReturnType<StoreReader['sessions']>> = []
    try {
      rows = (await this.#parts.reader.sessions(true)).filter(({ source }) => matchesSource(source, teamKey(team)))
    } catch (thrown) {
      // A store that doesn't exist yet is empty.
      if (toFailure(thrown).code !== 'not-found') throw thrown
    }
    const { findCopies } = await import('./follow/local-copies.ts')
    return findCopies(rows, this.#parts.clock.wallMs())
  }

  #failed(thrown: unknown): void {
    if (this.#isClosed) return
    const { code, message, hint = '', detail } = toFailure(thrown)
    const why: Reason = { code, message, hint, closeCode: null }
    if (this.#link.is !== 'failed' || this.#link.why.message !== message)
      this.#parts.log('warn', 'team', `Can’t follow team ${this.#parts.name}: ${message}`, detail ?? hint)
    this.#market?.setLost(why)
    this.#set({ is: 'failed', why })
    const [follower, log] = [this.#follower, this.#log]
    this.#follower = null
    this.#log = null
    void follower?.close()
    void log?.close().catch(() => undefined)
    this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.retry())
  }

  #set(link: TeamLink): void {
    this.#link = link
    this.#parts.changed()
  }
}

const UNSIGNED: Reason = {
  code: 'not-allowed',
  message: 'Nothing that was received of this session is signed yet.',
  hint: 'Its recorder signs about once a minute. What was received is stored and shown then.',
  closeCode: null,
}

const lateReason = (recorder: string, lateMs: number): Reason => ({
  code: 'unexpected-answer',
  message: `What recorder ${recorder} sends now is ${durationLabel(lateMs)} old by this computer’s clock, so its prices don’t count as live.`,
  hint: 'After an outage, it catches up by itself. Otherwise the clock of this computer or that of the recorder is wrong.',
  closeCode: null,
})

const lostError = (name: string): CodedError => new CodedError('offline', `The connection to team ${name} was closed.`)

function phaseOf(phase: Phase): FollowPhase {
  switch (phase.is) {
    case 'opening':
    case 'live':
    case 'waiting':
    case 'ending':
    case 'stopped':
      return phase.is
    case 'reading':
      return 'catching up'
    case 'away':
      return 'lost'
    case 'ended':
      return 'ending'
  }
}
