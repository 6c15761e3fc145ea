/** The settings: one schema with defaults for every host. Unknown keys are dropped, invalid values fall back. */
import * as v from 'valibot'
import {
  CHART_STYLES,
  DEFAULT_CHART_OPTIONS,
  chartOptionsSchema,
  chartTemplateSchema,
} from '../../features/chart/chart-settings.ts'
import { appearanceSchema, helpSchema, paletteSchema, shortcutsSchema } from './comfort-settings.ts'
import { DRAWING_COLORS, DRAWING_DASHES, DRAWING_KINDS } from '../../features/drawings/types.ts'
import { EXPORT_FORMATS, EXPORT_KINDS, SEPARATORS, SPLITS } from '../../features/export/export.ts'
import { BAR_SOURCES, INTERVAL_LABELS, type Interval } from '../market/market.ts'
import { ASSET_CLASSES, FEED_IDS } from '../../base/units.ts'
import { UPDATE_CHANNELS } from '../../features/updates/updates.ts'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))
const interval = v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x))

const rule = (most: number) => v.pipe(v.number(), v.minValue(0), v.maxValue(most))

/** Panes below the chart, in the order of their tabs. */
export const LOWER_PANES = [
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
const symbolRow = v.object({ asset: v.picklist(ASSET_CLASSES), symbol: text(64) })
const watchlist = v.object({
  id: text(64),
  name: text(80),
  symbols: v.pipe(v.array(symbolRow), v.maxLength(2_000)),
  sort: v.optional(v.nullable(v.object({ column: text(32), descending: v.boolean() })), null),
})
export type Watchlist = v.InferOutput<typeof watchlist>
export type WatchSymbol = v.InferOutput<typeof symbolRow>

const drawingStyle = v.object({
  color: v.picklist(DRAWING_COLORS),
  width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4)),
  dash: v.picklist(DRAWING_DASHES),
  fill: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
})

/** The response's field names serve as parameters, because the service documents none (docs/service.md). */
const PERIODS = { year: 'fiscal_year', quarter: 'quarter', period: 'period', annual: 'annual' }

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

const crypto = (symbol: string) => ({ asset: 'crypto' as const, symbol })
const forex = (symbol: string) => ({ asset: 'forex' as const, symbol })
const stocks = (symbol: string) => ({ asset: 'stocks' as const, symbol })

/** The watchlists of a first start. The demo market trades every symbol in them. */
export const DEFAULT_WATCHLISTS: Watchlist[] = [
  {
    id: 'majors',
    name: 'Majors',
    sort: null,
    symbols: [
      crypto('BTC-USD'),
      crypto('ETH-USD'),
      crypto('SOL-USD'),
      crypto('DOGE-USD'),
      forex('EURUSD'),
      forex('USDJPY'),
      forex('GBPUSD'),
      forex('NZDUSD'),
      stocks('AAPL'),
      stocks('SPY'),
      stocks('IBM'),
      stocks('NVDA'),
    ],
  },
  {
    id: 'crypto',
    name: 'Crypto',
    sort: null,
    symbols: ['BTC-USD', 'ETH-USD', 'SOL-USD', 'XRP-USD', 'ADA-USD', 'DOGE-USD', 'LTC-USD'].map(crypto),
  },
  {
    id: 'fx',
    name: 'FX',
    sort: null,
    symbols: ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD', 'USDCAD', 'USDCHF'].map(forex),
  },
  {
    id: 'stocks',
    name: 'Stocks',
    sort: null,
    symbols: ['SPY', 'IBM', 'AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN'].map(stocks),
  },
]

