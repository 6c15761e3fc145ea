/** The replay a window shows, if any: its state, bookmarks, gaps and controls. */
import { LatestRun } from '../../base/latest-run.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import type { Failure, Result } from '../../../shared/base/errors.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { Gap } from '../../../shared/core/recording/session.ts'
import type { ReplayBookmark, ReplaySpeed, ReplayState } from '../../../shared/features/replay/replay.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { AssetClass, InstrumentId } from '../../../shared/base/units.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { speedAfter } from '../../text/replay-labels.ts'
import { Timeline } from './timeline.svelte.ts'
import type { Span } from '../../../shared/base/spans.ts'

export const STEP_UNITS = ['message', 'second', 'bar'] as const
export type StepUnit = (typeof STEP_UNITS)[number]
export type SeekTarget = CallArgs<'replay.seek'>['to']

export interface ReplayWindow {
  readonly transport: Transport
  /** The replay shown; null while the window shows the live market. */
  readonly replaying: ReplayState | null
  showReplay(state: ReplayState | null): void
  /** Incremented on each jump, so that values changed by the jump don't flash. */
  epoch: number
}

/** A shorter loop range clears the loop, ms. */
const MIN_LOOP_MS = 100
const REVIVE_EVERY_MS = 5_000
const MARKS_EVERY_MS = 10_000

export class Replay {
  opening = $state(false)
  /** Target of the seek in progress, UTC ms, so the cursor follows the pointer; null if none. */
  aimMs = $state<number | null>(null)
  unit = $state<StepUnit>('message')
  bookmarks = $state.raw<readonly ReplayBookmark[]>([])
  gaps = $state.raw<readonly Gap[]>([])
  /** Incremented when bookmarks or gaps are reloaded, so the timeline redraws. */
  marksVersion = $state(0)
  readonly timeline: Timeline
  /** The replay shown, unless more may be recorded. An effect that reads the whole state would run with each message. */
  readonly #wholeId = $derived.by(() => (this.state === null || this.state.growing ? null : this.state.id))
  readonly #transport: Transport
  readonly #window: ReplayWindow
  readonly #failed: (failure: Failure, opening?: true) => void
  #stop: (() => void) | undefined
  #asked = 0
  #revivedAt = -Infinity
  /** End of the range whose bookmarks and gaps are loaded, UTC ms. */
  #marksToMs = Infinity
  readonly #latest = new LatestRun()
  /** A seek waits for the move before it. */
  #isSeekWaiting = false

  /** `failed` reports failures; `opening`: no replay was opened. */
  constructor(window: ReplayWindow, failed: (failure: Failure, opening?: true) => void) {
    this.#transport = window.transport
    this.#window = window
    this.#failed = failed
    this.timeline = new Timeline(window.transport)
  }

  /** The replay's state; null while the window shows the live market. */
  get state(): ReplayState | null {
    return this.#window.replaying
  }

  /** The replay's clock, or the target of a seek in progress, UTC ms; null without a replay. */
  get cursorMs(): number | null {
    return this.state === null ? null : (this.aimMs ?? this.state.nowMs)
  }

  /**
   * Opens sessions of one source in place of what the window shows. Unless `alone`, also opens the other sessions of
   * their team at that time. `atMs` null: at the first frame with something to see. Returns true on success.
   */
  async open(sessions: readonly string[], atMs: number | null, alone = false): Promise<boolean> {
    const asked = ++this.#asked
    this.opening = true
    const at = atMs ?? 'first frame'
    const result = await this.#transport.invoke('replay.open', { sessions: [...sessions], atMs: at, team: !alone })
    if (asked !== this.#asked) {
      // A later request replaced this one.
      if (result.ok) void this.#transport.invoke('replay.close', { id: result.value.id })
      return false
    }
    this.opening = false
    if (!result.ok) {
      this.#failed(result.error, true)
      return false
    }
    this.#leave()
    this.#enter(result.value)
    return true
  }

