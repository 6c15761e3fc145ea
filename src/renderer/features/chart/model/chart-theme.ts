/** Reads a chart's colors and text size from the document's design tokens. */
import { LINE_COLORS } from '../../../charts/model/line-style.ts'
import type { ChartTheme } from '../../../charts/model/chart.ts'

/** The theme from the current values of the tokens. */
export function chartTheme(): ChartTheme {
  const css = getComputedStyle(document.documentElement)
  const read = (token: string, otherwise: string): string => css.getPropertyValue(token).trim() || otherwise
  return {
    pane: read('--pane', '#141920'),
    raised: read('--raised', '#1B222C'),
    line: read('--line', '#263040'),
    grid: read('--grid', '#263040'),
    text: read('--text', '#D7DEE8'),
    dim: read('--dim', '#8B97A8'),
    faint: read('--faint', '#5B6675'),
    accent: read('--accent', '#4C8DFF'),
    up: read('--up', '#2FB89A'),
    down: read('--down', '#EF5B6B'),
    warn: read('--warn', '#E3B341'),
    textScale: Number(read('--scale', '1')) || 1,
    series: document.documentElement.dataset['theme'] === 'light' ? LINE_COLORS.light : LINE_COLORS.dark,
  }
}
