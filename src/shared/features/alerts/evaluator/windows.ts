/** Lowest and highest price, and traded volume, over a window of milliseconds by receive time. */

const MIN_ROOM = 16

/** A queue of values with their times that only rises (sign 1) or only falls (sign -1). Its head is the extreme. */
class Edge {
  readonly #sign: 1 | -1
  /** A ring indexed by `& mask`, with at least one free slot. */
  #values = new Float64Array(MIN_ROOM)
  #times = new Float64Array(MIN_ROOM)
  #mask = MIN_ROOM - 1
  #head = 0
  #end = 0

  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  /** Takes a value and returns the extreme of those newer than `fromMs`. */
  step(value: number, ms: number, fromMs: number): number {
    const values = this.#values
    const times = this.#times
    const mask = this.#mask
    const sign = this.#sign
    let head = this.#head
    let end = this.#end
    while (end !== head && (values[(end - 1) & mask] - value) * sign >= 0) end = (end - 1) & mask
    values[end] = value
    times[end] = ms
    end = (end + 1) & mask
    while (times[head] <= fromMs) head = (head + 1) & mask
    this.#head = head
    this.#end = end
    const extreme = values[head]
    if (((end + 1) & mask) === head) this.#grow()
    return extreme
  }

  clear(): void {
    this.#values = new Float64Array(MIN_ROOM)
    this.#times = new Float64Array(MIN_ROOM)
    this.#mask = MIN_ROOM - 1
    this.#head = this.#end = 0
  }

  #grow(): void {
    const room = this.#mask + 1
    const values = new Float64Array(room * 2)
    const times = new Float64Array(room * 2)
    const tail = room - this.#head
    values.set(this.#values.subarray(this.#head))
    values.set(this.#values.subarray(0, this.#end), tail)
    times.set(this.#times.subarray(this.#head))
    times.set(this.#times.subarray(0, this.#end), tail)
    this.#end = (this.#end - this.#head) & this.#mask
    this.#values = values
    this.#times = times
    this.#mask = room * 2 - 1
    this.#head = 0
  }
}

/** How far a price is from the lowest and highest of (now - withinMs, now]. */
export class MoveWindow {
  readonly withinMs: number
  readonly #least = new Edge(1)
  readonly #greatest = new Edge(-1)
  /** Percent above the lowest and below the highest; 0 or more. */
  up = 0
  down = 0

  constructor(withinMs: number) {
    this.withinMs = withinMs
  }

  /** Takes a price above zero. Times must not decrease. */
  step(price: number, ms: number): void {
    const fromMs = ms - this.withinMs
    this.up = (price / this.#least.step(price, ms, fromMs) - 1) * 100
    this.down = (1 - price / this.#greatest.step(price, ms, fromMs)) * 100
  }

  clear(): void {
    this.#least.clear()
    this.#greatest.clear()
    this.up = this.down = 0
  }
}

/** The number of steps in a window of volume. */
export const VOLUME_STEPS = 120

/**
 * Sizes are counted in billionths: ten times 0.1 is 1. Sums are exact up to nine million; beyond, they are inexact in their
 * last bits, as sums of sizes would be.
 */
const PARTS = 1e9

/**
 * Volume of the last `withinMs`, in steps of a 120th of it (at least 1 ms). It never counts anything older and can miss
 * up to one step at its far end.
 */
export class VolumeWindow {
  readonly withinMs: number
  readonly #sums: Float64Array
  #step = NaN
  #at = 0
  /** Before this time it is certainly the same step; at this time, the division decides. */
  #sameBeforeMs = -Infinity
  #sum = 0

  constructor(withinMs: number) {
    this.withinMs = withinMs
    this.#sums = new Float64Array(Math.min(VOLUME_STEPS, withinMs))
  }

  get sum(): number {
    return this.#sum / PARTS
  }

  /** Drops what is too old (`ms`: an integer) and returns whether the sum may have fallen. Times must not decrease. */
  moveTo(ms: number): boolean {
    if (ms < this.#sameBeforeMs) return false
    const { length } = this.#sums
    // These integers are below 2^53, so the quotient is never rounded up to an integer.
    const step = Math.floor((ms * length) / this.withinMs)
    if (step === this.#step) return false
    const from = Number.isNaN(this.#step) ? step - length : Math.max(this.#step, step - length)
    for (let at = from + 1; at <= step; at += 1) this.#sums[at % length] = 0
    this.#step = step
    this.#at = step % length
    // Minus 1 ms, because thirds of a step are rounded.
    this.#sameBeforeMs = ((step + 1) * this.withinMs) / length - 1
    this.#sum = 0
    for (const one of this.#sums) this.#sum += one
    return true
  }

  add(size: number): void {
    const parts = Math.round(size * PARTS)
    this.#sums[this.#at] = this.#sums[this.#at] + parts
    this.#sum += parts
  }

  clear(): void {
    this.#sums.fill(0)
    this.#step = NaN
    this.#sameBeforeMs = -Infinity
    this.#sum = 0
  }
}
