/**
 * Which levels a number crosses as it moves, for thousands of levels at the cost of two comparisons: the
 * nearest level on each side is at hand, and only a step over one of them looks further.
 */

/** Told of each level that was crossed, in the order in which the number met them. */
export type Crossed<T> = (item: T, up: boolean, before: number) => void

interface Met<T> {
  readonly item: T
  readonly up: boolean
}

/** First place whose level is above (`orAt` false) or at or above (`orAt` true) a value. */
function placeOf(levels: readonly number[], value: number, orAt: boolean): number {
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (levels[middle] < value || (!orAt && levels[middle] === value)) low = middle + 1
    else high = middle
  }
  return low
}

export class LevelIndex<T> {
  readonly #levels: number[] = []
  readonly #items: T[] = []
  /** The last value of the unbroken chain; NaN: none. */
  #before = NaN
  /** The last value before the chain broke; NaN: none, or it does not count. */
  #lost = NaN
  /** While the value stays strictly between these, nothing is crossed; NaN: not known. */
  #low = NaN
  #high = NaN

  /** The next value crosses these where it stands beyond them; `first`: also where it is the first of its chain. */
  #fresh: { readonly level: number; readonly item: T; readonly up: boolean; readonly first: boolean }[] = []

  get size(): number {
    return this.#levels.length
  }
  get before(): number {
    return this.#before
  }

  /** `fresh`: where the value stands at or above it already, the next one crosses it all the same. */
  add(level: number, item: T, fresh = false): void {
    if (fresh && this.#before >= level) this.#fresh.push({ level, item, up: true, first: false })
    const at = placeOf(this.#levels, level, false)
    this.#levels.splice(at, 0, level)
    this.#items.splice(at, 0, item)
    this.#low = this.#high = NaN
  }

  /** As `add`; where the next value stands at or beyond it on this side, it crosses it, though none came before. */
  expect(level: number, item: T, up: boolean): void {
    this.add(level, item)
    this.#fresh.push({ level, item, up, first: true })
  }

  remove(level: number, item: T): void {
    if (this.#fresh.length > 0) this.#fresh = this.#fresh.filter((one) => one.item !== item)
    for (let at = placeOf(this.#levels, level, true); this.#levels[at] === level; at += 1) {
      if (this.#items[at] !== item) continue
      this.#levels.splice(at, 1)
      this.#items.splice(at, 1)
      this.#low = this.#high = NaN
      return
    }
  }

  /**
   * The next value of the chain. A level is crossed from strictly one side to it or beyond: up where
   * before < level <= value, down where before > level >= value. The first value of a chain crosses
   * nothing; `unseen` gets what lies between it and the last one before the break.
   */
  step(value: number, crossed: Crossed<T>, unseen?: Crossed<T>): void {
    if (!this.stays(value)) this.#far(value, crossed, unseen)
  }

  /** Takes the next value of the chain if it crosses nothing for sure; false: `step` it. */
  stays(value: number): boolean {
    if (!(value > this.#low && value < this.#high)) return false
    this.#before = value
    return true
  }

  /** What comes next does not follow what came: the first value after it crosses nothing. `forget`: nor unseen. */
  cut(forget = false): void {
    if (forget) this.#lost = NaN
    else if (!Number.isNaN(this.#before)) this.#lost = this.#before
    this.#before = this.#low = this.#high = NaN
  }

  /** As `cut`, but the first value crosses all levels below it: for what counts from nothing, as a volume does. */
  restart(): void {
    this.#lost = this.#low = this.#high = NaN
    this.#before = -Infinity
  }

  #far(value: number, crossed: Crossed<T>, unseen: Crossed<T> | undefined): void {
    const before = this.#before
    const lost = this.#lost
    this.#before = value
    this.#lost = NaN
    const first = Number.isNaN(before)
    // Whoever is told may change the levels.
    const from = first ? lost : before
    const met = this.#between(from, value)
    const fresh = this.#fresh
    if (fresh.length > 0) {
      this.#fresh = []
      for (const one of fresh) {
        const { level, item, up } = one
        const beyond = up ? value >= level && !(from < level) : value <= level && !(from > level)
        if (beyond && (one.first || !first)) met.push({ item, up })
      }
    }
    this.#bound(value)
    for (const { item, up } of met) {
      if (first) unseen?.(item, up, lost)
      else crossed(item, up, before)
    }
  }

  #between(from: number, to: number): Met<T>[] {
    const levels = this.#levels
    const met: Met<T>[] = []
    if (to > from) {
      const end = placeOf(levels, to, false)
      for (let at = placeOf(levels, from, false); at < end; at += 1) met.push({ item: this.#items[at], up: true })
    } else if (to < from) {
      const end = placeOf(levels, to, true)
      for (let at = placeOf(levels, from, true) - 1; at >= end; at -= 1) met.push({ item: this.#items[at], up: false })
    }
    return met
  }

  #bound(value: number): void {
    const at = placeOf(this.#levels, value, true)
    if (this.#levels[at] === value) {
      // Any other value leaves a level behind.
      this.#low = this.#high = value
      return
    }
    this.#low = at === 0 ? -Infinity : this.#levels[at - 1]
    this.#high = at === this.#levels.length ? Infinity : this.#levels[at]
  }
}
