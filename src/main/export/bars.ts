/** Bars out of the store into a CSV file, oldest first, with a manifest beside. */
import { FEEDS, SERVICE_BAR_FEED, TICK_FEEDS } from '../../service/feeds.ts'
import { CodedError } from '../../shared/errors.ts'
import { barStart } from '../../shared/calendar.ts'
import type { Bar, BarSource, Interval } from '../../shared/market.ts'
import { instrumentId, type AssetClass, type FeedId, type InstrumentId } from '../../shared/units.ts'
import type { StoreReader } from '../store/port.ts'
import { createTimeWriter, textRoom, TIME_ROOM, writeText } from './cells.ts'
import { manifestText } from './manifest.ts'
import { chooseSource, gapsOf, stopIfCancelled, type Chosen, type CommonOptions, type ExportResult } from './options.ts'
import { createSafeFile, type SafeFile } from './sink.ts'

export interface BarExportOptions extends CommonOptions {
  readonly asset: AssetClass
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

const PAGE = 5_000
const NUMBER_ROOM = 26

/** The feed whose records make an asset's bars of a kind. Throws `usage` where there is none. */
export function barFeed(asset: AssetClass, of: BarSource): FeedId {
  if (of === 'service') return SERVICE_BAR_FEED[asset]
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
export async function exportBars(reader: StoreReader, options: BarExportOptions): Promise<ExportResult> {
  const { asset, of, interval, signal } = options
  stopIfCancelled(signal)
  const feed = barFeed(asset, of)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const wanted = await instrumentsOf(reader, feed, chosen, options)
  const file = await createSafeFile(options.out)
  let note: SafeFile | undefined
  try {
    const separator = options.separator ?? ','
    if (options.bom === true) file.text('\ufeff')
    file.text(`${BAR_COLUMNS.join(separator)}\n`)
    const range = rangeOf(options, chosen)
    let rows = 0
    let first = Infinity
    let last = -Infinity
    for (const { instrument, symbol } of wanted) {
      const pages = await pagesOf(reader, instrument, chosen.source, range, options)
      const write = createBarRow(symbol, of, separator, file)
      for (const page of pages) {
        for (const bar of page) write(bar)
        rows += page.length
        first = Math.min(first, page[0].startMs)
        last = Math.max(last, page[page.length - 1].endMs)
        await file.drain()
        stopIfCancelled(signal)
        options.onProgress?.({ rows, bytes: file.written + file.at })
      }
    }
    const sha256 = await file.finish()
    const recordings = chosen.sessions.map((row) => row.session)
    const gaps = await gapsOf(reader, feed, chosen, options)
    const manifest = `${options.out}.manifest.json`
    note = await createSafeFile(manifest)
    note.text(
      manifestText({
        schema: 'tapedeck/bars/1',
        columns: BAR_COLUMNS,
        chosen,
        sessions: recordings,
        fromMs: options.fromMs ?? (rows === 0 ? null : first),
        toMs: options.toMs ?? (rows === 0 ? null : last),
        rows,
        sha256,
        gaps,
        ledgerHead: await reader.ledgerHead(recordings),
        more: { interval, of },
      }),
    )
    await note.finish()
    stopIfCancelled(signal)
    await file.commit()
    await note.commit()
    return { rows, bytes: file.written, sha256, manifest }
  } finally {
    await file.discard()
    await note?.discard()
  }
}

interface Wanted {
  readonly instrument: InstrumentId
  /** As it stands in the file: the service's spelling, where it is known. */
  readonly symbol: string
}

/** The instruments asked for, or every one of the chosen recordings, by symbol. */
async function instrumentsOf(
  reader: StoreReader,
  feed: FeedId,
  { source }: Chosen,
  { asset, symbols, session }: BarExportOptions,
): Promise<readonly Wanted[]> {
  const stored = new Map<InstrumentId, string>()
  for (const { instrument, symbols: spelt } of await reader.instruments({ feed, source, recording: session })) {
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

/** The bars of an instrument, oldest first, no page empty. The store pages backwards from the newest. */
async function pagesOf(
  reader: StoreReader,
  instrument: InstrumentId,
  source: string,
  { fromMs, toMs }: Range,
  { of, interval, signal }: BarExportOptions,
): Promise<readonly (readonly Bar[])[]> {
  const pages: (readonly Bar[])[] = []
  let beforeMs = toMs
  for (;;) {
    stopIfCancelled(signal)
    const { bars, more } = await reader.bars({ instrument, of, interval, source, beforeMs, limit: PAGE })
    const inside = bars.filter((bar) => bar.startMs >= fromMs)
    if (inside.length > 0) pages.push(inside)
    const oldest = bars[0]
    if (!more || oldest === undefined || oldest.startMs < fromMs) return pages.reverse()
    beforeMs = oldest.startMs
  }
}

/** The range asked for; of a session where one is named, from the bar in which it began. */
function rangeOf(options: BarExportOptions, { sessions }: Chosen): Range {
  const row = options.session === undefined ? undefined : sessions[0]
  const started = row === undefined ? -Infinity : barStart(options.asset, options.interval, row.startedMs)
  return {
    fromMs: options.fromMs ?? (Number.isNaN(started) ? (row?.startedMs ?? -Infinity) : started),
    toMs: options.toMs ?? row?.endedMs ?? null,
  }
}

const encoder = new TextEncoder()

function createBarRow(symbol: string, of: BarSource, separatorText: string, file: SafeFile): (bar: Bar) => void {
  const separator = separatorText.charCodeAt(0)
  const time = createTimeWriter(separator)
  const text = encoder.encode(symbol)
  const cell = new Uint8Array(textRoom(text))
  const name = cell.subarray(0, writeText(cell, 0, text, separator))
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
