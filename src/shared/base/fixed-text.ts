/** Numbers with fixed decimals, rounded by one rule everywhere. */

const formats = new Map<number, Intl.NumberFormat>()

/**
 * A number with exactly `decimals` decimals (0 to 20), ungrouped: 99.955 with 2 is "99.96". Rounds the decimal
 * notation half away from zero, like every other price text. `toFixed` rounds the binary fraction, here to "99.95".
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
