/** The settings of drawing. */
import * as v from 'valibot'
import { DRAWING_COLORS, DRAWING_DASHES, DRAWING_KINDS } from './types.ts'
import { settingsSection } from '../../core/settings/settings.ts'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))

const drawingStyle = v.object({
  color: v.picklist(DRAWING_COLORS),
  width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4)),
  dash: v.picklist(DRAWING_DASHES),
  fill: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
})

/** Defaults for new drawings. The drawings themselves are saved by instrument. */
const schema = v.optional(
  v.object({
    /** Snap points to the prices of bars. */
    magnet: v.fallback(v.boolean(), false),
    /** Hide all drawings on all charts. */
    hidden: v.fallback(v.boolean(), false),
    /** Recently used tools, newest first. */
    recent: v.fallback(v.pipe(v.array(v.picklist(DRAWING_KINDS)), v.maxLength(4)), ['trend']),
    /** The last style used for each kind. */
    styles: v.fallback(v.record(text(20), drawingStyle), {}),
  }),
  { magnet: false, hidden: false, recent: ['trend'], styles: {} },
)
export type DrawingSettings = v.InferOutput<typeof schema>
export const drawingSettings = settingsSection('drawing', schema, { isAppearance: true })

declare module '../../core/settings/settings.ts' {
  interface Settings {
    drawing: DrawingSettings
  }
}
