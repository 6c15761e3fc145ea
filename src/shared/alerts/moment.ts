/** Where the evaluation stands: the instant, and the record and the measure that are looked at. */
export class Moment {
  /** Receipt, which goes back only with the clock, UTC ms; -Infinity: nothing came yet. */
  nowMs = -Infinity
  /** Event time of the record, UTC ms; NaN: what is told follows from no record. */
  eventMs = NaN
  /** What is compared with levels: a price, a percentage, a volume. */
  value = NaN
}