  #enter(first: ReplayState): void {
    const { id } = first
    this.timeline.setRange(id, first.fromMs, first.toMs)
    this.#window.showReplay(first)
    this.#stop = keepStream(
      this.#transport,
      'replay',
      { id },
      (state) => this.#take(state),
      (failure) => {
        // A restarted terminal doesn't know this replay: open it again at the same position.
        if (failure.code === 'not-found') void this.#revive()
      },
    )
    void this.loadMarks()
  }

  #take(state: ReplayState): void {
    const before = this.state
    if (before?.id !== state.id) return
    const jumped = (before.seeking && !state.seeking) || state.nowMs < before.nowMs
    this.timeline.setRange(state.id, state.fromMs, state.toMs)
    if (jumped) this.#window.epoch++
    this.#window.showReplay(state)
    // A session that is still recording gets new gaps; reloading them every few seconds is enough.
    if (state.toMs - this.#marksToMs >= MARKS_EVERY_MS) void this.loadMarks()
  }

  async #revive(): Promise<void> {
    const last = this.state
    if (!last) return
    // Retry once: if the replay is lost again right away, give up.
    if (performance.now() - this.#revivedAt < REVIVE_EVERY_MS) return this.close()
    this.#revivedAt = performance.now()
    this.#stop?.()
    this.#stop = undefined
    const opened = await this.open(last.opened, last.nowMs, !last.team)
    if (!opened && this.state === last) this.close()
  }

  /** Closes the current replay without changing what the window shows. */
  #leave(): void {
    const { state } = this
    this.#stop?.()
    this.#stop = undefined
    this.#latest.drop()
    this.#isSeekWaiting = false
    this.aimMs = null
    this.bookmarks = []
    this.gaps = []
    if (state) void this.#transport.invoke('replay.close', { id: state.id })
  }

  /** Closes the replay and shows the live market. */
  close(): void {
    this.#asked++
    this.opening = false
    if (!this.state) return
    this.#leave()
    this.#window.showReplay(null)
  }

  /** Closes the replay because its window is closing. */
  dispose(): void {
    this.#asked++
    this.#leave()
  }

  /** Asks the terminal to close the replay. For a page that is about to unload. */
  abandon(): void {
    if (this.state) void this.#transport.invoke('replay.close', { id: this.state.id })
  }

  #failedUnless(result: Result<unknown>): void {
    if (!result.ok) this.#failed(result.error)
  }

  play(on: boolean): void {
    const { state } = this
    if (!state) return
    this.#latest.drop()
    this.#isSeekWaiting = false
    void this.#transport.invoke('replay.play', { id: state.id, on }).then((result) => this.#failedUnless(result))
  }
  /** Plays or pauses. At the end, plays again from the start. */
  toggle(): void {
    const { state } = this
    if (!state) return
    if (state.playing || !state.ended || state.loop) return this.play(!state.playing)
    this.seek({ at: 'start' }, () => this.play(true))
  }
  setSpeed(speed: ReplaySpeed): void {
    const { state } = this
    if (!state) return
    void this.#transport.invoke('replay.speed', { id: state.id, speed }).then((result) => this.#failedUnless(result))
  }
  /** Switches to the next faster (1) or slower (-1) speed. */
  changeSpeed(by: 1 | -1): void {
    if (this.state) this.setSpeed(speedAfter(this.state.speed, by))
  }
  setSkipIdle(skipIdle: boolean): void {
    this.#options({ skipIdle })
  }
  /** Loops a range, whose ends may be in either order; null clears the loop. Returns the loop, null if too short. */
  setLoop(loop: Span | null): Span | null {
    const [fromMs = 0, toMs = 0] = loop ? [loop.fromMs, loop.toMs].sort((a, b) => a - b) : []
    const set = toMs - fromMs < MIN_LOOP_MS ? null : { fromMs, toMs }
    this.#options({ loop: set })
    return set
  }
  /** Moves one edge of the loop to the cursor. The other edge stays, or falls back to that end of the replay. */
  loopEdge(edge: 'from' | 'to'): Span | null {
    const { state, cursorMs } = this
    if (!state || cursorMs === null) return null
    const { fromMs, toMs } = state.loop ?? state
    return edge === 'from'
      ? this.setLoop({ fromMs: cursorMs, toMs: toMs > cursorMs ? toMs : state.toMs })
      : this.setLoop({ fromMs: fromMs < cursorMs ? fromMs : state.fromMs, toMs: cursorMs })
  }
  #options(options: Omit<CallArgs<'replay.options'>, 'id'>): void {
    const { state } = this
    if (!state) return
    void this.#transport
      .invoke('replay.options', { id: state.id, ...options })
      .then((result) => this.#failedUnless(result))
  }

  /** Seeks. While a seek is in progress, only the latest request is queued. `then` runs once the seek is done. */
  seek(to: SeekTarget, then?: () => void): void {
    const { state } = this
    if (!state) return
    const target = to.at === 'ms' ? { ...to, ms: Math.min(Math.max(to.ms, state.fromMs), state.toMs) } : to
    this.aimMs =
      target.at === 'ms' ? target.ms : target.at === 'start' ? state.fromMs : target.at === 'end' ? state.toMs : null
    this.#window.epoch++
    const task = this.#mover(() => this.#transport.invoke('replay.seek', { id: state.id, to: target }), true, then)
    this.#isSeekWaiting = true
    this.#latest.run(() => {
      this.#isSeekWaiting = false
      return task()
    })
  }
  step(by: StepUnit, forward: boolean, interval: Interval, asset: AssetClass): void {
    const { state } = this
    if (!state) return
    const task = this.#mover(
      () => this.#transport.invoke('replay.step', { id: state.id, by, forward, interval, asset }),
      !forward,
    )
    // A step begins where a seek ends: it must not replace one that waits.
    if (this.#isSeekWaiting) this.#latest.follow(task)
    else this.#latest.run(task)
  }

  #mover(ask: () => Promise<Result<ReplayState>>, jumps: boolean, then?: () => void): () => Promise<void> {
    return async () => {
      const result = await ask()
      if (!this.#latest.isWaiting) this.aimMs = null
      if (!result.ok) {
        // A later move replaced this one and reports its own result.
        if (result.error.code !== 'cancelled') this.#failed(result.error)
        return
      }
      if (this.state?.id !== result.value.id) return
      if (jumps) this.#window.epoch++
      this.#window.showReplay(result.value)
      then?.()
    }
  }

  /** Whether nothing of an instrument was recorded in the replay shown. False if that can't be read. */
  async lacks(instrument: InstrumentId): Promise<boolean> {
    const id = this.#wholeId
    if (id === null) return false
    const result = await this.#transport.invoke('replay.lacks', { id, instrument })
    return result.ok && result.value
  }
  /** Loads the bookmarks and gaps of the whole replay. */
  async loadMarks(): Promise<void> {
    const { state } = this
    if (!state) return
    const { id, fromMs, toMs } = state
    this.#marksToMs = toMs
    const result = await this.#transport.invoke('replay.timeline', { id, fromMs, toMs: toMs + 1, buckets: 1 })
    if (this.state?.id !== id) return
    if (!result.ok) return this.#failed(result.error)
    this.bookmarks = result.value.bookmarks.toSorted((a, b) => a.atMs - b.atMs)
    this.gaps = result.value.gaps.toSorted((a, b) => a.fromMs - b.fromMs)
    this.marksVersion++
  }

  /** Adds a bookmark at the position in `state`. True on success. */
  async addBookmark(text: string, state: ReplayState): Promise<boolean> {
    const session = state.at?.session ?? state.sessions[0]?.session
    if (session === undefined) return false
    const result = await this.#transport.invoke('bookmarks.add', {
      session,
      atMs: state.nowMs,
      seq: state.at ? state.at.seq + 1 : null,
      text: text.trim().slice(0, 200),
    })
    this.#failedUnless(result)
    await this.loadMarks()
    return result.ok
  }
  async removeBookmark(bookmark: ReplayBookmark): Promise<boolean> {
    const result = await this.#transport.invoke('bookmarks.remove', { bookmark: bookmark.id })
    this.#failedUnless(result)
    await this.loadMarks()
    return result.ok
  }
  async restoreBookmark({ session, atMs, seq, text }: ReplayBookmark): Promise<void> {
    this.#failedUnless(await this.#transport.invoke('bookmarks.add', { session, atMs, seq, text }))
    await this.loadMarks()
  }
}
