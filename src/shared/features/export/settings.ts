/** The saved exports. */
import * as v from 'valibot'
import { FEED_IDS } from '../../base/units.ts'
import { BAR_SOURCES, INTERVAL_LABELS, type Interval } from '../../core/market/market.ts'
import { EXPORT_FORMATS, EXPORT_KINDS, SEPARATORS, SPLITS } from './export.ts'
import { settingsSection } from '../../core/settings/settings.ts'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const interval = v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x))

/** A saved export. Absent options are asked for or use their defaults. */
const exportPreset = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  what: v.optional(v.picklist(EXPORT_KINDS)),
  feed: v.optional(v.picklist(FEED_IDS)),
  symbols: v.optional(v.pipe(v.array(v.pipe(text(64), v.minLength(1))), v.maxLength(2_000))),
  of: v.optional(v.nullable(v.picklist(BAR_SOURCES))),
  interval: v.optional(interval),
  format: v.optional(v.picklist(EXPORT_FORMATS)),
  raw: v.optional(v.boolean()),
  extended: v.optional(v.boolean()),
  bom: v.optional(v.boolean()),
  separator: v.optional(v.picklist(SEPARATORS)),
  split: v.optional(v.picklist(SPLITS)),
})
export type ExportPreset = v.InferOutput<typeof exportPreset>

const schema = v.optional(v.object({ presets: v.fallback(v.pipe(v.array(exportPreset), v.maxLength(100)), []) }), {
  presets: [],
})
export type ExportSettings = v.InferOutput<typeof schema>
export const exportSettings = settingsSection('exports', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    exports: ExportSettings
  }
}
