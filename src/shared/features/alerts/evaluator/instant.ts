/** Where the evaluation stands: the instant, and the record and the measure that are looked at. */

/** What a clock is corrected by now and then, and what a sweep may be ahead of a record, is less. */
export const SET_BACK_MS = 5_000

export class Moment {
  /** Receipt, which goes back only with the clock, UTC ms; -Infinity: nothing came yet. */
  nowMs = -Infinity
  /** Before this instant, UTC ms, nothing waits for time alone. */
  tickMs = -Infinity
  /** Event time of the record, or its receipt where it has none that is believed, UTC ms; NaN: what is told follows from no record. */
  eventMs = NaN
  /** Whether the record's event time may be right: else nothing is measured that depends on it. */
  believed = true
  /** What is compared with levels: a price, a percentage, a volume. */
  value = NaN
}
