/** Guesses a table's column mapping from the column names, and rejects mappings that can't work. */
import { FEEDS } from '../../../service/feeds.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { CsvMapping, ImportField } from '../../../shared/features/import/import.ts'
import { createDateFormat } from './date-format.ts'
import { ownBarMapping } from './own-bars.ts'
import { vendorMapping, type TableHead } from './vendors.ts'

/** Common column names of tick tables, in lower case without spaces and punctuation. */
const NAMES: Readonly<Record<ImportField, readonly string[]>> = {
  symbol: ['symbol', 'ticker', 'pair', 'sym', 'instrument', 'security', 'code', 'product'],
  time: ['time', 'timestamp', 'ts', 't', 'datetime', 'date', 'eventms', 'eventtime', 'eventiso', 'tradetime', 'start'],
  received: ['recvms', 'received', 'receivetime', 'recvtime', 'localtime', 'localtimestamp', 'recviso'],
  price: ['price', 'p', 'last', 'tradeprice', 'px', 'rate'],
  size: ['size', 's', 'qty', 'quantity', 'amount', 'sz', 'lots', 'tradesize'],
  correction: ['correction', 'trcorr'],
  bid: ['bid', 'b', 'bp', 'bidprice', 'bestbid'],
  ask: ['ask', 'a', 'ap', 'askprice', 'bestask', 'offer'],
  bidSize: ['bidsize', 'bs', 'bidqty', 'bidvolume', 'bidamount'],
  askSize: ['asksize', 'as', 'askqty', 'askvolume', 'askamount'],
  open: ['open', 'o'],
  high: ['high', 'h'],
  low: ['low', 'l'],
  close: ['close', 'c'],
  volume: ['volume', 'v', 'vol'],
  end: ['end', 'e', 'endtime', 'closetime'],
  raw: ['raw', 'message', 'json'],
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Guesses a mapping from the column names. Each field goes to the first column that matches. */
export function guessMapping(columns: readonly string[]): CsvMapping {
  const taken = new Set<ImportField>()
  const fields = columns.map((column): ImportField | null => {
    const name = plain(column)
    const found = (Object.entries(NAMES) as [ImportField, readonly string[]][]) // NAMES has every field
      .find(([field, names]) => !taken.has(field) && names.includes(name))?.[0]
    if (found === undefined) return null
    taken.add(found)
    return found
  })
  const feed = taken.has('bid') || taken.has('ask') ? 'crypto/XQ' : taken.has('open') ? 'crypto/XA' : 'crypto/XT'
  return { columns: fields, feed, zone: 'UTC', symbol: '' }
}

/** What a table's columns contain: as one of ours or a vendor's, else as the names of its columns say. */
export function suggestMapping(
  table: TableHead,
  name: string,
  manifestFeed: string | null,
  vendor?: string,
): CsvMapping {
  return (
    (vendor === undefined ? ownBarMapping(table, manifestFeed) : null) ??
    vendorMapping(table, name, vendor) ??
    guessMapping(table.columns)
  )
}

/** Throws `usage` if a mapping lacks a required field or uses a field twice. */
export function checkMapping({ columns, feed, symbol, dateFormat }: CsvMapping): void {
  if (dateFormat !== undefined) createDateFormat(dateFormat)
  const used = columns.filter((field) => field !== null)
  const twice = used.find((field, i) => used.indexOf(field) !== i)
  if (twice !== undefined) throw new CodedError('usage', `Two columns are mapped to ${twice}.`)
  const has = (field: ImportField): boolean => used.includes(field)
  if (has('raw')) {
    if (!has('received') && !has('time')) throw new CodedError('usage', 'No column is mapped to the time.')
    return
  }
  if (!has('time')) throw new CodedError('usage', 'No column is mapped to the time.', { hint: 'Map a column to time.' })
  if (!has('symbol') && symbol.trim() === '') {
    throw new CodedError('usage', 'No column is mapped to the symbol.', {
      hint: 'Map a column, or enter one symbol for all rows.',
    })
  }
  const { kind } = FEEDS[feed]
  const enough =
    kind === 'trade'
      ? has('price')
      : kind === 'quote'
        ? has('bid') || has('ask')
        : has('open') && has('high') && has('low') && has('close')
  if (enough) return
  const missing = kind === 'trade' ? 'price' : kind === 'quote' ? 'bid or ask' : 'open, high, low and close'
  throw new CodedError('usage', `${feed} needs ${missing}: map a column to it, or choose another feed.`)
}
