/**
 * The frames in which a window shows what it received: each one, or every second one where a frame costs too much, as
 * without a GPU. Quotes, charts, tape and fades share these frames, because each further frame costs layout, painting and
 * handing over whatever changed. Input isn't paced.
 */
import { afterPaint } from './frames.ts'

/** Above this mean cost of a frame, ms, every second frame shows data; below the other one, each. */
const COSTLY_MS = 12
const CHEAP_MS = 9
/** Data frames between two decisions. */
const LOOK = 20
/** Time between data frames while they are costly, ms. Frames come early and late, so half a frame less will do. */
const PACED_MS = 1_000 / 30
const EARLY_MS = 8

export interface PaceClocks {
  /** Calls back before the next paint. */
  readonly request: (run: (nowMs: number) => void) => void
  /** Calls back after the current frame was painted. */
  readonly painted: (run: () => void) => void
  /** Any steady clock, ms. */
  readonly now: () => number
  /** Reports an error of what ran in a frame. */
  readonly failed: (thrown: unknown) => void
}

const PAGE: PaceClocks = {
  request: (run) => requestAnimationFrame(run),
  painted: afterPaint,
  now: () => performance.now(),
  failed: (thrown) => reportError(thrown),
}

export class Pace {
  readonly #clocks: PaceClocks
  #adapts = false
  #isPaced = false
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

  constructor(clocks: PaceClocks = PAGE) {
    this.#clocks = clocks
  }

  /** Whether only every second frame shows data. */
  get isPaced(): boolean {
    return this.#isPaced
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
   * Calls back one frame before the next data frame, in time to request what it will show; in the data frame itself if
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
    const isDue = this.#data.length > 0 && (!this.#isPaced || now - this.#last >= PACED_MS - EARLY_MS)
    const data = isDue ? this.#data : []
    const ahead = isDue && this.#isPaced && this.#rested ? [] : this.#ahead
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
      this.#spentMs += this.#clocks.now() - startMs
      if (++this.#frames < LOOK) return
      const mean = this.#spentMs / this.#frames
      this.#isPaced = this.#isPaced ? mean > CHEAP_MS : mean > COSTLY_MS
      this.#frames = this.#spentMs = 0
    })
  }
}

/** The pace of this window. */
export const pace = new Pace()
