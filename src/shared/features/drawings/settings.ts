/** The settings of drawing. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { DRAWING_KINDS, drawingStyleSchema } from './types.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** A named style that can be given to any drawing of its kind. */
const template = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  kind: v.picklist(DRAWING_KINDS),
  style: drawingStyleSchema,
})
export type DrawingTemplate = v.InferOutput<typeof template>
export const MAX_DRAWING_TEMPLATES = 50

/** Defaults for new drawings. The drawings themselves are saved by instrument. */
const schema = v.object({
  /** Snap points to the prices of bars. */
  magnet: v.fallback(v.boolean(), false),
  /** Hide all drawings on all charts. */
  hidden: v.fallback(v.boolean(), false),
  /** Recently used tools, newest first. */
  recent: v.fallback(v.pipe(v.array(v.picklist(DRAWING_KINDS)), v.maxLength(4)), ['trend']),
  /** The last style used for each kind. */
  styles: v.fallback(v.record(text(20), drawingStyleSchema), {}),
  templates: v.fallback(v.pipe(v.array(template), v.maxLength(MAX_DRAWING_TEMPLATES)), []),
})
export type DrawingSettings = v.InferOutput<typeof schema>
export const drawingSettings = settingsSection('drawing', schema, { isAppearance: true })

declare module '../../core/settings/settings.ts' {
  interface Settings {
    drawing: DrawingSettings
  }
}
