/** Decimals of a number literal, at most 22: 1.10000 has 5, 1e-05 has 5, 120 has 0. */
export function literalDecimals(literal: string): number {
  const m = /^[+-]?\d*(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (m === null) return 0
  return Math.min(22, Math.max(0, (m[1]?.length ?? 0) - Number(m[2] ?? 0)))
}

/**
 * The most that a number computed from decimals can be. As a double it can be less, because those of decimals are inexact in
 * their last bit: 100.3 - 100.2 is 0.0999…. `of`: the greatest number that it was computed from.
 */
export const mostOf = (computed: number, of: number): number => computed + of * 2 * Number.EPSILON

/** The least that it can be. */
export const leastOf = (computed: number, of: number): number => computed - of * 2 * Number.EPSILON

/** From 10^-8 to 10^22, which is the last that is exact as a double. */
const POWERS: readonly number[] = Array.from({ length: 31 }, (_, at) => Number(`1e${at - 8}`))

/** The decimal of at most 15 digits that a computed number above zero stands for: (100.1 + 100.3) / 2 is 100.1999… as a double. */
export function nearestDecimal(computed: number): number {
  // Writing it is right for every number, and takes thirty times as long.
  if (!(computed >= 1e-8 && computed < 1e15)) return Number(computed.toPrecision(15))
  let at = computed < 1 ? 0 : 8
  while (computed >= POWERS[at + 1]) at++
  const scale = POWERS[30 - at]
  return Math.round(computed * scale) / scale
}
