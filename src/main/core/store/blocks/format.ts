/** What writer and reader of a block agree on. */
export const MAGIC = 0x4b424454 // "TDBK", little endian
export const VERSION = 1
export const HEADER_BYTES = 32
/** Most rows, unpacked bytes and templates of one block: bounds for a reader of damaged bytes. */
export const MAX_ROWS = 1 << 20
export const MAX_BODY = 1 << 28
export const MAX_TEMPLATES = 512

/** How event time is kept. */
export const TIME = { none: 0, column: 1, own: 2 } as const

/** A column's unit, as a function to ms: ms, s, µs, ns. */
export const TIME_UNITS: readonly ((t: number) => number)[] = [
  (t) => t,
  (t) => t * 1000,
  (t) => t / 1000,
  (t) => t / 1e6,
]
