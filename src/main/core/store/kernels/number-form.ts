/** How the numbers of a column are written, as blocks store it and as `RowWriter` takes it. */

/** How a column's numbers are written. */
export const STYLE = {
  /** All literals have the same number of decimals. */
  fixed: 0,
  /** Shortest form as in JavaScript: 1, 0.5, 1e-7. */
  js: 1,
  /** Shortest form as in Python: 1.0, 0.5, 1e-05. */
  python: 2,
  /** The decimals of each value are in a column of their own. */
  explicit: 3,
} as const
export type Style = (typeof STYLE)[keyof typeof STYLE]

/** How `RowWriter` writes a number: its decimals, plus a style. */
export const NUMBER_FORM: Readonly<Record<Style | 'decimals', number>> = {
  decimals: 31,
  [STYLE.fixed]: 0,
  [STYLE.js]: 32,
  [STYLE.python]: 64,
  [STYLE.explicit]: 0,
}
