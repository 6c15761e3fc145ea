/** Files of market data vendors: how to recognize their columns, and what they contain. */
import type { CsvMapping, ImportField } from '../../../shared/features/import/import.ts'
import type { AssetClass, FeedId } from '../../../shared/base/units.ts'
import { createTimeReader } from './times.ts'

/** What a row of a vendor's file is. */
type Content = 'trade' | 'quote' | 'minute' | 'second'

interface Vendor {
  readonly id: string
  /** For help. */
  readonly title: string
  readonly content: Content
  /** What its columns contain, by lower-case name; columns that aren't here are ignored. */
  readonly columns: Readonly<Record<string, ImportField>>
  /** The names that recognize it, all of them. */
  readonly needs: readonly string[]
  /** A name that only files of another kind have. */
  readonly never?: string
  /** For files without a header: the names of all columns, and whether a row is one of them. */
  readonly headless?: { readonly names: readonly string[]; readonly matches: (row: readonly string[]) => boolean }
  readonly asset: AssetClass
  /** The columns that may hold the time, instead of one of `columns`, and their formats. */
  readonly times?: Readonly<Record<string, string>>
  /** Finds the symbol in the file's name where no column has it. */
  readonly nameSymbol?: RegExp
  /** Whole prices are billionths. */
  readonly fixedPrices?: true
}

const FEED_OF: Readonly<Record<Content, Readonly<Record<AssetClass, FeedId | undefined>>>> = {
  trade: { crypto: 'crypto/XT', forex: undefined, stocks: 'stocks/T' },
  quote: { crypto: 'crypto/XQ', forex: 'forex/C', stocks: 'stocks/Q' },
  minute: { crypto: 'crypto/XA', forex: 'forex/CA', stocks: 'stocks/AM' },
  second: { crypto: 'crypto/XAS', forex: 'forex/CAS', stocks: 'stocks/A' },
}

const OHLC = { open: 'open', high: 'high', low: 'low', close: 'close', volume: 'volume' } as const
const isNumber = (text = ''): boolean => /^\d+(?:\.\d+)?$/.test(text)
const isFlag = (text = ''): boolean => /^(?:true|false)$/i.test(text)
/** Numbers and then one flag, as in Binance's files of futures, or two, as in those of the spot market. */
const hasNumbersAndFlags = (row: readonly string[], numbers: number): boolean =>
  [1, 2].includes(row.length - numbers) && row.every((text, i) => (i < numbers ? isNumber(text) : isFlag(text)))
const BINANCE_NAME = /^([A-Z0-9]+)-/
const DUKASCOPY_NAME = /^([A-Z.]+)_/
const DUKASCOPY_TIME = 'DD.MM.YYYY HH:mm:ss.SSS'
/** Local times have an offset, such as "15.01.2024 01:00:00.000 GMT+0100". */
const DUKASCOPY_TIMES = { 'gmt time': DUKASCOPY_TIME, 'local time': `${DUKASCOPY_TIME} Z` }

