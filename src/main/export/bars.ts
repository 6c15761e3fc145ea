/** Bars out of the store into a file, oldest first, with a manifest beside. */
import { FEEDS, serviceBarFeed, TICK_FEEDS } from '../../service/feeds.ts'
import { CodedError } from '../../shared/errors.ts'
import type { ExportedFile } from '../../shared/exporting.ts'
import { INTERVALS, type Bar, type BarSource, type Interval } from '../../shared/market.ts'
import { phrase } from '../../shared/phrases.ts'
import { instrumentId, type AssetClass, type FeedId, type InstrumentId } from '../../shared/units.ts'
import type { StoreReader } from '../store/port.ts'
import { createTimeWriter, textRoom, TIME_ROOM, writeText } from './cells.ts'
import { chooseSource, gapsOf, stopIfCancelled, type Chosen, type CommonOptions, type Prepared } from './options.ts'
import { createParquetTable, type ParquetColumn } from './parquet.ts'
import { commitPrepared, prepareFile } from './prepare.ts'
import type { ByteSink } from './sink.ts'

export interface BarExportOptions extends CommonOptions {
  readonly asset: AssetClass
  /** CSV unless told. */
  readonly format?: 'csv' | 'parquet' | undefined
  /** In any spelling of the same instrument; none: every symbol. */
  readonly symbols?: readonly string[] | undefined
  readonly of: BarSource
  readonly interval: Interval
}

export const BAR_COLUMNS = [
  'symbol',
  'start_ms',
  'start_iso',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'count',
  'complete',
  'of',
] as const

/** As CSV, with types; the start twice: ms, and a UTC timestamp. */
const PARQUET_COLUMNS: readonly ParquetColumn[] = [
  { name: 'symbol', is: 'text' },
  { name: 'start_ms', is: 'whole', optional: false },
  { name: 'start_time', is: 'time', optional: false },
  { name: 'open', is: 'number', optional: false },
  { name: 'high', is: 'number', optional: false },
  { name: 'low', is: 'number', optional: false },
  { name: 'close', is: 'number', optional: false },
  { name: 'volume', is: 'number', optional: true },
  { name: 'count', is: 'whole', optional: false },
  { name: 'complete', is: 'bool' },
  { name: 'of', is: 'text' },
]

const PAGE = 5_000
const NUMBER_ROOM = 26

/** The feed whose records make an asset's bars of a kind and interval. Throws `usage` where there is none. */
export function barFeed(asset: AssetClass, of: BarSource, interval: Interval): FeedId {
  if (of === 'service') {
    const feed = serviceBarFeed(asset, INTERVALS[interval])
    if (feed === undefined) throw new CodedError('usage', phrase('exporting.no-service-bars'))
    return feed
  }
  const feed = TICK_FEEDS[asset].find((id) => FEEDS[id].kind === (of === 'trade' ? 'trade' : 'quote'))
  if (feed === undefined) {
    throw new CodedError('usage', `The service sends no trades of ${asset}.`, { hint: 'Use --of bid, ask or mid.' })
  }
  return feed
}

/**
 * Exports the bars of one source that start within [fromMs, toMs), in the order (symbol, start): a bar
 * may span recordings, so these do not part the file. Errors and promises as of `exportTicks`.
 */
export async function exportBars(reader: StoreReader, options: BarExportOptions): Promise<ExportedFile> {
  return commitPrepared(await prepareBars(reader, options))
}

/** As `exportBars`, up to the names. */
export async function prepareBars(reader: StoreReader, options: BarExportOptions): Promise<Prepared> {
  const { asset, of, interval, signal } = options
  stopIfCancelled(signal)
  const feed = barFeed(asset, of, interval)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const wanted = await barInstruments(reader, feed, chosen, options)
  return prepareFile(options.out, signal, async (file) => {
    const table = beginBars(file, options)
    const range = barRange(options)
    let rows = 0
    let first = Infinity
    let last = -Infinity
    for (const { instrument, symbol } of wanted) {
      const write = table.of(symbol)
      for await (const page of pagesOf(reader, instrument, chosen.source, range, options)) {
        for (const bar of page) write(bar)
        rows += page.length
        first = Math.min(first, page[0].startMs)
        last = Math.max(last, page[page.length - 1].endMs)
        await file.drain()
        stopIfCancelled(signal)
        options.onProgress?.({ rows, bytes: file.written + file.at })
      }
    }
    table.end()
    return async () => {
      const recordings = chosen.sessions.map((row) => row.session)
      return {
        schema: 'tapedeck/bars/1',
        columns: options.format === 'parquet' ? PARQUET_COLUMNS.map(({ name }) => name) : BAR_COLUMNS,
        chosen,
        sessions: recordings,
        fromMs: options.fromMs ?? (rows === 0 ? null : first),
        toMs: options.toMs ?? (rows === 0 ? null : last),
        rows,
        gaps: await gapsOf(reader, feed, chosen, options),
        ledgerHead: await reader.ledgerHead(recordings),
        more: { interval, of },
      }
    }
  })
}

export interface Wanted {
  readonly instrument: InstrumentId
  /** As it stands in the file: the service's spelling, where it is known. */
  readonly symbol: string
}

