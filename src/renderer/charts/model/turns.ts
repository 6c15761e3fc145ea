/**
 * When charts may paint. A chart paints at most once a frame, at once where it has not yet, and of many charts a few in
 * a frame, the others in the next: all of them together take longer than a frame has. While frames come late (no GPU,
 * nine charts, a busy machine), each paints in fewer frames, in turn, but still ten times a second, so that input and
 * prices keep their frames. Frames are injected: tests step them by hand.
 */

export type RequestFrames = (run: (nowMs: number) => void) => void

/** Frames are late above this mean, on time below that one; ms. */
const LATE_MS = 24
const ON_TIME_MS = 18
/** Frames between two looks at how late they come. */
const LOOK = 20
/** No chart waits longer. */
const LONGEST_WAIT_MS = 100
/** While frames are on time, so many charts paint in one, and all of them within so many. */
const FEW = 3

interface Waiting {
  readonly run: () => void
  asked: boolean
  /** The frame in which it last ran. */
  last: number
}

export interface Turn {
  /** Asks for one run: now, or in this chart's next frame. */
  ask(): void
  stop(): void
}

export class Turns {
  readonly #request: RequestFrames
  readonly #all = new Set<Waiting>()
  #frame = 0
  #going = false
  /** Frames from one run of a chart to its next. */
  #gap = 1
  /** Runs since the last frame began. */
  #ran = 0
  /** Of frames that followed each other since the last look: how many, and how long they took together. */
  #frames = 0
  #spent = 0
  /** When the frame before was; NaN: nobody asked for it. */
  #before = NaN
  #quiet = 0

  constructor(request: RequestFrames = (run) => requestAnimationFrame(run)) {
    this.#request = request
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
      // A chart that throws ends this frame only, and not those of all charts for good.
      // The frame after the last run tells how long that one took. Any more would cost as much as a changed cell each.
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
    if (mean > LATE_MS && (this.#gap + 1) * mean <= LONGEST_WAIT_MS) this.#gap++
    else if (this.#gap > 1 && (mean < ON_TIME_MS || this.#gap * mean > LONGEST_WAIT_MS)) this.#gap--
    this.#frames = 0
    this.#spent = 0
  }
}
