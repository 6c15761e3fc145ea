/** The settings of research. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** The response's field names serve as parameters, because the service documents none (docs/service.md). */
const PERIODS = { year: 'fiscal_year', quarter: 'quarter', period: 'period', annual: 'annual' }

const schema = v.object({
  /** Requests allowed per UTC day. The service only says "10,000+ daily API calls" (docs/service.md#limits). */
  dailyCalls: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000_000)), 10_000),
  /** What the Authorization header carries: the API key, or the access token if the user says so. */
  auth: v.fallback(v.picklist(['api-key', 'token']), 'api-key'),
  /** The user's query parameters by endpoint. The service documents none. */
  params: v.fallback(v.record(text(64), v.record(text(64), text(512))), {}),
  /** The user's meanings for columns of an endpoint's response. */
  mappings: v.fallback(v.record(text(64), v.object({ date: v.nullable(text(256)), value: v.nullable(text(256)) })), {}),
  /** Indicator parameters, and the service's names for them as given by the user. */
  technical: v.fallback(
    v.record(text(64), v.object({ values: v.record(text(32), v.number()), names: v.record(text(32), text(64)) })),
    {},
  ),
  /** The service's parameter names for year, quarter and period, and its value for whole years. */
  periods: v.fallback(v.object({ year: text(64), quarter: text(64), period: text(64), annual: text(64) }), PERIODS),
})
export type ResearchSettings = v.InferOutput<typeof schema>
export const researchSettings = settingsSection('research', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    research: ResearchSettings
  }
}
