/**
 * Decides when charts paint. A chart paints at most once per frame, immediately if it hasn't yet. With many charts, a
 * few paint per frame, because all of them take longer than one frame. While frames are late (no GPU, nine charts, a
 * busy machine), charts take turns, each at least ten times per second, so that input and prices stay smooth. Frames
 * are injected: tests step them by hand.
 */

export type RequestFrames = (run: (nowMs: number) => void) => void

/** Frames are late above this mean, on time below that one; ms. */
const LATE_MS = 24
const ON_TIME_MS = 18
/** Frames between two measurements. */
const LOOK = 20
/** No chart waits longer. */
const LONGEST_WAIT_MS = 100
/** While frames are on time, this many charts paint in one frame, and all of them within this many frames. */
const FEW = 3

interface Waiting {
  readonly run: () => void
  asked: boolean
  /** The frame in which it last ran. */
  last: number
}

export interface Turn {
  /** Requests one run: now, or in this chart's next frame. */
  ask(): void
  stop(): void
}

export class Turns {
  readonly #request: RequestFrames
  readonly #restMs: () => number
  readonly #all = new Set<Waiting>()
  #frame = 0
  #going = false
  /** Frames from one run of a chart to its next. */
  #gap = 1
  /** Runs since the last frame began. */
  #ran = 0
  /** Consecutive frames since the last measurement, and their total time, ms. */
  #frames = 0
  #spent = 0
  /** Time of the previous frame, ms; NaN if none was requested. */
  #before = NaN
  #quiet = 0

  /** `restMs`: how much longer than a frame of the screen frames are meant to be, ms. */
  constructor(request: RequestFrames = (run) => requestAnimationFrame(run), restMs: () => number = () => 0) {
    this.#request = request
    this.#restMs = restMs
  }

  /** How many frames lie between two runs of one chart now. */
  get gap(): number {
    return this.#gap
  }

  /** How many charts may run in one frame. */
  get #most(): number {
    const { size } = this.#all
    return this.#gap === 1 ? Math.max(FEW, Math.ceil(size / FEW)) : Math.ceil(size / this.#gap)
  }

  register(run: () => void): Turn {
    const one: Waiting = { run, asked: false, last: -Infinity }
    this.#all.add(one)
    return {
      ask: () => {
        one.asked = true
        if (this.#gap === 1 && one.last < this.#frame && this.#ran < this.#most) this.#run(one)
        this.#go()
      },
      stop: () => void this.#all.delete(one),
    }
  }

  #run(one: Waiting): void {
    one.asked = false
    one.last = this.#frame
    this.#ran++
    this.#quiet = 0
    one.run()
  }

  #go(): void {
    if (this.#going) return
    this.#going = true
    this.#before = NaN
    this.#quiet = 0
    this.#request((now) => this.#step(now))
  }

  #step(now: number): void {
    this.#frame++
    this.#ran = 0
    this.#measure(now)
    const due = [...this.#all]
      .filter((one) => one.asked && this.#frame - one.last >= this.#gap)
      .toSorted((a, b) => a.last - b.last)
      .slice(0, this.#most)
    try {
      for (const one of due) this.#run(one)
    } finally {
      // A chart that throws ends only this frame; later frames still run.
      // One frame after the last run measures it. More idle frames would cost without a use.
      this.#quiet = [...this.#all].some((one) => one.asked) ? 0 : this.#quiet + 1
      this.#going = this.#quiet < 2
      if (this.#going) this.#request((next) => this.#step(next))
    }
  }

  #measure(now: number): void {
    const before = this.#before
    this.#before = now
    if (Number.isNaN(before)) return
    this.#spent += now - before
    if (++this.#frames < LOOK) return
    const mean = this.#spent / this.#frames
    const lateMs = mean - this.#restMs()
    if (lateMs > LATE_MS && (this.#gap + 1) * mean <= LONGEST_WAIT_MS) this.#gap++
    else if (this.#gap > 1 && (lateMs < ON_TIME_MS || this.#gap * mean > LONGEST_WAIT_MS)) this.#gap--
    this.#frames = 0
    this.#spent = 0
  }
}
