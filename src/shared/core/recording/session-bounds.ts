/**
 * Limits for imported sessions, where size would cost the recording process: every list of sessions holds their gaps
 * in memory, and each flush is one transaction of the store.
 */

/** The most gaps of one session. A connection that drops once a minute makes 1,440 a day. */
export const MAX_SESSION_GAPS = 20_000
/** The most entries of one flush, which can hold both edges of all those gaps. */
export const MAX_FLUSH_ENTRIES = 50_000
