/**
 * How wide the price axes are. The drawing library measures their texts with every tick, and one pixel more or less makes
 * every canvas of the chart anew, and with them all layers of the window: so an axis grows in steps, and gives back only
 * what is worth it.
 */
import type { AxisOverride, Chart, YAxis } from 'klinecharts'

const STEP_PX = 4
/** So much of the width may be left unused. */
const SPARE_PX = 14

/** The width to keep for texts of a width, px, from the one kept before; 0: no axis. */
export function steadyWidth(before: number, wanted: number): number {
  if (wanted <= before && before - wanted <= SPARE_PX && wanted > 0) return before
  return Math.ceil(wanted / STEP_PX) * STEP_PX
}

/** Gives axes of a chart that have come since the last call a width that stays; to be called after each new pane. */
export function keepAxesSteady(chart: Chart): () => void {
  const steady = new WeakSet<YAxis>()
  return () => {
    for (const axis of chart.getYAxes({})) {
      if (steady.has(axis)) continue
      steady.add(axis)
      const measured = axis.getAutoSize.bind(axis)
      let kept = 0
      const override: AxisOverride & Pick<YAxis, 'getAutoSize'> = {
        getAutoSize: () => (kept = steadyWidth(kept, measured())),
      }
      axis.override(override)
    }
  }
}
