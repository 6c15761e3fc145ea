/**
 * Which records of a kind are late, by their event times. One that is dated ahead of its receipt must not make all
 * that follow late: it counts as of its receipt. Where several in a row are, this computer's clock is behind, and
 * they are believed; where several in a row then are of their receipt, it was the dates that were wrong.
 */

/** An event may be so far ahead of its receipt: clocks differ. */
export const AHEAD_MS = 5_000
const IN_A_ROW = 3

export class EventOrder {
  /** Event time of the last that counted, UTC ms; -Infinity: none did. */
  lastMs = -Infinity
  /** What is further ahead of its receipt is not believed, ms. */
  aheadMs = AHEAD_MS
  /** How many in a row were not believed (`#least` ahead), and where the order stood after the last of them. */
  #doubted = 0
  #doubtedMs = NaN
  #least = Infinity
  /** How many in a row were late by the order, though of their receipt, and where the order stood. */
  #late = 0
  #lateMs = NaN

  /** Whether an event time may be right. Asked once for each record, before it is taken. */
  believes(eventMs: number, recvMs: number): boolean {
    return eventMs - recvMs <= this.aheadMs || this.#isUsual(eventMs - recvMs)
  }

  /** Takes a record whose event time is believed; false: it is late. */
  takes(eventMs: number, recvMs: number): boolean {
    if (eventMs < this.lastMs && !this.#wasAhead(eventMs, recvMs)) return false
    this.lastMs = eventMs
    return true
  }

  /** Takes a record whose event time is not: it follows what came before it. */
  takesUndated(recvMs: number): void {
    if (recvMs > this.lastMs) this.lastMs = recvMs
    this.#doubtedMs = this.lastMs
  }

  restart(): void {
    this.lastMs = -Infinity
    this.aheadMs = AHEAD_MS
    this.#doubtedMs = this.#lateMs = NaN
  }

  /** Whether so many in a row were as far ahead, with none between them that was not. */
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

  /** Whether it is the order that was ahead, by dates that were believed, and not the record that is late. */
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
