/** How far a chart's prices stay below its legend. Pure. */

/** Heights in px. */
export interface LegendHeights {
  readonly whole: number
  /** The values of the bar, which may need another line under the crosshair. */
  readonly values: number
}

/**
 * Returns a function that gets the heights after each change and returns the height to keep free, px; null: as before.
 * The crosshair's own values move no price, but what else the legend got in the meantime does. `isTransient`: under the
 * crosshair, more than the values is shown that goes away with it.
 */
export function legendRoom(): (heights: LegendHeights, fromCrosshair: boolean, isTransient: boolean) => number | null {
  let usual: number | null = null
  return ({ whole, values }, fromCrosshair, isTransient) => {
    if (!fromCrosshair) usual = values
    return whole === 0 || (fromCrosshair && isTransient) ? null : whole - values + (usual ?? values)
  }
}
