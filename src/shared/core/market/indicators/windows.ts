/** The last n values with their sum, spread and extremes, each O(1) per value. */
import { ABSENT, lookingBack, type Smoother } from './indicator.ts'

/** A smoother that ignores NaN. `add` gets the value and what `look` found for it. */
function smoother(look: (value: number) => number, add: (value: number, found: number) => void): Smoother {
  return lookingBack(
    (value) => (Number.isNaN(value) ? ABSENT : look(value)),
    (value, found) => {
      if (!Number.isNaN(value)) add(value, found)
    },
  )
}

/** A ring of the last `size` values. */
class Ring {
  readonly values: Float64Array
  count = 0
  constructor(size: number) {
    this.values = new Float64Array(size)
  }
  /** The value that the next one replaces; 0 while there is room. */
  get leaving(): number {
    return this.count < this.values.length ? 0 : this.values[this.count % this.values.length]
  }
  push(value: number): void {
    this.values[this.count % this.values.length] = value
    this.count++
  }
}

/**
 * Mean and population deviation of the last n values. The sums are recomputed once per round of the ring, so rounding
 * errors don't accumulate over a million bars.
 */
export class Window {
  readonly #ring: Ring
  readonly #n: number
  /** Sums are relative to this, which keeps the squares small. */
  #base = 0
  #sum = 0
  #squares = 0

  constructor(n: number) {
    this.#n = n
    this.#ring = new Ring(n)
  }

