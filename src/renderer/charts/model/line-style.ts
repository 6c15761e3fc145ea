/**
 * Line styles of indicators and compared symbols: the theme's colors first, then the same colors dashed, then dotted,
 * so that no two lines of a pane look the same. A style is a number: its place in that order. Pure.
 */

/** Distinguishable from each other and from the colors of direction. */
export const LINE_COLORS = {
  dark: ['#4c8dff', '#e3a33b', '#b58cff', '#38c6d9', '#ee7fb4', '#a5cf5a', '#f2d45c', '#9db1cc'],
  light: ['#2563d9', '#a35f00', '#7642d1', '#0b7285', '#b3297a', '#4f7a12', '#806600', '#4d6079'],
} as const
const COLORS = LINE_COLORS.dark.length

export type LineDash = 'solid' | 'dashed' | 'dotted'
const DASHES: readonly LineDash[] = ['solid', 'dashed', 'dotted']

export const lineColor = (style: number, colors: readonly string[]): string => colors[style % colors.length]

export const lineDash = (style: number): LineDash => DASHES[Math.min(DASHES.length - 1, Math.floor(style / COLORS))]

/** Lengths of a dash and the space after it, px, for `setLineDash`. */
export function dashPattern(dash: LineDash): number[] {
  switch (dash) {
    case 'solid':
      return []
    case 'dashed':
      return [7, 4]
    case 'dotted':
      return [2, 3]
  }
}

/** The style of a color the user chose, if the theme has that color too; else undefined. */
export function styleOfColor(color: string): number | undefined {
  const wanted = color.toLowerCase()
  const at = Math.max(...Object.values(LINE_COLORS).map((list: readonly string[]) => list.indexOf(wanted)))
  return at < 0 ? undefined : at
}

/**
 * The next style for a line: a color that nothing on the chart has yet, else the first style that nothing in the same
 * pane has. The caller adds it to both.
 */
export function nextLineStyle(onChart: ReadonlySet<number>, inPane: ReadonlySet<number>): number {
  for (let style = 0; style < COLORS; style++) if (!onChart.has(style)) return style
  let style = 0
  while (inPane.has(style)) style++
  return style
}

/** The same for a compared symbol, which takes colors from the end so that adding an indicator rarely changes it. */
export function lastLineStyle(taken: ReadonlySet<number>): number {
  for (let style = COLORS - 1; style >= 0; style--) if (!taken.has(style)) return style
  return nextLineStyle(taken, taken)
}
