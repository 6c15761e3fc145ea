/** Row height, from the density and the text size. */
import type { Settings } from '../../shared/core/settings/settings.ts'

/** Px at the default text size. */
const ROW_HEIGHTS = { compact: 20, normal: 24, comfortable: 28 } as const

/** Row height in whole px, so absolutely positioned rows have no seams. */
export function rowHeightOf({ density, scale }: Pick<Settings['appearance'], 'density' | 'scale'>): number {
  return Math.round((ROW_HEIGHTS[density] * scale) / 100)
}