/** The instruments asked for, or every one of the chosen recordings, by symbol. */
export async function barInstruments(
  reader: StoreReader,
  feed: FeedId,
  { source }: Chosen,
  { asset, symbols, sessions }: Pick<BarExportOptions, 'asset' | 'symbols' | 'sessions'>,
): Promise<readonly Wanted[]> {
  const stored = new Map<InstrumentId, string>()
  for (const { instrument, symbols: spelt } of await reader.instruments({ feed, source, recordings: sessions })) {
    const latest = spelt.at(-1)
    if (latest !== undefined) stored.set(instrument, latest)
  }
  const wanted = symbols?.map((symbol) => [instrumentId(asset, symbol), symbol] as const) ?? [...stored]
  return [...new Map(wanted)]
    .map(([instrument, symbol]) => ({ instrument, symbol: stored.get(instrument) ?? symbol }))
    .sort((a, b) => (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0))
}

interface Range {
  readonly fromMs: number
  readonly toMs: number | null
}

/** So many pages are kept while going backwards; the newer ones are read again on the way forward. */
const PAGES_KEPT = 40
/** Bars that may have come between since a page was read first. */
const LATE = 1_000

/** The bars of an instrument, oldest first, no page empty. The store pages backwards from the newest. */
async function* pagesOf(
  reader: StoreReader,
  instrument: InstrumentId,
  source: string,
  { fromMs, toMs }: Range,
  { of, interval, sessions, signal }: BarExportOptions,
): AsyncGenerator<readonly Bar[], void, void> {
  const pages: { readonly fromMs: number; readonly beforeMs: number | null; bars: readonly Bar[] | null }[] = []
  const ask = (beforeMs: number | null, limit: number) =>
    reader.bars({ instrument, of, interval, source, recordings: sessions, beforeMs, limit })
  let beforeMs = toMs
  for (;;) {
    stopIfCancelled(signal)
    const { bars, more } = await ask(beforeMs, PAGE)
    const inside = bars.filter((bar) => bar.startMs >= fromMs)
    const [first] = inside
    if (first !== undefined) pages.push({ fromMs: first.startMs, beforeMs, bars: inside })
    const forgotten = pages.at(-1 - PAGES_KEPT)
    if (forgotten !== undefined) forgotten.bars = null
    const oldest = bars[0]
    if (!more || oldest === undefined || oldest.startMs < fromMs) break
    beforeMs = oldest.startMs
  }
  for (const page of pages.reverse()) {
    const bars = page.bars ?? (await ask(page.beforeMs, PAGE + LATE)).bars
    yield bars.filter((bar) => bar.startMs >= page.fromMs)
    page.bars = null
  }
}

/** The range asked for. */
export const barRange = ({ fromMs, toMs }: Pick<BarExportOptions, 'fromMs' | 'toMs'>): Range => ({
  fromMs: fromMs ?? -Infinity,
  toMs: toMs ?? null,
})

/** Writes the bars of one symbol after another into a file. */
interface BarTable {
  of(symbol: string): (bar: Bar) => void
  end(): void
}

/** The writer of the rows of a format, after what stands before them is written. */
export function beginBars(file: ByteSink, { format, of, separator = ',', bom }: BarExportOptions): BarTable {
  if (format === 'parquet') return createBarTable(file, of)
  if (bom === true) file.text('\ufeff')
  file.text(`${BAR_COLUMNS.join(separator)}\n`)
  return { of: (symbol) => createBarRow(symbol, of, separator, file), end: () => undefined }
}

function createBarTable(file: ByteSink, of: BarSource): BarTable {
  const table = createParquetTable(file, PARQUET_COLUMNS, { schema: 'tapedeck/bars/1', zone: 'UTC' })
  return {
    end: () => table.end(),
    of: (symbol) => (bar) => {
      table.text(0, symbol)
      table.number(1, bar.startMs)
      table.number(2, bar.startMs)
      table.number(3, bar.open)
      table.number(4, bar.high)
      table.number(5, bar.low)
      table.number(6, bar.close)
      table.number(7, bar.volume ?? NaN)
      table.number(8, bar.count)
      table.bool(9, bar.complete)
      table.text(10, of)
      table.row()
    },
  }
}

const encoder = new TextEncoder()

function createBarRow(symbol: string, of: BarSource, separatorText: string, file: ByteSink): (bar: Bar) => void {
  const separator = separatorText.charCodeAt(0)
  const time = createTimeWriter(separator)
  const text = encoder.encode(symbol)
  const cell = new Uint8Array(textRoom(text))
  const name = cell.subarray(0, writeText(cell, 0, text, separator, true))
  const tails = [false, true].map((complete) =>
    encoder.encode(`${separatorText}${complete ? 'true' : 'false'}${separatorText}${of}\n`),
  )
  const number = (value: number): void => {
    file.bytes[file.at++] = separator
    file.at += encoder.encodeInto(String(value), file.bytes.subarray(file.at)).written
  }
  return (bar) => {
    const tail = tails[bar.complete ? 1 : 0]
    file.room(name.length + TIME_ROOM + 6 * (NUMBER_ROOM + 1) + tail.length + 2)
    file.bytes.set(name, file.at)
    file.at += name.length
    file.bytes[file.at++] = separator
    file.at = time.write(file.bytes, new DataView(file.bytes.buffer), file.at, bar.startMs)
    number(bar.open)
    number(bar.high)
    number(bar.low)
    number(bar.close)
    if (bar.volume === null) file.bytes[file.at++] = separator
    else number(bar.volume)
    number(bar.count)
    file.bytes.set(tail, file.at)
    file.at += tail.length
  }
}
