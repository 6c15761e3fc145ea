/** Percentiles of latencies over about the last minute, in fixed memory. */

const TOP_MS = 10_000
/** One bucket per millisecond up to 100, then buckets of 1 %, so a percentile is never off by more than that. */
const LINEAR = 100
const BUCKETS = LINEAR + Math.ceil(Math.log(TOP_MS / LINEAR) / Math.log(1.01)) + 1

function bucketOf(ms: number): number {
  if (!(ms > 0)) return 0
  if (ms < LINEAR) return Math.floor(ms)
  return Math.min(BUCKETS - 1, LINEAR + Math.floor(Math.log(ms / LINEAR) / Math.log(1.01)))
}
function upperOf(bucket: number): number {
  return bucket < LINEAR ? bucket + 1 : LINEAR * 1.01 ** (bucket - LINEAR + 1)
}

export interface LatencyPercentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly samples: number
}

/** Alternates between two halves, so old samples expire without keeping a list of them. */
export class LatencyWindow {
  readonly #halfMs: number
  #now = new Uint32Array(BUCKETS)
  #before = new Uint32Array(BUCKETS)
  #maxNow = 0
  #maxBefore = 0
  #turnAt = -Infinity

  /** `halfMs`: half the length of the window. */
  constructor(halfMs = 30_000) {
    this.#halfMs = halfMs
  }

  /** Adds a latency in ms, measured at `atMs` on any steady clock. Ignores negative ones (clock steps). */
  add(ms: number, atMs: number): void {
    this.#turn(atMs)
    if (!Number.isFinite(ms) || ms < 0) return
    const bucket = bucketOf(ms)
    this.#now[bucket] = (this.#now[bucket] ?? 0) + 1
    if (ms > this.#maxNow) this.#maxNow = ms
  }

  #turn(atMs: number): void {
    if (this.#turnAt === -Infinity) this.#turnAt = atMs
    if (atMs - this.#turnAt < this.#halfMs) return
    const stale = atMs - this.#turnAt >= 2 * this.#halfMs
    const old = this.#before
    this.#before = stale ? old : this.#now
    this.#maxBefore = stale ? 0 : this.#maxNow
    this.#now = stale ? this.#now.fill(0) : old
    if (stale) this.#before.fill(0)
    this.#now.fill(0)
    this.#maxNow = 0
    this.#turnAt = atMs
  }

  /** Upper bounds of the buckets that hold the percentiles; undefined without samples. */
  read(atMs: number): LatencyPercentiles | undefined {
    this.#turn(atMs)
    let samples = 0
    for (let i = 0; i < BUCKETS; i++) samples += (this.#now[i] ?? 0) + (this.#before[i] ?? 0)
    if (samples === 0) return undefined
    const max = Math.max(this.#maxNow, this.#maxBefore)
    const at = (share: number): number => {
      let left = Math.ceil(samples * share)
      for (let i = 0; i < BUCKETS; i++) {
        left -= (this.#now[i] ?? 0) + (this.#before[i] ?? 0)
        if (left <= 0) return Math.min(upperOf(i), max)
      }
      return max
    }
    return { p50: at(0.5), p99: at(0.99), max, samples }
  }
}
