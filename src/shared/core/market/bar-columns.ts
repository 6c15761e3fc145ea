/** Builds bars from columns of records. */
import type { BarBuilder } from './bar-builder.ts'
import { usable } from './bars.ts'

/** Columns of records in seq order. Undated rows have their receive time in `eventMs`. */
export interface TickArrays {
  readonly eventMs: Float64Array
  readonly seq: Float64Array
  readonly price: Float64Array
  /** Null if the records carry no sizes (quotes). */
  readonly size: Float64Array | null
  /** Used with `skipFlags`: rows with any of these bits are skipped. */
  readonly flags?: Uint8Array | undefined
  /** The divisor of prices and sizes, a power of ten if they are mantissas. Defaults to 1. */
  readonly priceUnit?: number | undefined
  readonly sizeUnit?: number | undefined
}

/**
 * Adds rows [from, to) to a builder, with the same result as calling `apply` for each. Runs of rows of one bar are
 * folded in local variables and merged once.
 */
export function barsFromColumns(
  columns: TickArrays,
  from: number,
  to: number,
  builder: BarBuilder,
  skipFlags = 0,
): void {
  const { eventMs, price } = columns
  const flags = skipFlags === 0 ? undefined : columns.flags
  const { grid } = builder
  let i = from
  while (i < to) {
    const start = grid.startOf(eventMs[i])
    if (!usable(price[i]) || Number.isNaN(start) || (flags !== undefined && (flags[i] & skipFlags) !== 0)) i++
    else i = foldRun(columns, i, to, start, grid.endOf(start), flags, skipFlags, builder)
  }
}

/** Folds the rows of one bar, starting with the valid row `head`. Returns the first row of another bar. */
function foldRun(
  { eventMs, seq, price, size, priceUnit = 1, sizeUnit = 1 }: TickArrays,
  head: number,
  to: number,
  startMs: number,
  endMs: number,
  flags: Uint8Array | undefined,
  skipFlags: number,
  builder: BarBuilder,
): number {
  let high = price[head]
  let low = high
  let openAt = head
  let closeAt = head
  let openMs = eventMs[head]
  let closeMs = openMs
  let last = head
  let count = 0
  let volume = 0
  let rest = 0
  let sized = false
  let i = head
  for (; i < to; i++) {
    const t = eventMs[i]
    if (!(t >= startMs && t < endMs)) break
    const p = price[i]
    if (!(p > 0 && p < Infinity)) continue
    if (flags !== undefined && (flags[i] & skipFlags) !== 0) continue
    if (p > high) high = p
    if (p < low) low = p
    // Rows are in seq order: among equal times, the first opens and the last closes.
    if (t >= closeMs) {
      closeMs = t
      closeAt = i
    }
    if (t < openMs) {
      openMs = t
      openAt = i
    }
    if (size !== null) {
      const s = size[i] / sizeUnit
      if (s >= 0 && s < Infinity) {
        // Collecting the rounding error separately keeps rows from waiting for the previous sum.
        const sum = volume + s
        const part = sum - volume
        rest += volume - (sum - part) + (s - part)
        volume = sum
        sized = true
      }
    }
    count++
    last = i
  }
  const whole = volume + rest
  builder.merge({
    startMs,
    endMs,
    open: price[openAt] / priceUnit,
    high: high / priceUnit,
    low: low / priceUnit,
    close: price[closeAt] / priceUnit,
    volume: sized ? whole : NaN,
    volumeRest: rest - (whole - volume),
    count,
    openMs,
    openSeq: seq[openAt],
    closeMs,
    closeSeq: seq[closeAt],
    firstSeq: seq[head],
    lastSeq: seq[last],
    complete: true,
  })
  return i
}

/** Fills `out` with the midpoints of two columns; NaN where a side is missing. */
export function midColumn(bid: Float64Array, ask: Float64Array, out: Float64Array): Float64Array {
  for (let i = 0; i < out.length; i++) {
    const b = bid[i]
    const a = ask[i]
    out[i] = b > 0 && b < Infinity && a > 0 && a < Infinity ? (b + a) / 2 : NaN
  }
  return out
}
