/**
 * The live market of a team: what several sessions say about several feeds, joined for one hub. Records reach it in the
 * order of each session's seqs, and only once the local copy has them.
 */
import { bestState, worstState } from '../../../../shared/core/status/feed-severity.ts'
import type { FeedState, FeedStatus, Reason } from '../../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
  type UnixMs,
} from '../../../../shared/base/units.ts'
import type { HubSink, MarketContext } from '../../../core/market/hub-types.ts'
import type { StoredEntry } from '../../../core/store/types/messages.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import type { SessionInfo } from '../session-info.ts'
import { joinStatuses } from './join-statuses.ts'
import { Lane } from './lane.ts'
import { Leaders } from './leaders.ts'
import { firstSeq } from '../frame/seqs.ts'
import { TeamGaps } from './gaps/team-gaps.ts'

export interface TeamMarketParts {
  /** The hub and all who listen to live records. */
  readonly sink: HubSink
  /** Reads the hub from the store again, with these feed states and gaps. */
  readonly refresh: (context: MarketContext) => void
  /** Entries of the local copy. */
  readonly entries: (session: SessionId, upToSeq: number) => Promise<readonly StoredEntry[]>
  readonly wallMs: () => UnixMs
  /** Symbols that this terminal wants, by feed, as it would ask the service for them. */
  readonly wanted: (feed: FeedId) => readonly string[]
  readonly failed: (what: string, thrown: unknown) => void
}

/** The local copy of a session that is followed. */
export interface FollowedCopy {
  readonly info: SessionInfo
  readonly seq: number
  /** When its last message was received, UTC ms; null: unknown. */
  readonly receivedMs: UnixMs | null
}

export class TeamMarket {
  readonly #parts: TeamMarketParts
  readonly #lanes = new Map<SessionId, Lane>()
  /** Flushes that wait until the entries before them are read. */
  readonly #waiting = new Map<SessionId, CommittedFlush[]>()
  readonly #shown = new Map<FeedId, FeedState>()
  /** Sessions that were being followed when the team's servers were lost, until they are read up to the present. */
  readonly #behind = new Set<SessionId>()
  /** Sessions of which everything that the log had was shown since its servers were reached. */
  readonly #present = new Set<SessionId>()
  #lost: FeedState | null
  /** Sessions that nothing arrives of. */
  #away: ReadonlyMap<SessionId, FeedState> = new Map<SessionId, FeedState>()
  readonly #all = (): Iterable<Lane> => this.#lanes.values()
  readonly #isAway = (session: SessionId): boolean => this.#away.has(session)
  readonly #leaders = new Leaders<Lane>(this.#all, this.#isAway)
  readonly #gaps = new TeamGaps(this.#all, this.#isAway)

  /** `lost`: why the team's servers aren't reached yet. */
  constructor(parts: TeamMarketParts, lost: Reason) {
    this.#parts = parts
    this.#lost = this.#waitingState(lost)
  }

