/** The choices of `tapedeck replay --serve`. */

/** When the shared clock starts: at the first subscription, once every recorded symbol is subscribed, or by request. */
export const STARTS = ['first', 'all', 'paused'] as const
export type Start = (typeof STARTS)[number]

/** What clients notice of recorded gaps: no messages, or a lost connection that is refused until the gap closes. */
export const GAP_MODES = ['silence', 'disconnect'] as const

/** Options that mean something only with `--serve`. */
export const SERVE_ONLY = ['loop', 'start', 'gaps', 'to']
