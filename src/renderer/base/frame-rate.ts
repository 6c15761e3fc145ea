/**
 * The frames in which a window shows data: each one, or about 30 per second where a frame costs too much, as without a
 * GPU. Quotes, charts, tape and fades share these frames, because every frame with a change costs layout and painting.
 * Input isn't affected.
 */
import { afterPaint } from './frames.ts'

/** Above this mean cost of a frame, ms, the rate is reduced; below the other one, each frame shows data again. */
const COSTLY_MS = 12
const CHEAP_MS = 9
/** A single long task counts as no more than this, ms. */
const MOST_MS = 40
/** Data frames between two decisions. */
const LOOK = 20
/** Time between data frames at the reduced rate, ms. Frames come early and late, so half a frame less will do. */
const REDUCED_MS = 1_000 / 30
const EARLY_MS = 8
const FRAME_MS = 1_000 / 60

export interface FrameClocks {
  /** Calls back before the next paint. */
  readonly request: (run: (nowMs: number) => void) => void
  /** Calls back after the current frame was painted. */
  readonly painted: (run: () => void) => void
  /** Any steady clock, ms. */
  readonly now: () => number
  /** Reports an error of what ran in a frame. */
  readonly failed: (thrown: unknown) => void
}

const PAGE: FrameClocks = {
  request: (run) => requestAnimationFrame(run),
  painted: afterPaint,
  now: () => performance.now(),
  failed: (thrown) => reportError(thrown),
}

export class FrameRate {
  readonly #clocks: FrameClocks
  #adapts = false
  #isReduced = false
  /** What waits for the next data frame, and for the frame before it. */
  #data: ((nowMs: number) => void)[] = []
  #ahead: ((nowMs: number) => void)[] = []
  #asked = false
  /** Time of the last data frame, ms. */
  #last = -Infinity
  /** A frame without data came after it. */
  #rested = false
  #frames = 0
  #spentMs = 0

  constructor(clocks: FrameClocks = PAGE) {
    this.#clocks = clocks
  }

  /** Whether data is shown about 30 times per second instead of in each frame. */
  get isReduced(): boolean {
    return this.#isReduced
  }

  /** How much longer than a frame the interval between data frames is meant to be, ms. */
  get restMs(): number {
    return this.#isReduced ? REDUCED_MS - FRAME_MS : 0
  }

  /** Measures frames from now on. Until then, each one shows data. */
  start(): void {
    this.#adapts = true
  }

  /** Calls back in the next data frame, before its paint. */
  readonly data = (run: (nowMs: number) => void): void => {
    this.#data.push(run)
    this.#ask()
  }

  /**
   * Calls back in a frame before the next data frame, in time to request what it will show; in the data frame itself if
   * there is no frame in between.
   */
  readonly ahead = (run: (nowMs: number) => void): void => {
    this.#ahead.push(run)
    this.#ask()
  }

  #ask(): void {
    if (this.#asked) return
    this.#asked = true
    this.#clocks.request((now) => this.#frame(now))
  }

  #frame(now: number): void {
    this.#asked = false
    const isDue = this.#data.length > 0 && (!this.#isReduced || now - this.#last >= REDUCED_MS - EARLY_MS)
    const data = isDue ? this.#data : []
    const ahead = isDue && this.#isReduced && this.#rested ? [] : this.#ahead
    if (isDue) this.#data = []
    if (ahead === this.#ahead) this.#ahead = []
    this.#rested = !isDue
    if (isDue) {
      this.#last = now
      if (this.#adapts) this.#measure()
    }
    for (const run of [...ahead, ...data]) {
      // One failing pane doesn't stop the others.
      try {
        run(now)
      } catch (thrown) {
        this.#clocks.failed(thrown)
      }
    }
    if (this.#data.length + this.#ahead.length > 0) this.#ask()
  }

  #measure(): void {
    const startMs = this.#clocks.now()
    this.#clocks.painted(() => {
      this.#spentMs += Math.min(this.#clocks.now() - startMs, MOST_MS)
      if (++this.#frames < LOOK) return
      const mean = this.#spentMs / this.#frames
      this.#isReduced = this.#isReduced ? mean > CHEAP_MS : mean > COSTLY_MS
      this.#frames = this.#spentMs = 0
    })
  }
}

export const frameRate = new FrameRate()
