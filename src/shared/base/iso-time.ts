/** An instant (UTC ms) as ISO 8601; null stays null. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
