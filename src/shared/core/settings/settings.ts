/**
 * The settings, shared by every host: sections with defaults, each with its own schema. The sections of the core are
 * here; a feature declares its own and registers it. Invalid values fall back to their defaults.
 */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { appearanceSchema, helpSchema, paletteSchema, shortcutsSchema } from './comfort-settings.ts'
import { ASSET_CLASSES } from '../../base/units.ts'

/** Whether `make` knows a name: the functions of Intl throw for others. */
const isKnown = (make: () => unknown): boolean => {
  try {
    make()
    return true
  } catch {
    return false
  }
}
const zone = v.pipe(
  text(64),
  v.check(
    (name) =>
      ['UTC', 'local', 'exchange'].includes(name) || isKnown(() => Intl.DateTimeFormat('en', { timeZone: name })),
  ),
)
/** `others`: names that are no locales. */
const locale = (...others: readonly string[]) =>
  v.pipe(
    text(35),
    v.check((tag) => others.includes(tag) || isKnown(() => Intl.getCanonicalLocales(tag))),
  )

const rule = (most: number) => v.pipe(v.number(), v.minValue(0), v.maxValue(most))

/** The colors of flags in a watchlist. */
export const FLAGS = ['red', 'amber', 'green', 'blue', 'violet'] as const
export type Flag = (typeof FLAGS)[number]

const symbolRow = v.object({
  asset: v.picklist(ASSET_CLASSES),
  symbol: text(64),
  flag: v.optional(v.fallback(v.optional(v.picklist(FLAGS)), undefined)),
  note: v.optional(text(500)),
})
const watchlist = v.object({
  id: text(64),
  name: text(80),
  symbols: v.pipe(v.array(symbolRow), v.maxLength(2_000)),
  sort: v.optional(v.nullable(v.object({ column: text(32), descending: v.boolean() })), null),
  /** Absent: the columns of lists without their own. */
  columns: v.optional(v.pipe(v.array(text(32)), v.maxLength(32))),
})
export type Watchlist = v.InferOutput<typeof watchlist>
export type WatchSymbol = v.InferOutput<typeof symbolRow>

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

const coreSchema = v.object({
  version: v.optional(v.literal(1), 1),
  account: v.object({
    source: v.fallback(v.picklist(['demo', 'service', 'team']), 'demo'),
    /** The name of the team; '' if none was chosen. */
    team: v.fallback(text(31), ''),
    baseUrl: v.fallback(text(2048), ''),
    user: v.fallback(text(320), ''),
    plan: v.fallback(text(64), ''),
    userField: v.fallback(text(64), 'username'),
    passwordField: v.fallback(text(64), 'password'),
    /** Open another connection if a feed needs more than 50 tickers. */
    allowSharding: v.fallback(v.boolean(), false),
  }),
  recording: v.object({
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
  appearance: appearanceSchema,
  shortcuts: shortcutsSchema,
  palette: paletteSchema,
  help: helpSchema,
  /** An IANA time zone, `local` or `exchange`. */
  zone: v.optional(v.fallback(zone, 'UTC'), 'UTC'),
  /** The BCP 47 locale of numbers, or `system`. */
  numbers: v.optional(v.fallback(locale('system'), 'en-US'), 'en-US'),
  /** The BCP 47 locale of dates, `system` or `iso`. */
  dates: v.optional(v.fallback(locale('system', 'iso'), 'en-GB'), 'en-GB'),
  watchlists: v.optional(
    v.fallback(v.pipe(v.array(watchlist), v.minLength(1), v.maxLength(50)), DEFAULT_WATCHLISTS),
    DEFAULT_WATCHLISTS,
  ),
})

/**
 * All settings by section. A feature adds its section with `declare module`, next to the section's schema; it is there
 * in a terminal or window that started with the feature.
 */
export interface Settings extends v.InferOutput<typeof coreSchema> {
  version: 1
}

/** A partial change of the settings. Sections merge one level deep; other keys replace. */
export type SettingsPatch = {
  readonly [K in keyof Settings]?: Settings[K] extends readonly unknown[] | string | number
    ? Settings[K]
    : Partial<Settings[K]>
}

/** One key of the settings, owned by a feature. */
export interface SettingsSection<T = unknown> {
  readonly name: string
  readonly schema: v.GenericSchema<unknown, T>
  /** How windows look. Safe mode replaces such sections with their defaults. */
  readonly isAppearance: boolean
}

/** Declares a section. Its schema must give the defaults for `{}` if it is an object's, otherwise for `undefined`. */
export const settingsSection = <T>(
  name: keyof Settings,
  schema: v.GenericSchema<unknown, T>,
  { isAppearance = false } = {},
): SettingsSection<T> => ({ name, schema, isAppearance })

const CORE_APPEARANCE = ['appearance', 'shortcuts', 'palette', 'zone', 'numbers', 'dates']
const CORE_SECTIONS: readonly SettingsSection[] = Object.entries(coreSchema.entries).map(([name, schema]) => ({
  name,
  schema,
  isAppearance: CORE_APPEARANCE.includes(name),
}))

/** The sections of the core and those given. @throws if two have one name. */
export function withCoreSections(sections: readonly SettingsSection[]): readonly SettingsSection[] {
  const all = [...CORE_SECTIONS, ...sections]
  const twice = all.find(({ name }, i) => all.findIndex((other) => other.name === name) !== i)
  if (twice !== undefined) throw new Error(`Two sections of the settings are named ${twice.name}.`)
  return all
}

/** Parses each section of `stored`; missing sections give their defaults. Throws a ValiError for what has none. */
export function parseSettings(sections: readonly SettingsSection[], stored: object): Settings {
  const values = sections.map(({ name, schema }) => {
    const value: unknown = Object.hasOwn(stored, name) ? stored[name as keyof typeof stored] : undefined // an own key
    return [name, v.parse(schema, value === undefined && schema.type === 'object' ? {} : value)]
  })
  return Object.fromEntries(values) as Settings // the sections of the features started, and the core's
}

/** Applies a patch; ignores keys without a section. Throws a ValiError if the result isn't valid. */
export function mergeSettings(sections: readonly SettingsSection[], now: Settings, patch: SettingsPatch): Settings {
  const merged: Record<string, unknown> = { ...now }
  for (const { name } of sections) {
    if (!Object.hasOwn(patch, name)) continue
    const old = merged[name]
    const add = patch[name as keyof SettingsPatch] as unknown // a key of the patch
    const both =
      typeof old === 'object' && old !== null && !Array.isArray(old) && typeof add === 'object' && add !== null
    merged[name] = both ? { ...old, ...add } : add
  }
  return parseSettings(sections, merged)
}
