/**
 * Plays sessions through a market and clock of their own. Works in slices of a few milliseconds, so that it doesn't
 * delay live messages.
 */
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import type { ReplaySpeed } from '../../../shared/features/replay/replay.ts'
import type { FeedState, FeedStatus, Reason } from '../../../shared/core/status/status.ts'
import type { FeedId, InstrumentId, SessionId } from '../../../shared/base/units.ts'
import type { Market } from '../../core/market/market.ts'
import { Cursor } from '../../core/playback/cursor.ts'
import { SavedStates } from './saved-states.ts'
import type { Part } from '../../core/playback/parts.ts'
import { ANY_TIME, SeekTargets, type Target } from './seek-target.ts'
import { due, newPlay, play, restMs, type Play, type PlayEvent } from './play/play.ts'
import type { Span } from '../../../shared/base/spans.ts'
import type { PlayerOptions, PlayerState } from './play/player-port.ts'
import { Rates } from './rates.ts'
import { NO_LIMITS, PlaybackState, type Advanced, type Limits } from '../../core/playback/playback-state.ts'
import { givingWay, KEEP_EVERY, SLICE_MS, seekTo } from './seek.ts'

/** Clock update interval while nothing is due, ms. */
const FRAME_MS = 20
/** A step forward by up to this much replay time (ms) is played. A longer one becomes a seek. */
const PLAYED_MS = 60_000

export class Player {
  readonly #o: PlayerOptions
  #parts: readonly Part[]
  readonly #checkpoints = new SavedStates()
  readonly #targets: SeekTargets
  #play: Play
  #index = 0
  #playback: PlaybackState
  /** Incremented by each seek and step. Any but the newest gives up. */
  #ticket = 0
  #busy = 0
  #seeking = false
  #closed = false
  #problem: Reason | null = null
  #undoTurn = () => {}
  readonly #rates = new Rates()

  /** Creates a player at the start of the first part. Call a `seek` method to set the initial state. */
  constructor(options: PlayerOptions) {
    this.#o = options
    this.#parts = options.parts
    this.#targets = new SeekTargets(options.reader, () => this.#parts, this.#checkpoints, options.market.version)
    const [first] = options.parts
    const range = { fromMs: first.fromMs, toMs: options.parts.at(-1)?.toMs ?? first.toMs }
    this.#play = newPlay(range, options.realMs())
    this.#playback = this.#newPlayback(options.market, 0, { seq: 0, timeMs: first.fromMs })
  }

  get state(): PlayerState {
    const { playing, speed, skipIdle, loop, clockMs, ended } = this.#play
    const { seq, messages, exactness } = this.#playback
    return {
      nowMs: clockMs,
      at: this.#index === 0 && seq === 0 ? null : this.present,
      playing,
      speed,
      skipIdle,
      loop,
      seeking: this.#seeking,
      ended,
      messages,
      perSecond: playing ? this.#rates.perSecond : 0,
      exactness,
      problem: this.#problem,
    }
  }

  get nowMs(): number {
    return this.#play.clockMs
  }

