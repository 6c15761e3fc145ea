/** Files of market data vendors: how to recognize their columns, and what they contain. */
import type { CsvMapping, ImportField } from '../../../shared/features/import/import.ts'
import type { AssetClass, FeedId } from '../../../shared/base/units.ts'

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
  /** For files without a header: the names of all columns, and whether a row is one of them. */
  readonly headless?: { readonly names: readonly string[]; readonly matches: (row: readonly string[]) => boolean }
  readonly asset: AssetClass
  readonly dateFormat?: string
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
const BINANCE_NAME = /^([A-Z0-9]+)-/
const DUKASCOPY_NAME = /^([A-Z.]+)_/
const DUKASCOPY_TIME = 'DD.MM.YYYY HH:mm:ss.SSS'

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
      matches: (row) => row.length === 8 && row.slice(0, 6).every(isNumber) && isFlag(row[6]) && isFlag(row[7]),
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
      matches: (row) => row.length === 7 && row.slice(0, 5).every(isNumber) && isFlag(row[5]) && isFlag(row[6]),
    },
    nameSymbol: BINANCE_NAME,
  },
  {
    id: 'binance-klines',
    title: 'Binance klines (1m)',
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
    needs: ['gmt time', 'ask', 'bid', 'askvolume', 'bidvolume'],
    columns: { 'gmt time': 'time', ask: 'ask', bid: 'bid' },
    dateFormat: DUKASCOPY_TIME,
    nameSymbol: DUKASCOPY_NAME,
  },
  {
    id: 'dukascopy-bars',
    title: 'Dukascopy candlesticks (1 minute)',
    content: 'minute',
    asset: 'forex',
    needs: ['gmt time', 'open', 'high', 'low', 'close', 'volume'],
    columns: { 'gmt time': 'time', ...OHLC },
    dateFormat: DUKASCOPY_TIME,
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
    title: 'Databento OHLCV-1m',
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
export function vendorMapping({ header, columns, rows }: TableHead, name: string, id?: string): CsvMapping | null {
  const lower = columns.map((column) => column.trim().toLowerCase())
  for (const vendor of VENDORS) {
    if (id !== undefined && vendor.id !== id) continue
    const names = header ? lower : vendor.headless?.matches(rows[0] ?? []) === true ? vendor.headless.names : null
    if (names === null || (header && !vendor.needs.every((need) => names.includes(need)))) continue
    const fields = names.map((one): ImportField | null =>
      Object.hasOwn(vendor.columns, one) ? vendor.columns[one] : null,
    )
    const symbolAt = fields.indexOf('symbol')
    const feed = FEED_OF[vendor.content][assetOf(vendor.asset, rows[0]?.[symbolAt] ?? '')]
    if (feed === undefined) continue
    return {
      columns: fields,
      feed,
      zone: 'UTC',
      symbol: symbolAt < 0 ? (vendor.nameSymbol?.exec(name)?.[1] ?? '') : '',
      dateFormat: vendor.dateFormat,
      fixedPrices: vendor.fixedPrices,
    }
  }
  return null
}

/** Polygon's files of all markets have the same columns; their symbols tell them apart. */
const assetOf = (usual: AssetClass, symbol: string): AssetClass =>
  symbol.startsWith('X:') ? 'crypto' : symbol.startsWith('C:') ? 'forex' : usual
