/**
 * How large a session from elsewhere may be where its size would cost the process that records: each gap is kept in memory by
 * whatever lists sessions, and each flush is one transaction of the store.
 */

/** Gaps of one session. A connection that drops once a minute for a day makes 1,440. */
export const MOST_SESSION_GAPS = 20_000
/** Entries of one flush: both edges of all those gaps may stand in one. */
export const MOST_FLUSH_ENTRIES = 50_000
