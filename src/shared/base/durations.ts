/** Lengths of time in ms. A day here has 24 hours; days of a time zone are in the market calendar. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const WEEK_MS = 604_800_000
/** Units as they are typed, as in "1h 30m". */
export const UNIT_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const
export type DurationUnit = keyof typeof UNIT_MS
