/** The settings of lists and panes, among them those from before panes could be docked. */
import { interval } from '../../core/market/contract.ts'
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { CHART_STYLES, DEFAULT_CHART_OPTIONS, chartOptionsSchema } from '../chart/chart-settings.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** Panes below the chart, in tab order. */
const LOWER_PANES = [
  'company',
  'earnings',
  'news',
  'commodities',
  'technical',
  'alerts',
  'evidence',
  'sessions',
  'log',
] as const

const schema = v.optional(
  v.object({
    activeWatchlist: v.fallback(text(64), 'majors'),
    instrument: v.fallback(text(80), 'crypto:BTCUSD'),
    // Seconds, because a first start has no history: a minute chart would be one candle.
    interval: v.fallback(interval, '1s'),
    of: v.fallback(v.picklist(['auto', 'trade', 'bid', 'ask', 'mid', 'service']), 'auto'),
    style: v.fallback(v.picklist(CHART_STYLES), 'candles'),
    /** Show ticks instead of bars. */
    ticks: v.fallback(v.boolean(), false),
    columns: v.fallback(v.array(text(32)), ['last', 'changePercent', 'spread', 'age']),
    /** Group the symbols of watchlists by asset class. */
    grouped: v.fallback(v.boolean(), true),
    /** Pane sizes in px (left, right, bottom), and the split of the right column as a fraction. */
    layout: v.fallback(v.object({ left: v.number(), right: v.number(), bottom: v.number(), split: v.number() }), {
      left: 328,
      right: 252,
      bottom: 0,
      split: 0.28,
    }),
    /** Mark earnings and news on charts of stocks. */
    events: v.fallback(v.boolean(), false),
    /** The other options of a chart. */
    chart: v.optional(v.fallback(chartOptionsSchema, DEFAULT_CHART_OPTIONS), DEFAULT_CHART_OPTIONS),
    /** The "Connect your account" card was dismissed. */
    cardDismissed: v.fallback(v.boolean(), false),
    tapeMinSize: v.fallback(v.number(), 0),
    /** Prints of this size or more are highlighted; 0: none. */
    tapeLargeSize: v.fallback(v.number(), 0),
    /** Highlight prints above the 99.5th percentile of the day before instead. */
    tapeLargeAuto: v.fallback(v.boolean(), false),
    /** Color prints by the aggressor's side instead of the change of price. */
    tapeSides: v.fallback(v.boolean(), true),
    /** Show prints of the same millisecond and side as one. */
    tapeBursts: v.fallback(v.boolean(), false),
    /** How far such prints may be apart, ms; 0: within one millisecond. */
    tapeBurstMs: v.fallback(v.picklist([0, 100]), 0),
    bottomPane: v.fallback(v.picklist(['none', ...LOWER_PANES]), 'none'),
  }),
  {
    activeWatchlist: 'majors',
    instrument: 'crypto:BTCUSD',
    interval: '1s',
    of: 'auto',
    style: 'candles',
    ticks: false,
    columns: ['last', 'changePercent', 'spread', 'age'],
    grouped: true,
    events: false,
    chart: DEFAULT_CHART_OPTIONS,
    layout: { left: 328, right: 252, bottom: 0, split: 0.28 },
    cardDismissed: false,
    tapeMinSize: 0,
    tapeLargeSize: 0,
    tapeLargeAuto: false,
    tapeSides: true,
    tapeBursts: false,
    tapeBurstMs: 0,
    bottomPane: 'none',
  },
)
export type WorkspaceSettings = v.InferOutput<typeof schema>
export const workspaceSettings = settingsSection('workspace', schema, { isAppearance: true })

declare module '../../core/settings/settings.ts' {
  interface Settings {
    workspace: WorkspaceSettings
  }
}
