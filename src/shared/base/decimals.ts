/** Decimals of a number literal, at most 22: 1.10000 has 5, 1e-05 has 5, 120 has 0. */
export function literalDecimals(literal: string): number {
  const m = /^[+-]?\d*(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (m === null) return 0
  return Math.min(22, Math.max(0, (m[1]?.length ?? 0) - Number(m[2] ?? 0)))
}
