/** Estimates the size of an export from the store's index and a sample of its rows. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import type { ExportRequest } from '../../../shared/features/export/export.ts'
import { msOf } from '../../../shared/core/market/market.ts'
import { unixMs } from '../../../shared/base/units.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { beginBars } from './bars/bar-rows.ts'
import { barFeed, barInstruments, barRange } from './bars.ts'
import { chooseSource } from './options.ts'
import { refuseConflict, wholePart } from './run.ts'
import { createMemoryFile } from '../../base/file-sink.ts'
import { tableFormat } from './tables/table-format.ts'
import { beginTickRows, isRawLines, tickQuery } from './ticks.ts'

export interface Estimated {
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

/**
 * Estimates the rows, bytes and files of an export. Bars are counted as if every symbol had one in every interval.
 * Throws what the export would throw.
 */
export async function estimateExport(reader: StoreReader, request: ExportRequest): Promise<Estimated> {
  refuseConflict(request)
  const part = wholePart(request, '')
  const sessions = await reader.sessions()
  const split = (symbols: number, fromMs: number | null, toMs: number | null): number =>
    request.split === 'symbol'
      ? symbols
      : request.split === 'none' || fromMs === null || toMs === null
        ? 1
        : Math.floor(toMs / DAY_MS) - Math.floor(fromMs / DAY_MS) + 1
  if (part.what === 'ticks') {
    const { options } = part
    const query = tickQuery(options, chooseSource(sessions, options.feed, options).source)
    const extent = await reader.extent(query)
    const rows = isRawLines(options) ? extent.messages : extent.records
    const files = split(extent.instruments, extent.fromMs, extent.toMs)
    if (rows === 0) return { rows: 0, bytes: 0, files: request.split === 'none' ? 1 : 0 }
    const file = createMemoryFile()
    const table = beginTickRows(file, options, { first: Infinity, last: -Infinity }, await tableFormat(options))
    const head = file.at
    let sampled = 0
    for await (const ticks of reader.ticks(query)) {
      sampled += table.of(ticks)(0, ticks.count)
      if (sampled >= SAMPLE) break
    }
    table.end()
    return { rows, bytes: head + (sampled === 0 ? 0 : Math.round((rows * (file.at - head)) / sampled)), files }
  }
  const { options } = part
  const feed = barFeed(options)
  const chosen = chooseSource(sessions, feed, options)
  const wanted = await barInstruments(reader, feed, chosen, options)
  const range = barRange(options)
  const extent = await reader.extent({
    feed,
    instruments: wanted.map(({ instrument }) => instrument),
    sessions: options.sessions,
    source: chosen.source,
    ...(range.fromMs === -Infinity ? {} : { fromMs: range.fromMs }),
    ...(range.toMs === null ? {} : { toMs: range.toMs }),
  })
  const { fromMs, toMs } = extent
  const length = msOf(options.interval)
  const each = fromMs === null || toMs === null ? 0 : Math.floor(toMs / length) - Math.floor(fromMs / length) + 1
  const rows = Math.min(extent.records, each * wanted.length)
  const file = createMemoryFile()
  const table = beginBars(file, options, feed, await tableFormat(options))
  const head = file.at
  const write = table.of(wanted[0]?.symbol ?? '')
  for (let i = 0; i < SAMPLE; i++) write(sampleBar((fromMs ?? 0) + i * length, length), 64_124.512_345)
  table.end()
  return {
    rows,
    bytes: head + Math.round((rows * (file.at - head)) / SAMPLE),
    files: split(wanted.length, fromMs, toMs),
  }
}

const SAMPLE = 4_096

/** A bar whose numbers are about as long as real ones. */
const sampleBar = (startMs: number, length: number) => ({
  startMs: unixMs(startMs),
  endMs: unixMs(startMs + length),
  open: 64_123.45 + (startMs % 977) / 100,
  high: 64_130.12 + (startMs % 991) / 100,
  low: 64_111.98 + (startMs % 983) / 100,
  close: 64_125.07 + (startMs % 997) / 100,
  volume: 12.0471 + (startMs % 1_009) / 1_000,
  count: 40 + (startMs % 89),
  complete: true,
})
