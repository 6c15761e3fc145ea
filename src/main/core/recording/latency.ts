/** Percentiles of a stream of durations in constant memory: buckets are 5 % wide, and older durations fade. */
import type { Percentiles } from '../../../shared/core/status/status.ts'

const BUCKETS = 400
const MIN_MS = 0.001
const STEP = Math.log(1.05)
const FADE_AT = 20_000

export class LatencyHistogram {
  readonly #counts = new Float64Array(BUCKETS)
  #total = 0
  #max = 0

  /** Adds a duration, ms. */
  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, MIN_MS) / MIN_MS) / STEP)
    const at = Math.min(BUCKETS - 1, Math.max(0, bucket))
    this.#counts[at] = this.#counts[at] + 1
    this.#total++
    if (ms > this.#max) this.#max = ms
    if (this.#total >= FADE_AT) this.#fade()
  }

  /** Null before the first duration. A percentile is at most 5 % too high. */
  percentiles(): Percentiles | null {
    if (this.#total === 0) return null
    return { p50: this.#at(0.5), p99: this.#at(0.99), max: this.#max }
  }

  #at(share: number): number {
    let left = this.#total * share
    for (let i = 0; i < BUCKETS; i++) {
      left -= this.#counts[i]
      if (left <= 0) return Math.min(this.#max, MIN_MS * Math.exp(i * STEP))
    }
    return this.#max
  }

  #fade(): void {
    this.#total = 0
    let highest = 0
    for (let i = 0; i < BUCKETS; i++) {
      const half = Math.floor(this.#counts[i] / 2)
      this.#counts[i] = half
      this.#total += half
      if (half > 0) highest = i
    }
    this.#max = Math.min(this.#max, MIN_MS * Math.exp(highest * STEP))
  }
}
