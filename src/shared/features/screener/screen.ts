/** A screen: which instruments it lists, over which span, and by which figures. Saved with the settings. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { ASSET_CLASSES, instrumentId, parseInstrument, type AssetClass, type InstrumentId } from '../../base/units.ts'
import { settingsSection, type Watchlist } from '../../core/settings/settings.ts'
import type { Interval } from '../../core/market/market.ts'
import { METRIC_IDS, METRICS, type MetricId } from './metrics.ts'

/** The spans of screens, and the bars that their figures are made of. */
export const SCREEN_SPANS = {
  '1h': { ms: 3_600_000, interval: '1m' },
  '4h': { ms: 14_400_000, interval: '5m' },
  '1d': { ms: 86_400_000, interval: '15m' },
  '1w': { ms: 604_800_000, interval: '1h' },
  '30d': { ms: 2_592_000_000, interval: '4h' },
} as const satisfies Readonly<Record<string, { readonly ms: number; readonly interval: Interval }>>
export type ScreenSpan = keyof typeof SCREEN_SPANS
export const SPAN_IDS = Object.keys(SCREEN_SPANS) as readonly ScreenSpan[] // keys of a literal object

const metric = v.picklist(METRIC_IDS)
const bound = v.nullable(v.pipe(v.number(), v.finite()))

const filterSchema = v.object({ metric, min: v.fallback(bound, null), max: v.fallback(bound, null) })
/** Both bounds belong to the range. Null: unbounded. An unknown value never matches. */
export type ScreenFilter = v.InferOutput<typeof filterSchema>

export const screenSchema = v.object({
  span: v.fallback(v.picklist(SPAN_IDS), '1d'),
  /** `all`, an asset class, or `list:` and the id of a watchlist. */
  universe: v.fallback(text(80), 'all'),
  /** The reference instrument of correlations. */
  reference: v.fallback(text(64), 'crypto:BTCUSD'),
  filters: v.fallback(v.pipe(v.array(filterSchema), v.maxLength(20)), []),
  columns: v.fallback(v.pipe(v.array(metric), v.maxLength(METRIC_IDS.length)), [
    'price',
    'changePercent',
    'range',
    'volume',
    'volatility',
    'spread',
    'coverage',
  ]),
  /** Whether it shows a sparkline of each symbol's prices over the span. */
  trend: v.fallback(v.boolean(), true),
  sort: v.fallback(v.object({ metric: v.nullable(metric), descending: v.boolean() }), {
    metric: 'changePercent',
    descending: true,
  }),
})
export type Screen = v.InferOutput<typeof screenSchema>

const savedScreenSchema = v.object({
  id: text(64),
  name: text(80),
  screen: screenSchema,
  /** Notify when a symbol enters or leaves it. */
  alerts: v.fallback(v.boolean(), false),
})
export type SavedScreen = v.InferOutput<typeof savedScreenSchema>

export const NEW_SCREEN: Screen = v.parse(screenSchema, {})

const settings = v.object({ screens: v.fallback(v.pipe(v.array(savedScreenSchema), v.maxLength(50)), []) })
export type ScreenerSettings = v.InferOutput<typeof settings>
export const screenerSettings = settingsSection('screener', settings)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    screener: ScreenerSettings
  }
}

function neededMetrics({ filters, columns, sort }: Screen): ReadonlySet<MetricId> {
  return new Set([...filters.map(({ metric }) => metric), ...columns, ...(sort.metric === null ? [] : [sort.metric])])
}
export const needsResearch = (screen: Screen): boolean =>
  [...neededMetrics(screen)].some((one) => METRICS[one].from === 'research')
export const needsReference = (screen: Screen): boolean => neededMetrics(screen).has('correlation')

/** Which instruments a universe has. A removed watchlist has none. */
export function universeOf(universe: string, lists: readonly Watchlist[]): (id: InstrumentId) => boolean {
  if (universe === 'all') return () => true
  const asset = ASSET_CLASSES.find((one): one is AssetClass => one === universe)
  if (asset !== undefined) return (id) => parseInstrument(id)?.asset === asset
  const list = lists.find(({ id }) => `list:${id}` === universe)
  const ids = new Set((list?.symbols ?? []).map(({ asset, symbol }) => instrumentId(asset, symbol)))
  return (id) => ids.has(id)
}
