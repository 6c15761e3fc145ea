/** The current time, record and value of an evaluation. */

/** Larger than ordinary clock corrections, and than the lead of a timer over a record. */
export const SET_BACK_MS = 5_000

export class EvaluationContext {
  /** Receive time, which goes back only with the clock, UTC ms; -Infinity before the first record. */
  nowMs = -Infinity
  /** Nothing that waits for time alone is due before this, UTC ms. */
  tickMs = -Infinity
  /**
   * The record's event time, or its receive time if that isn't plausible, UTC ms. NaN if an event doesn't come from a
   * record.
   */
  eventMs = NaN
  /** Whether the record's event time is plausible. If not, nothing that depends on it is measured. */
  isPlausible = true
  /** The value compared with levels: a price, a percentage or a volume. */
  value = NaN
}
