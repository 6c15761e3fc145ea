/**
 * Which records of a kind are late, by event time. A record dated ahead of its receipt must not make all later ones
 * late, so it counts at its receive time. After several of them in a row this computer's clock is behind, and their
 * times are accepted. After several in a row that match their receipt again, those dates were wrong.
 */

/** How far an event may be ahead of its receipt, because clocks differ. */
export const AHEAD_MS = 5_000
const IN_A_ROW = 3

export class EventOrder {
  /** Event time of the last record that counted, UTC ms; -Infinity before the first. */
  lastMs = -Infinity
  /** Times further ahead of their receipt than this aren't accepted, ms. */
  aheadMs = AHEAD_MS
  /** How many in a row weren't accepted (at least `#least` ahead), and where the order stood after the last of them. */
  #doubted = 0
  #doubtedMs = NaN
  #least = Infinity
  /** How many in a row were late by the order but matched their receipt, and where the order stood. */
  #late = 0
  #lateMs = NaN

  /** Whether an event time is plausible. Call once per record, before it is taken. */
  isPlausible(eventMs: number, recvMs: number): boolean {
    return eventMs - recvMs <= this.aheadMs || this.#isUsual(eventMs - recvMs)
  }

  /** Takes a record with a plausible event time. Returns false if it is late. */
  accept(eventMs: number, recvMs: number): boolean {
    if (eventMs < this.lastMs && !this.#wasAhead(eventMs, recvMs)) return false
    this.lastMs = eventMs
    return true
  }

  /** Takes a record without a plausible event time: it follows the one before. */
  acceptUndated(recvMs: number): void {
    if (recvMs > this.lastMs) this.lastMs = recvMs
    this.#doubtedMs = this.lastMs
  }

  restart(): void {
    this.lastMs = -Infinity
    this.aheadMs = AHEAD_MS
    this.#doubtedMs = this.#lateMs = NaN
  }

  /** Whether enough records in a row were as far ahead, with no other between them. */
  #isUsual(leadMs: number): boolean {
    if (this.lastMs !== this.#doubtedMs) {
      this.#doubted = 0
      this.#least = Infinity
    }
    this.#doubted += 1
    this.#least = Math.min(this.#least, leadMs)
    if (this.#doubted < IN_A_ROW) return false
    this.aheadMs = this.#least + AHEAD_MS
    return leadMs <= this.aheadMs
  }

  /** Whether the order itself was ahead, by times accepted earlier, and the record isn't late. */
  #wasAhead(eventMs: number, recvMs: number): boolean {
    if (this.aheadMs <= AHEAD_MS || Math.abs(eventMs - recvMs) > AHEAD_MS) return false
    if (this.lastMs !== this.#lateMs) this.#late = 0
    this.#lateMs = this.lastMs
    this.#late += 1
    if (this.#late < IN_A_ROW) return false
    this.restart()
    return true
  }
}