/** In the order they are tried: those that need more columns first. */
export const VENDORS: readonly Vendor[] = [
  {
    id: 'binance-aggtrades',
    title: 'Binance aggTrades',
    content: 'trade',
    asset: 'crypto',
    needs: ['agg_trade_id', 'price', 'quantity', 'transact_time'],
    columns: { price: 'price', quantity: 'size', transact_time: 'time' },
    headless: {
      names: ['agg_trade_id', 'price', 'quantity', 'first_trade_id', 'last_trade_id', 'transact_time', 'maker', 'best'],
      matches: (row) => hasNumbersAndFlags(row, 6),
    },
    nameSymbol: BINANCE_NAME,
  },
  {
    id: 'binance-trades',
    title: 'Binance trades',
    content: 'trade',
    asset: 'crypto',
    needs: ['id', 'price', 'qty', 'quote_qty', 'time'],
    columns: { price: 'price', qty: 'size', time: 'time' },
    headless: {
      names: ['id', 'price', 'qty', 'quote_qty', 'time', 'maker', 'best'],
      matches: (row) => hasNumbersAndFlags(row, 5),
    },
    nameSymbol: BINANCE_NAME,
  },
  {
    id: 'binance-klines',
    title: 'Binance klines (1m, 1s)',
    content: 'minute',
    asset: 'crypto',
    needs: ['open_time', 'open', 'high', 'low', 'close', 'quote_volume'],
    columns: { open_time: 'time', ...OHLC },
    headless: {
      names: [
        'open_time',
        ...Object.keys(OHLC),
        'close_time',
        'quote_volume',
        'count',
        'taker',
        'taker_quote',
        'ignore',
      ],
      matches: (row) => row.length === 12 && row.every(isNumber) && Number(row[6]) - Number(row[0]) > 0,
    },
    nameSymbol: BINANCE_NAME,
  },
  {
    id: 'dukascopy-ticks',
    title: 'Dukascopy ticks',
    content: 'quote',
    asset: 'forex',
    needs: ['ask', 'bid', 'askvolume', 'bidvolume'],
    columns: { ask: 'ask', bid: 'bid' },
    times: DUKASCOPY_TIMES,
    nameSymbol: DUKASCOPY_NAME,
  },
  {
    id: 'dukascopy-bars',
    title: 'Dukascopy candlesticks (1 minute)',
    content: 'minute',
    asset: 'forex',
    needs: ['open', 'high', 'low', 'close', 'volume'],
    columns: OHLC,
    times: DUKASCOPY_TIMES,
    nameSymbol: DUKASCOPY_NAME,
  },
  {
    id: 'databento-quotes',
    title: 'Databento MBP-1, TBBO and BBO',
    content: 'quote',
    asset: 'stocks',
    needs: ['ts_event', 'publisher_id', 'instrument_id', 'bid_px_00', 'ask_px_00'],
    columns: {
      symbol: 'symbol',
      ts_event: 'time',
      ts_recv: 'received',
      bid_px_00: 'bid',
      ask_px_00: 'ask',
      bid_sz_00: 'bidSize',
      ask_sz_00: 'askSize',
    },
    fixedPrices: true,
  },
  {
    id: 'databento-bars',
    title: 'Databento OHLCV-1m and OHLCV-1s',
    content: 'minute',
    asset: 'stocks',
    needs: ['ts_event', 'publisher_id', 'instrument_id', 'open', 'close'],
    columns: { symbol: 'symbol', ts_event: 'time', ...OHLC },
    fixedPrices: true,
  },
  {
    id: 'databento-trades',
    title: 'Databento trades',
    content: 'trade',
    asset: 'stocks',
    needs: ['ts_event', 'publisher_id', 'instrument_id', 'price', 'size', 'side'],
    // MBO: orders that were added, changed and cancelled, among a few trades.
    never: 'order_id',
    columns: { symbol: 'symbol', ts_event: 'time', ts_recv: 'received', price: 'price', size: 'size' },
    fixedPrices: true,
  },
  {
    id: 'polygon-quotes',
    title: 'Polygon and Massive flat files, quotes',
    content: 'quote',
    asset: 'stocks',
    needs: ['ticker', 'ask_price', 'bid_price', 'participant_timestamp'],
    columns: {
      ticker: 'symbol',
      ask_price: 'ask',
      ask_size: 'askSize',
      bid_price: 'bid',
      bid_size: 'bidSize',
      participant_timestamp: 'time',
      sip_timestamp: 'received',
    },
  },
  {
    id: 'polygon-bars',
    title: 'Polygon and Massive flat files, minute aggregates',
    content: 'minute',
    asset: 'stocks',
    needs: ['ticker', 'open', 'close', 'window_start', 'transactions'],
    columns: { ticker: 'symbol', window_start: 'time', ...OHLC },
  },
  {
    id: 'polygon-trades',
    title: 'Polygon and Massive flat files, trades',
    content: 'trade',
    asset: 'stocks',
    needs: ['ticker', 'conditions', 'price', 'size', 'participant_timestamp'],
    columns: {
      ticker: 'symbol',
      price: 'price',
      size: 'size',
      correction: 'correction',
      participant_timestamp: 'time',
      sip_timestamp: 'received',
    },
  },
]