  /** The newest visible position. Earlier sessions are visible completely, this one up to `seq`. */
  get present(): { readonly session: SessionId; readonly seq: number } {
    return { session: this.#playback.part.session, seq: this.#playback.seq }
  }

  /** The state of the feed that an instrument's price comes from; undefined: as the feed's. */
  stateOf(feed: FeedId, id: InstrumentId): FeedState | undefined {
    return this.#playback.tracker.stateOf?.(feed, id)
  }

  feeds(): readonly FeedStatus[] {
    const { tracker, received, lastMs } = this.#playback
    return tracker.statuses(received, this.#rates.ofFeeds(received, this.nowMs), lastMs)
  }

  play(on: boolean): void {
    this.#tell({ is: 'play', on })
  }

  speed(speed: ReplaySpeed): void {
    this.#tell({ is: 'speed', speed })
  }

  options(options: { readonly skipIdle?: boolean | undefined; readonly loop?: Span | null | undefined }): void {
    this.#tell({ is: 'options', ...options })
  }

  /** Seeks to a replay time, UTC ms. Rejects with `cancelled` if another seek or step replaces it. */
  async seek(ms: number): Promise<void> {
    const { fromMs, toMs } = this.#play.range
    await this.#alone(true, (current) =>
      this.#goTo(this.#targets.resolve(Math.min(Math.max(ms, fromMs), toMs)), current),
    )
  }

  /** Seeks to right after a seq of a session. The clock shows at least `ms`. Unknown session: seeks to `ms`. */
  async seekSeq(session: SessionId, seq: number, ms: number): Promise<void> {
    const part = this.#parts.findIndex((one) => one.session === session)
    if (part < 0) return this.seek(ms)
    const { lastSeq } = this.#parts[part]
    const target = { part, seq: Math.min(seq, lastSeq), upToMs: ANY_TIME, ms, over: false }
    await this.#alone(true, (current) => this.#goTo(target, current))
  }

  /** Seeks to the start, before anything is applied. */
  async seekStart(): Promise<void> {
    await this.#alone(true, (current) => this.#goTo(this.#targets.start(), current))
  }

  /** Pauses and steps one message forward or back. */
  async stepMessage(forward: boolean): Promise<void> {
    this.#pause()
    await this.#alone(!forward, async (current) => {
      if (forward) return this.#through(current, { upToMs: Infinity, messages: 1 })
      const { seq, lastMessageSeq } = this.#playback
      const target = (await this.#targets.messageBack(this.#index, seq, lastMessageSeq)) ?? this.#targets.start()
      current()
      await this.#goTo(target, current)
    })
  }

