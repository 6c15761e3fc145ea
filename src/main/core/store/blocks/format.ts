/** Constants shared by the writer and the reader of blocks. */
export const MAGIC = 0x4b424454 // "TDBK", little endian
export const VERSION = 1
export const HEADER_BYTES = 32
/** Limits on rows, decompressed bytes and templates of one block, so that a corrupt block can't exhaust memory. */
export const MAX_ROWS = 1 << 20
export const MAX_BODY = 1 << 28
export const MAX_TEMPLATES = 512

/** How event times are stored. */
export const TIME = { none: 0, column: 1, own: 2 } as const

/** Conversions from a column's unit to ms: ms, s, µs, ns. */
export const TIME_UNITS: readonly ((t: number) => number)[] = [
  (t) => t,
  (t) => t * 1000,
  (t) => t / 1000,
  (t) => t / 1e6,
]
