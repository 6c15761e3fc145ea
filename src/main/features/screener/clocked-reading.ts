/** What a view's screener reads at intervals, as of the view's clock. */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import type { View } from '../../core/views/views.ts'

/** How old a reading may get, real ms: live, and in a replay whose clock moved. */
const LIVE_MS = 15_000
const REPLAY_MS = 2_000
/** How many passes one caller waits for, because a replay can go back during each. */
const MAX_PASSES = 3

export interface Reading<T> {
  /** The view's clock when reading began, UTC ms: everything is at least as recent. */
  readonly atMs: number
  /** The latest clock that any part was read at, UTC ms. */
  readonly upToMs: number
  readonly value: T
}

/** A reading in progress. */
export interface Pass {
  readonly atMs: number
  /** How many parts have been read, and of how many. */
  readonly progress: { done: number; total: number }
  /** Whether the result is no longer needed. */
  isOver(): boolean
  /** Reads one part. The result of the pass then counts as of the clock at its end. */
  part<R>(read: () => Promise<R>): Promise<R>
}

export interface ClockedReadingParts<T> {
  readonly view: Pick<View, 'live' | 'wallMs'>
  /** Real time, ms. */
  readonly realMs: () => number
  /** Called when something was read, or couldn't be. */
  readonly changed: () => void
  readonly read: (pass: Pass) => Promise<T>
}

interface Running extends Pass {
  upToMs: number
  ended: Promise<void>
}

/**
 * The newest reading, until the view's clock is before anything in it: a replay never shows what comes later. A pass
 * that fails leaves the reading before it and says why.
 */
export class ClockedReading<T> {
  readonly #o: ClockedReadingParts<T>
  #newest: Reading<T> | undefined
  #problem = ''
  #thrown: unknown
  #endedRealMs = -Infinity
  #running: Running | undefined
  #closed = false

  constructor(parts: ClockedReadingParts<T>) {
    this.#o = parts
  }

  get current(): Reading<T> | undefined {
    if (this.#newest !== undefined && this.#newest.upToMs > this.#o.view.wallMs()) this.#newest = undefined
    return this.#newest
  }
  /** Why the last pass failed; '' if it didn't. */
  get problem(): string {
    return this.#problem
  }
  /** How far the pass in progress is; null: nothing is being read. */
  get progress(): Pass['progress'] | null {
    return this.#running === undefined ? null : { ...this.#running.progress }
  }

  /** Begins a pass if one is due. */
  refresh(): void {
    if (this.#closed || this.#running !== undefined || this.#isFresh()) return
    // After a failure, or with an old reading, the next pass has to wait; without any reading it begins immediately.
    const isWaiting = this.current !== undefined || this.#problem !== ''
    const waitMs = this.#o.view.live ? LIVE_MS : REPLAY_MS
    if (!isWaiting || this.#o.realMs() - this.#endedRealMs >= waitMs) this.#begin()
  }

  /** Resolves when there is a reading as of now. Rejects with the reason if there can't be one. */
  async settle(): Promise<void> {
    if (this.#isFresh()) return
    for (let passes = 0; passes < MAX_PASSES && !this.#closed; passes++) {
      await (this.#running ?? this.#begin()).ended
      if (this.#problem !== '') throw this.#thrown
      if (this.current !== undefined) return
    }
    throw new CodedError('busy', 'The replay moved while its data was being read.', { hint: 'Try again.' })
  }

  /** Drops the pass in progress, because its clock went back. */
  interrupt(): void {
    this.#running = undefined
  }

  /** Drops what was read and what is being read. */
  forget(): void {
    this.interrupt()
    this.#newest = undefined
    this.#problem = ''
  }

  close(): void {
    this.#closed = true
    this.interrupt()
  }

  #isFresh(): boolean {
    const { view, realMs } = this.#o
    const reading = this.current
    if (reading === undefined || this.#problem !== '') return false
    return view.live ? realMs() - this.#endedRealMs < LIVE_MS : reading.atMs === view.wallMs()
  }

  #begin(): Running {
    const { wallMs } = this.#o.view
    const atMs = wallMs()
    const pass: Running = {
      atMs,
      upToMs: atMs,
      progress: { done: 0, total: 0 },
      ended: Promise.resolve(),
      isOver: () => this.#running !== pass,
      async part(read) {
        const found = await read()
        pass.upToMs = Math.max(pass.upToMs, wallMs())
        return found
      },
    }
    this.#running = pass
    pass.ended = this.#run(pass)
    return pass
  }

  async #run(pass: Running): Promise<void> {
    const { view, realMs, changed, read } = this.#o
    let reading: Reading<T> | undefined
    let problem = ''
    try {
      const value = await read(pass)
      reading = { atMs: pass.atMs, upToMs: pass.upToMs, value }
    } catch (thrown) {
      problem = messageOf(thrown)
      if (!pass.isOver()) this.#thrown = thrown
    }
    if (pass.isOver()) return
    this.#running = undefined
    this.#endedRealMs = realMs()
    this.#problem = problem
    if (reading !== undefined && reading.upToMs <= view.wallMs()) this.#newest = reading
    changed()
  }
}
