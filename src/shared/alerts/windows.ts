/** What happened in the last so many milliseconds of receipt: least and greatest price, traded volume. */

/** A queue of values with their times that only rises (sign 1) or only falls (sign -1): its head is the extreme. */
class Edge {
  readonly #sign: 1 | -1
  #values: number[] = []
  #times: number[] = []
  #head = 0

  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  /** Takes a value; answers the extreme of those not older than `fromMs`. */
  step(value: number, ms: number, fromMs: number): number {
    const { length } = this.#values
    let end = length
    while (end > this.#head && (this.#values[end - 1] - value) * this.#sign >= 0) end -= 1
    if (end < length) this.#values.length = this.#times.length = end
    this.#values.push(value)
    this.#times.push(ms)
    while (this.#times[this.#head] <= fromMs) this.#head += 1
    if (this.#head > 1_024 && this.#head * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#head)
      this.#times = this.#times.slice(this.#head)
      this.#head = 0
    }
    return this.#values[this.#head]
  }

  clear(): void {
    this.#values = []
    this.#times = []
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
  readonly #stepMs: number
  readonly #sums: Float64Array
  #step = NaN
  sum = 0

  constructor(withinMs: number) {
    this.withinMs = withinMs
    this.#stepMs = Math.max(1, withinMs / VOLUME_STEPS)
    this.#sums = new Float64Array(Math.floor(withinMs / this.#stepMs))
  }

  /** Lets go of what is too old; answers whether the sum may have fallen. Times must not decrease. */
  moveTo(ms: number): boolean {
    const step = Math.floor(ms / this.#stepMs)
    if (step === this.#step) return false
    const { length } = this.#sums
    const from = Number.isNaN(this.#step) ? step - length : Math.max(this.#step, step - length)
    for (let at = from + 1; at <= step; at += 1) this.#sums[at % length] = 0
    this.#step = step
    this.sum = 0
    for (const one of this.#sums) this.sum += one
    return true
  }

  add(size: number): void {
    const at = this.#step % this.#sums.length
    this.#sums[at] = this.#sums[at] + size
    this.sum += size
  }

  clear(): void {
    this.#sums.fill(0)
    this.#step = NaN
    this.sum = 0
  }
}