  /** Pauses and moves to a replay time, UTC ms. A short step forward plays what lies between. */
  async stepTo(ms: number): Promise<void> {
    this.#pause()
    const { fromMs, toMs } = this.#play.range
    const to = Math.min(Math.max(ms, fromMs), toMs)
    if (to < this.nowMs || to - this.nowMs > PLAYED_MS) return this.seek(to)
    await this.#alone(false, async (current) => {
      await this.#through(current, { upToMs: to, messages: Infinity })
      this.#reached(to)
    })
  }

  /** Extends the last session after more was recorded. */
  grow({ toMs, lastSeq }: Pick<Part, 'toMs' | 'lastSeq'>): void {
    const last = this.#parts[this.#parts.length - 1]
    if (this.#closed || lastSeq <= last.lastSeq) return
    const grown = { ...last, lastSeq, toMs: Math.max(last.toMs, toMs) }
    this.#parts = [...this.#parts.slice(0, -1), grown]
    this.#targets.forgetEntries(this.#parts.length - 1)
    this.#tell({ is: 'grown', toMs: grown.toMs })
  }

  close(): void {
    this.#closed = true
    this.#ticket += 1
    this.#undoTurn()
    this.#playback.cursor.close()
  }

  // -- playing --

  #tell(event: PlayEvent): void {
    if (this.#closed) return
    const [next, jump] = play(this.#play, event, this.#o.realMs())
    this.#play = next
    this.#o.changed()
    // A seek in progress sets the position anyway.
    if (jump !== null && !this.#seeking) this.#jump(jump.toMs)
    else if (next.playing) this.#schedule(0)
  }

  #jump(ms: number): void {
    void this.seek(ms).catch((thrown: unknown) => this.#failed(thrown))
  }

  #pause(): void {
    if (this.#play.playing) this.#tell({ is: 'play', on: false })
  }

  #reached(ms: number): void {
    this.#tell({ is: 'reached', ms })
  }

  /** Schedules the next turn in real ms, replacing a scheduled one; 0: after pending work. */
  #schedule(ms: number): void {
    if (this.#closed) return
    this.#undoTurn()
    if (ms > 0) {
      this.#undoTurn = this.#o.after(ms, () => this.#turn())
      return
    }
    const turn = setImmediate(() => this.#turn())
    this.#undoTurn = () => clearImmediate(turn)
  }

  #turn(): void {
    const { realMs } = this.#o
    if (this.#closed || this.#busy > 0 || !this.#play.playing) return
    const start = realMs()
    const dueMs = due(this.#play, start)
    const isTimeUp = () => realMs() - start >= SLICE_MS
    const done = this.#advance({ ...NO_LIMITS, upToMs: dueMs, isTimeUp })
    if (this.#playback.cursor.failure !== null) return this.#failed(this.#playback.cursor.failure)
    this.#rates.measure(this.#playback.messages, start)
    this.#keepSome()
    if (done === 'end' && this.#crossing(dueMs)) return
    const nextMs = this.#nextMs()
    const left = done === 'time-up' || done === 'pending'
    this.#tellTurned({ is: 'turned', dueMs, timeMs: this.#playback.timeMs, nextMs, left }, start)
    if (!this.#play.playing) return
    if (done === 'pending' || nextMs === undefined) {
      void this.#playback.cursor.waitForNext().then(() => this.#schedule(0))
    } else this.#schedule(left ? 0 : restMs(this.#play, nextMs, FRAME_MS, realMs()))
  }

  /** Applies what is due, including what was recorded after the cursor was opened. */
  #advance(limits: Limits): Advanced {
    const state = this.#playback
    if (state.isOver) return 'end'
    const done = state.advance(limits)
    const { lastSeq } = this.#parts[this.#index]
    if (done !== 'end' || state.cursor.failure !== null || state.cursor.upToSeq >= lastSeq) return done
    state.continueWith(this.#cursorAt(this.#index, state.seq))
    return state.advance(limits)
  }

  #tellTurned(turned: PlayEvent & { readonly is: 'turned' }, startMs: number): void {
    const isHeld = turned.left || turned.nextMs === undefined
    const [next, jump] = play(this.#play, turned, isHeld ? this.#o.realMs() : startMs)
    this.#play = next
    this.#o.changed()
    if (jump !== null) this.#jump(jump.toMs)
  }

  /** At the end of a session that isn't the last, finishes it and starts the next one if it is due. */
  #crossing(dueMs: number): boolean {
    const following = this.#parts.at(this.#index + 1)
    if (following === undefined) return false
    if (!this.#playback.isOver && this.#playback.part.toMs <= dueMs) this.#playback.finish()
    if (following.fromMs > dueMs) return false
    const ticket = this.#ticket
    this.#busy += 1
    this.#enterNext(() => this.#assertNewest(ticket))
      .catch((thrown: unknown) => this.#failed(thrown))
      .finally(() => {
        this.#busy -= 1
        this.#schedule(0)
      })
    return true
  }

  #nextMs(): number | null | undefined {
    const next = this.#playback.isOver ? null : this.#playback.nextMs()
    if (next !== null) return next
    const following = this.#parts.at(this.#index + 1)
    if (following === undefined) return null
    return this.#playback.isOver ? following.fromMs : this.#playback.part.toMs
  }

  async #enterNext(current: () => void): Promise<void> {
    const index = this.#index + 1
    const part = this.#parts[index]
    const base = await this.#targets.stored(part, { upToSeq: 0 })
    current()
    const before = this.#playback
    before.cursor.close()
    const state = this.#newPlayback(this.#o.market, index, { seq: 0, timeMs: part.fromMs })
    state.messages = before.messages
    state.exactness = before.exactness
    this.#index = index
    this.#playback = state
    this.#o.market.restore(base?.data ?? null, state.tracker.marketContext())
  }

  // -- seeking --

  /** Runs a seek or step. Those already running give up. */
  async #alone(seeking: boolean, work: (current: () => void) => Promise<void>): Promise<void> {
    const ticket = ++this.#ticket
    const current = () => this.#assertNewest(ticket)
    this.#busy += 1
    this.#seeking = seeking
    this.#o.changed()
    try {
      current()
      await work(current)
      this.#problem = null
    } finally {
      this.#busy -= 1
      if (ticket === this.#ticket) this.#seeking = false
      if (!this.#closed) this.#o.changed()
      if (this.#busy === 0 && this.#play.playing) this.#schedule(0)
    }
  }

  /** Builds the target state in a separate market, then moves it to the visible one in a single update. */
  async #goTo(target: Target, current: () => void): Promise<void> {
    const { newMarket, market } = this.#o
    const known = this.#targets.entries(target.part)
    known.catch(() => undefined) // handled where it is awaited
    const from = await this.#targets.nearest(target, this.#here(target.part))
    current()
    const aside = newMarket()
    const state = this.#newPlayback(aside, target.part, from ?? { seq: 0, timeMs: -Infinity }, target)
    state.cursor.begin()
    try {
      const entries = await known
      current()
      state.lastMessageSeq = from?.lastMessageSeq ?? 0
      state.catchUp(entries)
      aside.restore(from?.data ?? null, state.tracker.marketContext())
      await seekTo(state, target, { saved: this.#checkpoints, realMs: this.#o.realMs, current })
      if (target.over) state.finish()
      state.cursor.close()
      const data = aside.save()
      const placed = state.copyOnto(market, this.#cursorAt(target.part, state.seq))
      this.#playback.cursor.close()
      const before = this.present
      this.#playback = placed
      this.#index = target.part
      this.#o.jumped?.(before, this.present)
      this.#rates.restart()
      this.#reached(Math.max(target.ms ?? -Infinity, state.timeMs))
      market.restore(data, placed.tracker.marketContext())
    } catch (thrown) {
      state.cursor.close()
      throw thrown
    }
  }

  /** Plays up to a limit, in slices. */
  async #through(current: () => void, limit: { readonly upToMs: number; readonly messages: number }): Promise<void> {
    const { realMs } = this.#o
    const before = this.#playback.messages
    for (;;) {
      const start = realMs()
      const isTimeUp = () => realMs() - start >= SLICE_MS
      const messages = limit.messages - (this.#playback.messages - before)
      const done = this.#advance({ ...NO_LIMITS, upToMs: limit.upToMs, messages, isTimeUp })
      if (this.#playback.cursor.failure !== null) throw this.#playback.cursor.failure
      this.#keepSome()
      if (done === 'reached') break
      if (done === 'end') {
        const following = this.#parts.at(this.#index + 1)
        if (following === undefined || following.fromMs > limit.upToMs) {
          if (following !== undefined && !this.#playback.isOver && this.#playback.part.toMs <= limit.upToMs)
            this.#playback.finish()
          break
        }
        if (!this.#playback.isOver) this.#playback.finish()
        await this.#enterNext(current)
      } else if (done === 'pending') await this.#playback.cursor.waitForNext()
      else await givingWay()
      current()
    }
    this.#reached(Math.max(this.#playback.timeMs, this.nowMs))
  }

  // -- helpers --

  #assertNewest(ticket: number): void {
    if (this.#closed) throw new CodedError('cancelled', 'The replay was closed.')
    if (ticket !== this.#ticket) throw new CodedError('cancelled', 'The replay was moved to another time.')
  }

  /** The current state, if it is in this part and playback can continue from it. */
  #here(part: number): PlaybackState | null {
    return this.#index === part && !this.#playback.isOver && this.#playback.seq > 0 ? this.#playback : null
  }

  #newPlayback(
    market: Market,
    index: number,
    at: { readonly seq: number; readonly timeMs: number },
    upTo?: Pick<Target, 'seq' | 'upToMs'>,
  ): PlaybackState {
    return new PlaybackState(market, this.#parts[index], this.#cursorAt(index, at.seq, upTo), at)
  }

  #cursorAt(index: number, seq: number, upTo?: Pick<Target, 'seq' | 'upToMs'>): Cursor {
    const { session, lastSeq } = this.#parts[index]
    return new Cursor(this.#o.reader, session, seq, upTo?.seq ?? lastSeq, {
      upToMs: upTo?.upToMs,
      reusesBatches: true,
      prefersRecords: true,
    })
  }

  #keepSome(): void {
    const { seq } = this.#playback
    if (seq - Math.max(0, this.#checkpoints.newestSeq(this.#index, seq)) >= KEEP_EVERY && !this.#playback.isOver) {
      this.#checkpoints.add(this.#index, this.#playback.checkpoint())
    }
  }

  #failed(thrown: unknown): void {
    const { code, message, hint = '' } = toFailure(thrown)
    if (code === 'cancelled' || this.#closed) return
    this.#problem = { code, message, hint, closeCode: null }
    this.#pause()
    this.#o.changed()
  }
}
