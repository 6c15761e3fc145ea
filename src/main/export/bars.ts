/** Bars out of the store into a CSV file, oldest first, with a manifest beside. */
import { FEEDS, SERVICE_BAR_FEED, TICK_FEEDS } from '../../service/feeds.ts'
import { CodedError } from '../../shared/errors.ts'
import { barStart } from '../../shared/calendar.ts'
import type { Bar, BarSource, Interval } from '../../shared/market.ts'
import { instrumentId, type AssetClass, type FeedId } from '../../shared/units.ts'
import type { StoreReader } from '../store/port.ts'
import { createTimeWriter, textRoom, TIME_ROOM, writeText } from './cells.ts'
import { manifestText } from './manifest.ts'
import { chooseSource, stopIfCancelled, type Chosen, type CommonOptions, type ExportResult } from './options.ts'
import { createSafeFile, type SafeFile } from './sink.ts'

export interface BarExportOptions extends CommonOptions {
  readonly asset: AssetClass
  /** As it will stand in the file; found in any spelling of the same instrument. */
  readonly symbol: string
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
 * Exports the bars of one instrument and source that start within [fromMs, toMs). Errors and promises
 * as of `exportTicks`.
 */
export async function exportBars(reader: StoreReader, options: BarExportOptions): Promise<ExportResult> {
  const { asset, of, interval, signal } = options
  stopIfCancelled(signal)
  const feed = barFeed(asset, of)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const file = await createSafeFile(options.out)
  let note: SafeFile | undefined
  try {
    const separator = options.separator ?? ','
    if (options.bom === true) file.text('\ufeff')
    file.text(`${BAR_COLUMNS.join(separator)}\n`)
    // the store pages backwards from the newest; a file begins with the oldest
    const pages: (readonly Bar[])[] = []
    const { fromMs, toMs } = rangeOf(options, chosen)
    let beforeMs: number | null = toMs
    for (;;) {
      stopIfCancelled(signal)
      const { bars, more } = await reader.bars({
        instrument: instrumentId(asset, options.symbol),
        of,
        interval,
        source: chosen.source,
        beforeMs,
        limit: PAGE,
      })
      pages.push(bars.filter((bar) => bar.startMs >= fromMs))
      const oldest = bars[0]
      if (!more || oldest === undefined || oldest.startMs < fromMs) break
      beforeMs = oldest.startMs
    }
    pages.reverse()
    const write = createBarRow(options.symbol, of, separator, file)
    let rows = 0
    for (const page of pages) {
      for (const bar of page) write(bar)
      rows += page.length
      await file.drain()
      stopIfCancelled(signal)
      options.onProgress?.({ rows, bytes: file.written + file.at })
    }
    const sha256 = await file.finish()
    const first = pages.find((page) => page.length > 0)?.[0]
    const last = pages.findLast((page) => page.length > 0)?.at(-1)
    const range = { fromMs: options.fromMs ?? first?.startMs ?? null, toMs: options.toMs ?? last?.endMs ?? null }
    const gaps = await reader.gaps({
      feed,
      source: chosen.source,
      ...(options.session === undefined ? {} : { recording: options.session }),
      ...(range.fromMs === null ? {} : { fromMs: range.fromMs }),
      ...(range.toMs === null ? {} : { toMs: range.toMs }),
    })
    const manifest = `${options.out}.manifest.json`
    note = await createSafeFile(manifest)
    note.text(
      manifestText({
        schema: 'tapedeck/bars/1',
        columns: BAR_COLUMNS,
        chosen,
        sessions: chosen.sessions.map((row) => row.session),
        ...range,
        rows,
        sha256,
        gaps,
        ledgerHead: options.ledgerHead ?? null,
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

/** The range asked for; of a session where one is named, from the bar in which it began. */
function rangeOf(options: BarExportOptions, { sessions }: Chosen): { fromMs: number; toMs: number | null } {
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
