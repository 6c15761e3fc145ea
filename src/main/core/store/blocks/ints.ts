/**
 * How integer columns are stored: small and fast to read. Each value is predicted from earlier values or another
 * column. The remainders lie in a window above a floor: their noisy low bits are stored as raw bits, the rest as byte
 * planes (all first bytes, then all second ones) that zstd compresses well and a loop without branches reads. The few
 * remainders outside of the window are listed as patches. Columns that aren't safe integers are stored as doubles.
 * `write-ints.ts` writes and `read-ints.ts` reads.
 */

/** How values are predicted. */
export const BY = {
  /** All values equal the first. */
  constant: 0,
  /** The previous value. */
  delta: 1,
  /** The previous value plus the previous step. */
  delta2: 2,
  /** Another column times a power of ten, plus the first difference. */
  ref: 3,
  /** Like `ref`, plus the previous difference to that column. */
  refDelta: 4,
  /** A millisecond clock predicted from a nanosecond clock in another column. */
  clock: 5,
  /** Plain doubles, 8 bytes each. */
  doubles: 6,
  /** No prediction, for unrelated values. */
  plain: 7,
} as const
export type By = (typeof BY)[keyof typeof BY]

/** Largest magnitude stored as an integer. */
export const MAX_INT = 2 ** 50
export const NS_PER_MS = 1e6
/** Keeps a value's low bits within four bytes. */
export const MAX_LOW_BITS = 24
export const MAX_PLANES = 4

/** Padding after the last low bits, so that four bytes can be read anywhere. */
export const LOW_PADDING = 4

/** A column's entry in the directory of a block. */
export interface IntColumn {
  readonly count: number
  readonly by: By
  readonly ref: number
  readonly scale: number
  readonly base: number
  readonly first: number
  readonly divisor: number
  /** Smallest remainder of the window. */
  readonly floor: number
  readonly lowBits: number
  readonly planes: number
  readonly patches: number
  readonly highBytes: number
  readonly highAt: number
  readonly lowAt: number
  /** Whether its bytes are in the part that few readers decompress. */
  readonly cold: boolean
}

/** The value of a constant column; undefined for any other. */
export function constantOf(column: IntColumn): number | undefined {
  return column.by === BY.constant ? column.first : undefined
}
