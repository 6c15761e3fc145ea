/**
 * The width of the price axes. The drawing library measures their texts with every tick, and a change by one pixel
 * recreates every canvas of the chart and all layers of the window. So an axis grows in steps, and shrinks only when it
 * is worth it.
 */
import { utils, type AxisOverride, type Chart, type YAxis } from 'klinecharts'
import { FAMILY, textPx } from './canvas-text.ts'

const STEP_PX = 4
/** An axis may be this much wider than its texts. */
const SPARE_PX = 14

/** The new axis width for texts of width `wanted`, given the previous axis width, px; 0 means no axis. */
export function steadyWidth(before: number, wanted: number): number {
  if (wanted <= before && before - wanted <= SPARE_PX && wanted > 0) return before
  return Math.ceil(wanted / STEP_PX) * STEP_PX
}

export interface SteadyAxes {
  /** Makes the widths of new axes steady. Call it after each new pane. */
  take(): void
  /** Measures from scratch: the bars or the text size changed. */
  forget(): void
}

/** `leastPx`: the width that labels next to the axis need, which the library doesn't know. */
export function steadyAxes(chart: Chart, leastPx: () => number = () => 0): SteadyAxes {
  const steady = new WeakSet<YAxis>()
  let widths = new WeakMap<YAxis, number>()
  return {
    take() {
      for (const axis of chart.getYAxes({})) {
        if (steady.has(axis)) continue
        steady.add(axis)
        const measured = axis.getAutoSize.bind(axis)
        const override: AxisOverride & Pick<YAxis, 'getAutoSize'> = {
          getAutoSize() {
            const width = steadyWidth(widths.get(axis) ?? 0, Math.max(measured(), leastPx()))
            widths.set(axis, width)
            return width
          },
        }
        axis.override(override)
      }
    },
    forget() {
      widths = new WeakMap()
    },
  }
}

/** Border and padding of a price label, px. */
const AROUND_TEXT = 10
const TAG_FONT_PX = 10

/** Width that price labels with these texts need next to the plot, px; 0 for none. All digits are as wide as a 0. */
export function tagsWidth(texts: readonly string[], textScale: number): number {
  const size = textPx(TAG_FONT_PX, textScale)
  const widths = texts.map((text) => utils.calcTextWidth(text.replace(/\d/g, '0'), size, 'normal', FAMILY))
  return widths.length === 0 ? 0 : Math.max(...widths) + textPx(AROUND_TEXT, textScale)
}