/** A table's columns and its first rows. */
export interface TableHead {
  readonly header: boolean
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The mapping of a vendor's file, or null if it is of none. `id`: only this vendor's. `name`: the file's name. */
export function vendorMapping(table: TableHead, name: string, id?: string): CsvMapping | null {
  const found = recognized(table, name, id)
  return found?.length === 'other' ? null : (found?.mapping ?? null)
}

/** Whether a file is a vendor's, but of bars that no feed has, such as hours or days. */
export const hasOtherBars = (table: TableHead, name: string, id?: string): boolean =>
  recognized(table, name, id)?.length === 'other'

/** What the bars of a vendor's file are taken for if nothing in it says how long they are. Null otherwise. */
export function assumedBars(
  table: TableHead,
  name: string,
  id?: string,
): { readonly feed: FeedId; readonly unit: 'minutes' | 'seconds' } | null {
  const found = recognized(table, name, id)
  if (found?.length === 'assumed-minute') return { feed: found.mapping.feed, unit: 'minutes' }
  return found?.length === 'assumed-second' ? { feed: found.mapping.feed, unit: 'seconds' } : null
}

function recognized(
  { header, columns, rows }: TableHead,
  name: string,
  id?: string,
): { readonly mapping: CsvMapping; readonly length: BarLength } | null {
  const lower = columns.map((column) => column.trim().toLowerCase())
  for (const vendor of VENDORS) {
    if (id !== undefined && vendor.id !== id) continue
    const [first = []] = rows
    const isHeadless = vendor.headless?.matches(first) === true
    const names = header ? lower : isHeadless ? vendor.headless.names.slice(0, first.length) : null
    if (names === null || (header && !vendor.needs.every((need) => names.includes(need)))) continue
    if (vendor.never !== undefined && names.includes(vendor.never)) continue
    const times = vendor.times ?? {}
    const timeName = names.find((one) => Object.hasOwn(times, one))
    if (vendor.times !== undefined && timeName === undefined) continue
    const dateFormat = timeName === undefined ? undefined : times[timeName]
    const fields = names.map((one): ImportField | null =>
      one === timeName ? 'time' : Object.hasOwn(vendor.columns, one) ? vendor.columns[one] : null,
    )
    const startMs = startReader(fields.indexOf('time'), dateFormat)
    const length = vendor.content === 'minute' ? barLength(names, rows, name, startMs) : 'minute'
    const content = length === 'second' || length === 'assumed-second' ? 'second' : vendor.content
    const symbolAt = fields.indexOf('symbol')
    const feed = FEED_OF[content][assetOf(vendor.asset, rows[0]?.[symbolAt] ?? '')]
    if (feed === undefined) continue
    const mapping: CsvMapping = {
      columns: fields,
      feed,
      zone: 'UTC',
      symbol: symbolAt < 0 ? (vendor.nameSymbol?.exec(name)?.[1] ?? '') : '',
      dateFormat,
      fixedPrices: vendor.fixedPrices,
    }
    return { mapping, length }
  }
  return null
}

/** Reads when the bar of a row begins, ms. */
function startReader(at: number, dateFormat: string | undefined): (row: readonly string[]) => number {
  const timeOf = createTimeReader({ zone: 'UTC', dateFormat })
  return (row) => {
    const time = timeOf(row[at] ?? '')
    return typeof time === 'number' ? time : NaN
  }
}

/** Polygon's files of all markets have the same columns; their symbols tell them apart. */
const assetOf = (usual: AssetClass, symbol: string): AssetClass =>
  symbol.startsWith('X:') ? 'crypto' : symbol.startsWith('C:') ? 'forex' : usual

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Databento's record types of bars. */
const RECORD_TYPES: Readonly<Record<string, number>> = { '32': 1000, '33': MINUTE_MS, '34': HOUR_MS, '35': 86_400_000 }
/** Dukascopy's units, as its file names have them. */
const NAME_UNITS: Readonly<Record<string, number>> = { s: 1000, sec: 1000, m: MINUTE_MS, min: MINUTE_MS }

/** What bars of a length are imported as: `other` if no feed has them, `assumed` if it isn't known. */
type BarLength = 'second' | 'minute' | 'other' | 'assumed-second' | 'assumed-minute'

const called = (ms: number): BarLength => (ms === MINUTE_MS ? 'minute' : ms === 1000 ? 'second' : 'other')

/** ms of a number since 1970 in s, ms, µs or ns, by its magnitude. NaN if it isn't one. */
function since1970(text: string | undefined): number {
  const value = /^\d+$/.test(text ?? '') ? Number(text) : NaN
  return value < 1e11 ? value * 1000 : value < 1e14 ? value : value < 1e17 ? value / 1000 : value / 1e6
}

/** The length of a file's bars: by the end of its first bar, its record type, its name or its times. */
function barLength(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  name: string,
  startMs: (row: readonly string[]) => number,
): BarLength {
  const first = rows[0] ?? []
  const end = since1970(first[names.indexOf('close_time')])
  // Its end is the last millisecond or microsecond of the bar.
  if (!Number.isNaN(end)) return called(Math.ceil(end - since1970(first[names.indexOf('open_time')]) + 1e-4))
  const type = first[names.indexOf('rtype')]
  if (type !== undefined) return called(RECORD_TYPES[type.trim()] ?? NaN)
  const [, count, unit] = /_Candlestick_(\d+)_([A-Za-z]+)_/.exec(name) ?? []
  if (unit !== undefined) return called(Number(count) * (NAME_UNITS[unit.toLowerCase()] ?? NaN))
  return lengthByTimes(rows.map(startMs).filter((ms) => !Number.isNaN(ms)))
}

/** So many different starts of seconds or minutes hardly ever all lie on every second or fifth one. */
const ENOUGH_STARTS = 10

/** The length of bars by the raster of their starts, ms: a single bar doesn't show one. */
function lengthByTimes(starts: readonly number[]): BarLength {
  const raster = starts.reduce(greatestDivisor, 0)
  if (raster === MINUTE_MS || raster === 1000 || raster % 1000 !== 0) return called(raster)
  const different = new Set(starts).size
  const isOnTheHour = starts.length > 1 && raster % HOUR_MS === 0
  if (isOnTheHour || different >= ENOUGH_STARTS) return 'other'
  return raster % MINUTE_MS === 0 ? 'assumed-minute' : 'assumed-second'
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))
