/** Numbers with fixed decimals, by one rule of rounding wherever one is written. */

const formats = new Map<number, Intl.NumberFormat>()

/**
 * A number with exactly `decimals` decimals (0 to 20), ungrouped: 99.955 with 2 is "99.96". What is rounded is the number
 * as it is written, half away from zero, as every other text of a price is; `toFixed` rounds its nearest binary fraction,
 * here to "99.95".
 */
export function fixedText(value: number, decimals: number): string {
  const n = Math.min(20, Math.max(0, Math.trunc(decimals)))
  let format = formats.get(n)
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', { minimumFractionDigits: n, maximumFractionDigits: n, useGrouping: false })
    formats.set(n, format)
  }
  return format.format(value)
}