  /** The sessions in the hub and the last seq of each that it has. */
  present(): ReadonlyMap<SessionId, number> {
    return new Map([...this.#lanes].map(([session, lane]) => [session, lane.seq]))
  }

  /** The team's servers are lost (with a reason) or back. Prices age; no gap is invented. */
  setLost(why: Reason | null): void {
    this.#lost = why === null ? null : this.#waitingState(why)
    if (why !== null) {
      this.#present.clear()
      for (const session of this.#lanes.keys()) this.#behind.add(session)
    }
    this.#showStates()
  }

  /**
   * Sessions that nothing arrives of, because their recorders are gone, or because they can't be verified or stored here:
   * prices that come from them age; no gap is invented.
   */
  setAway(away: ReadonlyMap<SessionId, Reason>): void {
    const stateOf = (session: SessionId, why: Reason): FeedState => {
      const before = this.#away.get(session)
      return before?.is === 'waiting' && before.why.message === why.message ? before : this.#waitingState(why)
    }
    this.#away = new Map([...away].map(([session, why]) => [session, stateOf(session, why)]))
    this.#lead()
    this.#showStates()
  }

  /** Everything that the log has of a session is shown. `copy`: everything that is here, and all of it is stored. */
  reachedPresent(session: SessionId, copy: FollowedCopy | null = null): void {
    this.#present.add(session)
    // Nothing new came since the terminal was closed, so nothing has shown the session yet.
    if (copy !== null && copy.seq > 0 && !this.#lanes.has(session) && !this.#waiting.has(session))
      return this.#readBefore(copy.info, copy.seq + 1, [], copy.receivedMs)
    const wasBehind = this.#behind.delete(session)
    const lane = this.#lanes.get(session)
    const wasEarlier = lane?.isBehind === true
    if (lane !== undefined) lane.isBehind = false
    if (lane?.hasSkipped === true && this.#leaders.isLeading(lane)) this.#refresh()
    else if (!wasBehind && !wasEarlier) return
    this.#showStates()
  }

  /** Reads the hub from the store again, because sessions were added to it. */
  reload(): void {
    this.#refresh()
    this.#showStates()
  }

  /** When the last message of a session that is shown was received by its recorder, UTC ms. */
  lastMs(session: SessionId): UnixMs | null {
    const lane = this.#lanes.get(session)
    return lane === undefined || lane.seq === 0 ? null : unixMs(lane.timeMs)
  }

  /**
   * How old what a session's recorder publishes is, ms, where that is why its prices don't count as the present: it is
   * catching up, or a clock is wrong. Null: they do, or the log has more of it.
   */
  lateMs(session: SessionId): number | null {
    const lane = this.#lanes.get(session)
    return lane?.isBehind === true && this.#present.has(session) && !this.#away.has(session) ? lane.delayMs : null
  }

  /** How long the last flush took from its recorder's receipt until it was shown, ms, by two clocks. */
  get delayMs(): number {
    return Math.max(0, ...this.#leaders.all().map(({ delayMs }) => delayMs))
  }

  /** Whether a session that is shown is of the demo market. */
  get isSimulated(): boolean {
    return this.#leaders.all().some(({ info }) => info.source.kind === 'demo')
  }

  /** Takes the next durable flushes of a session. Reads what comes before them from the local copy when needed. */
  show(info: SessionInfo, flushes: readonly CommittedFlush[]): void {
    const { session } = info
    const waiting = this.#waiting.get(session)
    if (waiting !== undefined) {
      waiting.push(...flushes)
      return
    }
    const first = flushes.map(({ batch }) => firstSeq(batch)).find((seq) => seq !== null) ?? null
    if (first === null) return
    const lane = this.#lanes.get(session)
    if (lane === undefined && first === 1) this.#add(info, 0, [], info.startedMs)
    else if ((lane?.seq ?? 0) + 1 !== first) return this.#readBefore(info, first, flushes)
    this.#show(session, flushes)
  }

  /** The session has ended, at `endedMs` if that is known: what it said about its feeds no longer counts. */
  end(session: SessionId, endedMs: UnixMs | null = null): void {
    this.#waiting.delete(session)
    this.#behind.delete(session)
    this.#present.delete(session)
    const lane = this.#lanes.get(session)
    if (lane === undefined) return
    this.#lanes.delete(session)
    this.#gaps.end(lane, endedMs)
    this.#lead()
    this.#showStates()
  }

  /** The state of the feed that an instrument's price comes from; undefined: as the feed's. */
  stateOf(feed: FeedId, id: InstrumentId): FeedState | undefined {
    if (this.#lost !== null) return this.#lost
    const isSource = (lane: Lane): boolean => lane.symbols(feed).has(id) && this.#leaders.leads(lane, feed, () => id)
    const states = this.#leaders.all().filter(isSource).map((lane) => this.#stateOf(lane, feed)) // oxfmt-ignore
    return states.length === 0 ? undefined : bestState(states)
  }

  /** Every feed as the status line shows it. */
  statuses(): FeedStatus[] {
    const nowMs = this.#parts.wallMs()
    const all = new Map(this.#leaders.all().map((lane) => [lane, lane.statuses(nowMs)]))
    return FEED_IDS.map((feed, i) => {
      const lanes = this.#leaders.of(feed)
      const known = new Set(lanes.flatMap((lane) => [...lane.symbols(feed).keys()]))
      const isMissing = (symbol: string): boolean => !known.has(instrumentId(feedAsset(feed), symbol))
      const parts = lanes.flatMap((lane) => all.get(lane)?.[i] ?? [])
      const wanted = this.#parts.wanted(feed)
      // Which recorders there are isn't known before the servers were reached.
      const unknown = this.#lanes.size === 0 && wanted.length > 0 ? this.#lost : null
      const state = unknown ?? this.#joinedState(feed).worst
      return joinStatuses(feed, parts, state, wanted.filter(isMissing))
    })
  }

  #show(session: SessionId, flushes: readonly CommittedFlush[]): void {
    const lane = this.#lanes.get(session)
    if (lane === undefined) return
    const { hasSkipped, isBehind } = lane
    for (const flush of flushes) lane.show(flush, this.#parts.wallMs(), () => this.#refresh())
    if (lane.hasSkipped !== hasSkipped || lane.isBehind !== isBehind) this.#showStates()
  }

  #readBefore(
    info: SessionInfo,
    first: number,
    flushes: readonly CommittedFlush[],
    receivedMs: UnixMs | null = null,
  ): void {
    const { session } = info
    const waiting = [...flushes]
    this.#waiting.set(session, waiting)
    this.#parts
      .entries(session, first - 1)
      .catch((thrown: unknown): readonly StoredEntry[] => {
        this.#parts.failed(`session ${session}`, thrown)
        return []
      })
      .then((entries) => {
        if (this.#waiting.get(session) !== waiting) return
        this.#waiting.delete(session)
        const lane = this.#lanes.get(session)
        if (lane === undefined) this.#add(info, first - 1, entries, receivedMs ?? info.startedMs)
        else lane.catchUp(first - 1, entries.filter(({ seq }) => seq > lane.seq)) // oxfmt-ignore
        this.#show(session, waiting)
        this.#showStates()
        if (waiting.length === 0) this.reachedPresent(session)
      })
      .catch((thrown: unknown) => this.#parts.failed(`session ${session}`, thrown))
  }

  #add(info: SessionInfo, lastSeq: number, entries: readonly StoredEntry[], timeMs: UnixMs): void {
    const changed = (feed: FeedId | null): void => {
      if (!this.#lanes.has(info.session)) return
      // In the middle of a flush, too: the rest of it goes into the hub that is read again.
      this.#lead()
      if (feed !== null) this.#showState(feed)
    }
    const lane: Lane = new Lane(
      {
        info,
        timeMs,
        sink: this.#parts.sink,
        changed,
        leads: (feed, id) => this.#leaders.leads(lane, feed, id),
        isLeading: () => this.#leaders.isLeading(lane),
        isPresent: () => this.#present.has(info.session),
      },
      lastSeq,
      entries,
    )
    this.#lanes.set(info.session, lane)
    this.#lead()
  }

  /**
   * Reads the hub from the store again where prices come from another recorder now, because the two didn't receive the same
   * at the same time, and where another one turns out to have received what counted as a gap.
   */
  #lead(): void {
    if (!this.#leaders.update() && this.#gaps.update(this.#parts.sink)) return
    this.#refresh()
    this.#showStates()
  }

  #refresh(): void {
    const lanes = this.#leaders.all()
    for (const lane of lanes) lane.hasSkipped = false
    const feeds = FEED_IDS.filter((feed) => this.#leaders.of(feed).some((lane) => lane.stateOf(feed) !== undefined))
    this.#parts.refresh({
      feedStates: feeds.map((feed) => [feed, this.#joinedState(feed).best]),
      gaps: this.#gaps.showAll(),
    })
    for (const lane of lanes)
      for (const feed of FEED_IDS) this.#parts.sink.acknowledged(feed, [...lane.symbols(feed).values()])
  }

  /** What a session's feed counts as: not connected while records may be missing here. */
  #stateOf(lane: Lane, feed: FeedId): FeedState {
    const state = lane.stateOf(feed) ?? { is: 'idle' }
    const away = this.#away.get(lane.info.session)
    if (away !== undefined && state.is !== 'idle') return away
    const isBehind = lane.hasSkipped || lane.isBehind || this.#behind.has(lane.info.session)
    return isBehind && state.is !== 'idle' ? CATCHING_UP : state
  }

  #joinedState(feed: FeedId): { readonly worst: FeedState; readonly best: FeedState } {
    const lanes = this.#leaders.of(feed)
    const states = lanes.map((lane) => this.#stateOf(lane, feed))
    const isUsed = states.some(({ is }) => is !== 'idle')
    if (this.#lost !== null && isUsed) return { worst: this.#lost, best: this.#lost }
    // A feed that another recorder receives isn't down because one of them is away.
    const there = worstState(
      lanes.filter(({ info }) => !this.#isAway(info.session)).map((lane) => this.#stateOf(lane, feed)),
    )
    return { worst: there.is === 'idle' ? worstState(states) : there, best: bestState(states) }
  }

  #showStates(): void {
    for (const feed of FEED_IDS) this.#showState(feed)
  }

  #showState(feed: FeedId): void {
    const { best } = this.#joinedState(feed)
    // The hub asks about each instrument; a feed is down for it only when nobody receives it.
    if (this.#shown.get(feed) === best || (best.is === 'idle' && !this.#shown.has(feed))) return
    this.#shown.set(feed, best)
    this.#parts.sink.feedState(feed, best, this.#parts.wallMs(), best)
  }

  #waitingState(why: Reason): FeedState {
    return { is: 'waiting', untilMs: this.#parts.wallMs(), attempt: 1, why }
  }
}

const CATCHING_UP: FeedState = { is: 'connecting', attempt: 1 }