export const settingsSchema = v.object({
  version: v.optional(v.literal(1), 1),
  account: v.optional(
    v.object({
      source: v.fallback(v.picklist(['demo', 'service']), 'demo'),
      baseUrl: v.fallback(text(2048), ''),
      user: v.fallback(text(320), ''),
      plan: v.fallback(text(64), ''),
      userField: v.fallback(text(64), 'username'),
      passwordField: v.fallback(text(64), 'password'),
      /** Open another connection if a feed needs more than 50 tickers. */
      allowSharding: v.fallback(v.boolean(), false),
    }),
    {
      source: 'demo',
      baseUrl: '',
      user: '',
      plan: '',
      userField: 'username',
      passwordField: 'password',
      allowSharding: false,
    },
  ),
  recording: v.optional(
    v.object({
      enabled: v.fallback(v.boolean(), true),
      /** Record the symbols of every watchlist, even if no window shows them. */
      allWatchlists: v.fallback(v.boolean(), true),
      /** Empty for the app's own folder. Takes effect at the next start. */
      storePath: v.fallback(text(4096), ''),
      /** Retention rules: days, size in 10^9 bytes, and days in the bin before erasing. 0 disables a rule. */
      keepDays: v.fallback(rule(36_500), 0),
      keepGb: v.fallback(rule(1_000_000), 0),
      binDays: v.fallback(rule(36_500), 30),
    }),
    { enabled: true, allWatchlists: true, storePath: '', keepDays: 0, keepGb: 0, binDays: 30 },
  ),
  appearance: appearanceSchema,
  shortcuts: shortcutsSchema,
  palette: paletteSchema,
  help: helpSchema,
  research: v.optional(
    v.object({
      /** Requests allowed per UTC day. The service only says "10,000+ daily API calls" (docs/service.md#limits). */
      dailyCalls: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000_000)), 10_000),
      /** What the Authorization header carries: the API key, or the access token if the user says so. */
      auth: v.fallback(v.picklist(['api-key', 'token']), 'api-key'),
      /** The user's query parameters by endpoint. The service documents none. */
      params: v.fallback(v.record(text(64), v.record(text(64), text(512))), {}),
      /** The user's meanings for columns of an endpoint's response. */
      mappings: v.fallback(
        v.record(text(64), v.object({ date: v.nullable(text(256)), value: v.nullable(text(256)) })),
        {},
      ),
      /** Indicator parameters, and the service's names for them as given by the user. */
      technical: v.fallback(
        v.record(text(64), v.object({ values: v.record(text(32), v.number()), names: v.record(text(32), text(64)) })),
        {},
      ),
      /** The service's parameter names for year, quarter and period, and its value for whole years. */
      periods: v.fallback(v.object({ year: text(64), quarter: text(64), period: text(64), annual: text(64) }), PERIODS),
    }),
    { dailyCalls: 10_000, auth: 'api-key', params: {}, mappings: {}, technical: {}, periods: PERIODS },
  ),
  /** Desktop integration. Ignored by hosts without a desktop. */
  desktop: v.optional(
    v.object({
      /** Stay in the tray if the last window closes while a real market is being recorded. */
      keepInTray: v.fallback(v.boolean(), true),
      /** Ask before quitting while a real market is being recorded. */
      askOnQuit: v.fallback(v.boolean(), true),
      startAtLogin: v.fallback(v.boolean(), false),
      /** The global shortcut that adds a bookmark, in Electron's notation. Empty for none. */
      bookmarkShortcut: v.fallback(text(40), ''),
    }),
    { keepInTray: true, askOnQuit: true, startAtLogin: false, bookmarkShortcut: '' },
  ),
  /** Updates of the installed app. */
  updates: v.optional(
    v.object({
      /** Check periodically and download in the background. */
      check: v.fallback(v.boolean(), true),
      channel: v.fallback(v.picklist(UPDATE_CHANNELS), 'stable'),
    }),
    { check: true, channel: 'stable' },
  ),
  /** An IANA time zone, `local` or `exchange`. */
  zone: v.optional(v.fallback(text(64), 'UTC'), 'UTC'),
  /** The BCP 47 locale of numbers, or `system`. */
  numbers: v.optional(v.fallback(text(35), 'en-US'), 'en-US'),
  /** The BCP 47 locale of dates, `system` or `iso`. */
  dates: v.optional(v.fallback(text(35), 'en-GB'), 'en-GB'),
  watchlists: v.optional(
    v.fallback(v.pipe(v.array(watchlist), v.minLength(1), v.maxLength(50)), DEFAULT_WATCHLISTS),
    DEFAULT_WATCHLISTS,
  ),
  workspace: v.optional(
    v.object({
      activeWatchlist: v.fallback(text(64), 'majors'),
      instrument: v.fallback(text(80), 'crypto:BTCUSD'),
      // Seconds, because a first start has no history: a chart of minutes would be one candle.
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
      bottomPane: 'none',
    },
  ),
  /** Sets of indicators saved by the user. */
  charts: v.optional(v.object({ templates: v.fallback(v.pipe(v.array(chartTemplateSchema), v.maxLength(50)), []) }), {
    templates: [],
  }),
  /** Defaults for new drawings. The drawings themselves are saved by instrument. */
  drawing: v.optional(
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
  ),
  exports: v.optional(v.object({ presets: v.fallback(v.pipe(v.array(exportPreset), v.maxLength(100)), []) }), {
    presets: [],
  }),
})
export type Settings = v.InferOutput<typeof settingsSchema>

/** A partial change of the settings. Sections merge one level deep; other keys replace. */
export type SettingsPatch = {
  readonly [K in keyof Settings]?: Settings[K] extends readonly unknown[] | string | number
    ? Settings[K]
    : Partial<Settings[K]>
}

export const DEFAULT_SETTINGS: Settings = v.parse(settingsSchema, {})

/** Applies a patch. Throws a ValiError if the result isn't valid. */
export function mergeSettings(now: Settings, patch: SettingsPatch): Settings {
  const merged: Record<string, unknown> = { ...now }
  for (const key of Object.keys(settingsSchema.entries)) {
    if (!Object.hasOwn(patch, key)) continue
    const old = (now as Record<string, unknown>)[key]
    const add = (patch as Record<string, unknown>)[key]
    const both =
      typeof old === 'object' && old !== null && !Array.isArray(old) && typeof add === 'object' && add !== null
    merged[key] = both ? { ...old, ...add } : add
  }
  return v.parse(settingsSchema, merged)
}
