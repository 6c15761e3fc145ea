/**
 * Which levels a number crosses as it moves, for thousands of levels at the cost of two comparisons: the
 * nearest level on each side is at hand, and only a step over one of them looks further.
 */

/** Told of each level that was crossed, in the order in which the number met them. */
export type Crossed<T> = (item: T, up: boolean, before: number) => void

/** The next value crosses these where it stands beyond them; `first`: also where it is the first of its chain. */
interface Fresh<T> {
  readonly level: number
  readonly item: T
  readonly up: boolean
  readonly first: boolean
}

const NOTHING: readonly never[] = []

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
  /** While the value stays strictly between these nothing is crossed; NaN: not known. */
  #low = NaN
  #high = NaN
  #before = NaN
  /** The last value before the chain broke; NaN: none, or it does not count. */
  #lost = NaN

  /** While the bounds are known: how many levels are below the last value, and how many are not above it. */
  #under = 0
  #upTo = 0
  #fresh: Fresh<T>[] = []

  get size(): number {
    return this.#levels.length
  }
  get before(): number {
    return this.#before
  }

  /** `fresh`: where the value stands at or above it already, the next one crosses it all the same. */
  add(level: number, item: T, fresh = false): void {
    if (fresh && this.before >= level) this.#fresh.push({ level, item, up: true, first: false })
    const at = placeOf(this.#levels, level, false)
    this.#levels.splice(at, 0, level)
    this.#items.splice(at, 0, item)
    this.#bounds(NaN, NaN)
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
      this.#bounds(NaN, NaN)
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

  /** Takes the next value if it can't cross anything; returns false if `step` has to take it. */
  stays(value: number): boolean {
    if (!(value > this.#low && value < this.#high)) return false
    this.#before = value
    return true
  }

  /** What comes next does not follow what came: the first value after it crosses nothing. `forget`: nor unseen. */
  cut(forget = false): void {
    const { before } = this
    if (forget) this.#lost = NaN
    else if (!Number.isNaN(before)) this.#lost = before
    this.#begin(NaN)
  }

  /** As `cut`, but the first value crosses all levels below it: for what counts from nothing, as a volume does. */
  restart(): void {
    this.#lost = NaN
    this.#begin(-Infinity)
  }

  #begin(before: number): void {
    this.#bounds(NaN, NaN)
    this.#before = before
  }

  #bounds(low: number, high: number): void {
    this.#low = low
    this.#high = high
  }

  #far(value: number, crossed: Crossed<T>, unseen: Crossed<T> | undefined): void {
    // It stands nowhere: how many levels are below it would be wrong of the next one.
    if (Number.isNaN(value)) return this.cut(true)
    const { before } = this
    const lost = this.#lost
    const first = Number.isNaN(before)
    // Whoever is told may change the levels.
    const met = this.#move(first ? lost : before, value)
    const fresh = this.#fresh.length > 0 ? this.#takeFresh(first, first ? lost : before, value) : null
    this.#lost = NaN
    const up = value > (first ? lost : before)
    for (const item of met) {
      if (first) unseen?.(item, up, lost)
      else crossed(item, up, before)
    }
    if (fresh === null) return
    for (const one of fresh) {
      if (first) unseen?.(one.item, one.up, lost)
      else crossed(one.item, one.up, before)
    }
  }

  /** The number goes from one value to another; answers what it meets on its way. NaN: it comes from nowhere. */
  #move(from: number, to: number): readonly T[] {
    const levels = this.#levels
    const known = !Number.isNaN(this.#low)
    let under = known ? this.#under : placeOf(levels, Number.isNaN(from) ? to : from, true)
    let upTo = known ? this.#upTo : placeOf(levels, Number.isNaN(from) ? to : from, false)
    let met: readonly T[] = NOTHING
    if (to > from) {
      const begin = upTo
      while (upTo < levels.length && levels[upTo] <= to) upTo += 1
      under = upTo
      while (under > begin && levels[under - 1] === to) under -= 1
      if (upTo > begin) met = this.#items.slice(begin, upTo)
    } else if (to < from) {
      const begin = under
      while (under > 0 && levels[under - 1] >= to) under -= 1
      upTo = under
      while (upTo < begin && levels[upTo] === to) upTo += 1
      if (under < begin) met = this.#items.slice(under, begin).reverse()
    }
    this.#under = under
    this.#upTo = upTo
    this.#before = to
    // On a level, any other value leaves it behind.
    if (under < upTo) this.#bounds(to, to)
    else this.#bounds(under === 0 ? -Infinity : levels[under - 1], upTo === levels.length ? Infinity : levels[upTo])
    return met
  }

  /** Fresh levels that the value stands beyond. */
  #takeFresh(first: boolean, from: number, value: number): readonly Fresh<T>[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh.filter(({ level, up, first: atFirst }) => {
      const beyond = up ? value >= level && !(from < level) : value <= level && !(from > level)
      return beyond && (atFirst || !first)
    })
  }
}
