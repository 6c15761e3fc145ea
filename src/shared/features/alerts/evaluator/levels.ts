/**
 * Finds the levels that a value crosses as it moves, among thousands, with two comparisons: the nearest level on each
 * side is at hand, and only a step past one of them searches further.
 */
import { firstAfter } from '../../../base/search.ts'

/** Called for each crossed level, in the order in which the value reached them. */
export type Crossed<T> = (item: T, up: boolean, before: number) => void

/** A level that the next value crosses if it is beyond it; `first`: even as the first value of its chain. */
interface Fresh<T> {
  readonly level: number
  readonly item: T
  readonly up: boolean
  readonly first: boolean
}

const NOTHING: readonly never[] = []

/** First index whose level is above (`orAt` false) or at or above (`orAt` true) a value. */
const placeOf = (levels: readonly number[], value: number, orAt: boolean): number =>
  firstAfter(levels, (level) => level < value || (!orAt && level === value))

export class LevelIndex<T> {
  readonly #levels: number[] = []
  readonly #items: T[] = []
  /** While the value stays strictly between these it crosses nothing; NaN if unknown. */
  #low = NaN
  #high = NaN
  #before = NaN
  /** The last value before the chain broke; NaN if there is none or it doesn't count. */
  #lost = NaN

  /** While the bounds are known: how many levels are below the last value, and how many are at or below it. */
  #under = 0
  #upTo = 0
  #fresh: Fresh<T>[] = []

  get size(): number {
    return this.#levels.length
  }
  get before(): number {
    return this.#before
  }

  /** `fresh`: if the value is already at or above the level, the next one still crosses it. */
  add(level: number, item: T, fresh = false): void {
    if (fresh && this.before >= level) this.#fresh.push({ level, item, up: true, first: false })
    const at = placeOf(this.#levels, level, false)
    this.#levels.splice(at, 0, level)
    this.#items.splice(at, 0, item)
    this.#bounds(NaN, NaN)
  }

  /**
   * Like `add`, but the next value crosses the level if it is at or beyond it on this side, even as the first of its
   * chain.
   */
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
   * Takes the next value of the chain. A level is crossed from strictly one side to it or beyond: up if before < level
   * <= value, down if before > level >= value. The first value of a chain crosses nothing; `unseen` gets the levels
   * between it and the last value before the break.
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

  /** Breaks the chain: the next value crosses nothing. `forget`: nothing is reported as unseen either. */
  cut(forget = false): void {
    const { before } = this
    if (forget) this.#lost = NaN
    else if (!Number.isNaN(before)) this.#lost = before
    this.#begin(NaN)
  }

  /** Like `cut`, but the next value crosses every level below it, for values that count from zero, such as a volume. */
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
    // With no value, the counts below would be wrong for the next one.
    if (Number.isNaN(value)) return this.cut(true)
    const { before } = this
    const lost = this.#lost
    const first = Number.isNaN(before)
    // The callbacks may change the levels.
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

  /** Moves from one value to another and returns the levels it reaches. NaN: there is no earlier value. */
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
    // Any other value leaves a level that it is exactly on.
    if (under < upTo) this.#bounds(to, to)
    else this.#bounds(under === 0 ? -Infinity : levels[under - 1], upTo === levels.length ? Infinity : levels[upTo])
    return met
  }

  /** The fresh levels that the value is beyond. */
  #takeFresh(first: boolean, from: number, value: number): readonly Fresh<T>[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh.filter(({ level, up, first: atFirst }) => {
      const beyond = up ? value >= level && !(from < level) : value <= level && !(from > level)
      return beyond && (atFirst || !first)
    })
  }
}