  /** Mean and deviation as if `value` were the next; NaN before n values. */
  peek(value: number): { readonly mean: number; readonly deviation: number } {
    if (this.#ring.count + 1 < this.#n) return { mean: ABSENT, deviation: ABSENT }
    const leaving = this.#ring.count < this.#n ? 0 : this.#ring.leaving - this.#base
    const entering = value - (this.#ring.count === 0 ? value : this.#base)
    const base = this.#ring.count === 0 ? value : this.#base
    const sum = this.#sum - leaving + entering
    const squares = this.#squares - leaving * leaving + entering * entering
    const mean = sum / this.#n
    return { mean: base + mean, deviation: Math.sqrt(Math.max(0, squares / this.#n - mean * mean)) }
  }

  push(value: number): void {
    if (this.#ring.count === 0) this.#base = value
    const leaving = this.#ring.count < this.#n ? 0 : this.#ring.leaving - this.#base
    const entering = value - this.#base
    this.#ring.push(value)
    this.#sum += entering - leaving
    this.#squares += entering * entering - leaving * leaving
    if (this.#ring.count % this.#n === 0) this.#rebase(value)
  }

  #rebase(base: number): void {
    this.#base = base
    this.#sum = 0
    this.#squares = 0
    for (const value of this.#ring.values) {
      this.#sum += value - base
      this.#squares += (value - base) * (value - base)
    }
  }
}

/** The greatest (sign 1) or least (sign -1) of the last n values, as a queue that only falls. */
export class Extreme {
  readonly #n: number
  readonly #sign: 1 | -1
  #queue: { readonly at: number; readonly value: number }[] = []
  #head = 0
  #count = 0

  constructor(n: number, sign: 1 | -1) {
    this.#n = n
    this.#sign = sign
  }

  /** As if `value` were the next; NaN before n values. */
  peek(value: number): number {
    if (this.#count + 1 < this.#n) return ABSENT
    let head = this.#head
    while (head < this.#queue.length && this.#queue[head].at <= this.#count - this.#n) head++
    const best = head < this.#queue.length ? this.#queue[head].value : value
    return (best - value) * this.#sign > 0 ? best : value
  }

  /** How many values ago it was, as if `value` were the next; of equal ones the newest. NaN before n values. */
  peekAge(value: number): number {
    if (this.#count + 1 < this.#n) return ABSENT
    const best = this.#queue.findIndex(({ at }, i) => i >= this.#head && at > this.#count - this.#n)
    return best < 0 || (this.#queue[best].value - value) * this.#sign <= 0 ? 0 : this.#count - this.#queue[best].at
  }

  push(value: number): void {
    while (this.#queue.length > this.#head && (this.#queue[this.#queue.length - 1].value - value) * this.#sign <= 0) {
      this.#queue.pop()
    }
    this.#queue.push({ at: this.#count, value })
    this.#count++
    while (this.#queue[this.#head].at <= this.#count - 1 - this.#n) this.#head++
    if (this.#head > 1_024) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
  }
}

/** The last n values, for computations that need each one. */
export class Lookback {
  readonly #ring: Ring
  readonly #n: number

  constructor(n: number) {
    this.#n = n
    this.#ring = new Ring(n)
  }

  /** Mean and mean absolute deviation as if `value` were the next, in n steps; NaN before n values. */
  spread(value: number): { readonly mean: number; readonly deviation: number } {
    const { count, values } = this.#ring
    if (count + 1 < this.#n) return { mean: ABSENT, deviation: ABSENT }
    const skipped = count < this.#n ? -1 : count % this.#n
    const length = Math.min(count, this.#n)
    let sum = value
    for (let i = 0; i < length; i++) if (i !== skipped) sum += values[i]
    const mean = sum / this.#n
    let apart = Math.abs(value - mean)
    for (let i = 0; i < length; i++) if (i !== skipped) apart += Math.abs(values[i] - mean)
    return { mean, deviation: apart / this.#n }
  }

  push(value: number): void {
    this.#ring.push(value)
  }
}

/** Linearly weighted moving average: the newest of n values counts n times, the oldest once. */
export function weighted(n: number): Smoother {
  const ring = new Ring(n)
  const weights = (n * (n + 1)) / 2
  /** The sums are relative to `base`, which keeps them small, and recomputed once per round of the ring. */
  let base = 0
  let sum = 0
  let mass = 0
  const next = (value: number): { readonly sum: number; readonly mass: number } => {
    const entering = value - base
    if (ring.count < n) return { sum: sum + entering, mass: mass + (ring.count + 1) * entering }
    return { sum: sum - (ring.leaving - base) + entering, mass: mass - sum + n * entering }
  }
  const average = (value: number): number =>
    ring.count + 1 < n ? ABSENT : ring.count === 0 ? value : base + next(value).mass / weights
  return smoother(average, (value) => {
    if (ring.count === 0) base = value
    ;({ sum, mass } = next(value))
    ring.push(value)
    if (ring.count % n !== 0) return
    base = value
    sum = 0
    mass = 0
    // The ring has just completed a round, so its values are in order.
    ring.values.forEach((one, i) => {
      sum += one - base
      mass += (i + 1) * (one - base)
    })
  })
}

/** Simple moving average. */
export function simple(n: number): Smoother {
  const window = new Window(n)
  return smoother(
    (value) => window.peek(value).mean,
    (value) => window.push(value),
  )
}

/**
 * An average that starts with the mean of the first n values and then moves by `weight` of the difference: 2 / (n + 1)
 * for the exponential, 1 / n for Wilder's.
 */
function seeded(n: number, weight: number): Smoother {
  let count = 0
  let sum = 0
  let average = ABSENT
  const next = (value: number): number => {
    if (count >= n) return average + (value - average) * weight
    return count + 1 === n ? (sum + value) / n : ABSENT
  }
  return smoother(next, (value, moved) => {
    count++
    if (count <= n) sum += value
    average = moved
  })
}

/** Exponential moving average, seeded by the simple one of the first n values. */
export const exponential = (n: number): Smoother => seeded(n, 2 / (n + 1))
/** Wilder's smoothing (New Concepts in Technical Trading Systems, 1978). */
export const wilder = (n: number): Smoother => seeded(n, 1 / n)

/** The sum of the last n values. */
export function sum(n: number): Smoother {
  const mean = simple(n)
  return { peek: (value) => mean.peek(value) * n, push: (value) => mean.push(value) * n }
}

/** The value n values ago. */
export function delayed(n: number): Smoother {
  const ring = new Ring(n)
  return smoother(
    () => (ring.count < n ? ABSENT : ring.leaving),
    (value) => ring.push(value),
  )
}

function extreme(n: number, sign: 1 | -1): Smoother {
  const queue = new Extreme(n, sign)
  return smoother(
    (value) => queue.peek(value),
    (value) => queue.push(value),
  )
}
/** The greatest of the last n values. */
export const highest = (n: number): Smoother => extreme(n, 1)
/** The least of the last n values. */
export const lowest = (n: number): Smoother => extreme(n, -1)
