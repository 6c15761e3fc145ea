/** The saved exports. */
import { interval } from '../../core/market/contract.ts'
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { FEED_IDS } from '../../base/units.ts'
import { BAR_SOURCES } from '../../core/market/market.ts'
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_SCHEMAS, SEPARATORS, SPLITS } from './export.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** A saved export. Absent options are asked for or use their defaults. */
const exportPreset = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  what: v.optional(v.picklist(EXPORT_KINDS)),
  feed: v.optional(v.picklist(FEED_IDS)),
  symbols: v.optional(v.pipe(v.array(v.pipe(text(64), v.minLength(1))), v.maxLength(2_000))),
  of: v.optional(v.nullable(v.picklist(BAR_SOURCES))),
  interval: v.optional(interval),
  format: v.optional(v.picklist(EXPORT_FORMATS)),
  /** Absent: 1, as before there was another. */
  schema: v.optional(v.picklist(EXPORT_SCHEMAS)),
  raw: v.optional(v.boolean()),
  extended: v.optional(v.boolean()),
  bom: v.optional(v.boolean()),
  separator: v.optional(v.picklist(SEPARATORS)),
  /** Times and numbers for a spreadsheet, in the zone of the window or computer. */
  sheet: v.optional(v.boolean()),
  split: v.optional(v.picklist(SPLITS)),
})
export type ExportPreset = v.InferOutput<typeof exportPreset>

/** Presets that everyone has; a saved one of the same name outranks them. */
export const BUILT_IN_PRESETS: readonly ExportPreset[] = [
  { name: 'Excel (comma)', format: 'csv', schema: 2, bom: true, separator: ',', sheet: true },
  { name: 'Excel (semicolon)', format: 'csv', schema: 2, bom: true, separator: ';', sheet: true },
]

const schema = v.object({ presets: v.fallback(v.pipe(v.array(exportPreset), v.maxLength(100)), []) })
export type ExportSettings = v.InferOutput<typeof schema>
export const exportSettings = settingsSection('exports', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    exports: ExportSettings
  }
}
