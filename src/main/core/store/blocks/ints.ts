/**
 * How a column of integers is kept, small and fast to read: it is predicted (from its own past, or from
 * another column), and what remains lies in a window that begins at a floor. Of that, the noisy low bits
 * are kept apart as plain bits, and the rest as planes of bytes (all first bytes, then all second ones)
 * that zstd codes well and a loop without branches reads. The few outside of the window are listed as
 * patches. Columns that are no safe integers keep their doubles. `write-ints.ts` writes, `read-ints.ts`
 * reads.
 */

/** How values are predicted. */
export const BY = {
  /** Every value is the first one. */
  constant: 0,
  /** The one before. */
  delta: 1,
  /** The one before and its step. */
  delta2: 2,
  /** Another column, times a power of ten, plus the first difference. */
  ref: 3,
  /** The difference to another column, as it was before. */
  refDelta: 4,
  /** A millisecond clock beside a nanosecond clock that is another column. */
  clock: 5,
  /** Plain doubles, 8 bytes each. */
  doubles: 6,
  /** Not at all: values that do not follow each other. */
  plain: 7,
} as const
export type By = (typeof BY)[keyof typeof BY]

/** Greatest magnitude that is coded as an integer. */
export const MAX_INT = 2 ** 50
export const NS_PER_MS = 1e6
/** So that a value's low bits always lie within four bytes. */
export const MAX_LOW_BITS = 24
export const MAX_PLANES = 4

/** Bytes after the last low bits, so that four can be read at once anywhere. */
export const LOW_PADDING = 4

/** What stands in the directory of a block for one column. */
export interface IntColumn {
  readonly count: number
  readonly by: By
  readonly ref: number
  readonly scale: number
  readonly base: number
  readonly first: number
  readonly divisor: number
  /** Least remainder of the window. */
  readonly floor: number
  readonly lowBits: number
  readonly planes: number
  readonly patches: number
  readonly highBytes: number
  readonly highAt: number
  readonly lowAt: number
  /** Whether its bytes lie in the part of a block that few readers unpack. */
  readonly cold: boolean
}

/** The value of a column whose values are all the same; undefined for any other. */
export function constantOf(column: IntColumn): number | undefined {
  return column.by === BY.constant ? column.first : undefined
}
