/** How high rows are: density and the size of the text. */
import type { Settings } from '../../../shared/core/settings/settings.ts'

/** Px at the usual size of the text. */
const ROW_HEIGHTS = { compact: 20, normal: 24, comfortable: 28 } as const

/** Px of a row: whole, so that rows that are placed by number meet. */
export function rowHeightOf({ density, scale }: Pick<Settings['appearance'], 'density' | 'scale'>): number {
  return Math.round((ROW_HEIGHTS[density] * scale) / 100)
}
