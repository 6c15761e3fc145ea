/** What happened in the last so many milliseconds of receipt: least and greatest price, traded volume. */

const LEAST_ROOM = 16

/** A queue of values with their times that only rises (sign 1) or only falls (sign -1): its head is the extreme. */
class Edge {
  readonly #sign: 1 | -1
  /** A ring: places are taken by `& mask`, and there is always a free one. */
  #values = new Float64Array(LEAST_ROOM)
  #times = new Float64Array(LEAST_ROOM)
  #mask = LEAST_ROOM - 1
  #head = 0
  #end = 0

  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  /** Takes a value; answers the extreme of those not older than `fromMs`. */
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
    this.#values = new Float64Array(LEAST_ROOM)
    this.#times = new Float64Array(LEAST_ROOM)
    this.#mask = LEAST_ROOM - 1
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

/** How far a price is from the least and the greatest of the last `withinMs`: (now - withinMs, now]. */
export class MoveWindow {
  readonly withinMs: number
  readonly #least = new Edge(1)
  readonly #greatest = new Edge(-1)
  /** Percent above the least and below the greatest; 0 and more. */
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

/** A window's volume moves on in so many steps. */
export const VOLUME_STEPS = 120

/**
 * Volume of the last `withinMs`, in steps of a 120th of it (a millisecond at least): what is counted is never
 * older than `withinMs`, and may be short of up to one step at its far end. The sum is taken anew at each
 * step, so that rounding does not gather.
 */
export class VolumeWindow {
  readonly withinMs: number
  readonly #sums: Float64Array
  #step = NaN
  #at = 0
  /** Before this instant it is the same step for sure; at it, the division says. */
  #sameBeforeMs = -Infinity
  sum = 0

  constructor(withinMs: number) {
    this.withinMs = withinMs
    this.#sums = new Float64Array(Math.min(VOLUME_STEPS, withinMs))
  }

  /** Lets go of what is too old (`ms`: whole); answers whether the sum may have fallen. Times must not decrease. */
  moveTo(ms: number): boolean {
    if (ms < this.#sameBeforeMs) return false
    const { length } = this.#sums
    // Whole numbers below 2^53, of which the quotient is never rounded up to a whole one.
    const step = Math.floor((ms * length) / this.withinMs)
    if (step === this.#step) return false
    const from = Number.isNaN(this.#step) ? step - length : Math.max(this.#step, step - length)
    for (let at = from + 1; at <= step; at += 1) this.#sums[at % length] = 0
    this.#step = step
    this.#at = step % length
    // Less a millisecond, as steps of a third of one round.
    this.#sameBeforeMs = ((step + 1) * this.withinMs) / length - 1
    this.sum = 0
    for (const one of this.#sums) this.sum += one
    return true
  }

  add(size: number): void {
    this.#sums[this.#at] = this.#sums[this.#at] + size
    this.sum += size
  }

  clear(): void {
    this.#sums.fill(0)
    this.#step = NaN
    this.#sameBeforeMs = -Infinity
    this.sum = 0
  }
}
