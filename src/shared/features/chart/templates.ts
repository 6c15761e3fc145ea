/** Indicator templates saved by the user. */
import * as v from 'valibot'
import { chartTemplateSchema } from './chart-settings.ts'
import { settingsSection } from '../../core/settings/settings.ts'

const schema = v.object({ templates: v.fallback(v.pipe(v.array(chartTemplateSchema), v.maxLength(50)), []) })
export type ChartTemplates = v.InferOutput<typeof schema>
export const chartTemplates = settingsSection('charts', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    charts: ChartTemplates
  }
}
