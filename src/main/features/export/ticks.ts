/**
 * Exports ticks straight from the store's columns, without an object per row. The window and the command line produce
 * the same bytes for the same rows.
 */
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns } from '../../../service/tick-columns.ts'
import { CodedError, missingCase } from '../../../shared/base/errors.ts'
import type { ExportedFile, ExportFormat } from '../../../shared/features/export/export.ts'
import { instrumentId, type FeedId, type InstrumentId, type RecordingId } from '../../../shared/base/units.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { TickColumns, TickQuery } from '../../core/store/types/ticks.ts'
import { createCsvRows } from './csv-rows.ts'
import { createJsonRows } from './json-rows.ts'
import { chooseSource, gapsOf, stopIfCancelled, type CommonOptions, type Prepared } from './options.ts'
import { createParquetRows, tickParquetColumns } from './parquet-rows.ts'
import { commitPrepared, prepareFile } from './prepare.ts'
import type { Span, TickRows } from './rows.ts'
import type { ByteSink } from '../../base/file-sink.ts'

export interface TickExportOptions extends CommonOptions {
  readonly feed: FeedId
  readonly format: ExportFormat
  /** Any alias of an instrument matches. Absent: every symbol. */
  readonly symbols?: readonly string[] | undefined
  /** JSON Lines only: export the messages stored outside any instrument's series (no symbol, or an unasked one). */
  readonly nameless?: boolean | undefined
  /** Adds a column with each message exactly as it arrived. JSON Lines always have it. */
  readonly raw?: boolean | undefined
}

/** Column names of a tick export. */
export function tickColumns(feed: FeedId, format: ExportFormat, raw: boolean): readonly string[] {
  switch (format) {
    case 'jsonl':
      return ['feed', 'symbol', 'recv_ms', 'seq', 'raw']
    case 'parquet':
      return tickParquetColumns(feed, raw).map(({ name }) => name)
    case 'csv':
      return csvTickColumns(feed, raw)
    default:
      return missingCase(format)
  }
}

/** The store query of a tick export. */
export function tickQuery(
  { feed, symbols, nameless, sessions, fromMs, toMs }: TickExportOptions,
  source: string,
): TickQuery {
  return {
    feed,
    // Messages without a series of their own are stored under the empty name, which no instrument has.
    instruments: nameless === true ? ['' as InstrumentId] : instrumentsOf(feed, symbols),
    recordings: sessions,
    source,
    fromMs,
    toMs,
  }
}

const instrumentsOf = (feed: FeedId, symbols: readonly string[] | undefined): readonly InstrumentId[] | null =>
  symbols === undefined ? null : [...new Set(symbols.map((symbol) => instrumentId(FEEDS[feed].asset, symbol)))]

/** Writes the header, if the format has one, and returns the row writer. */
export function beginTickRows(file: ByteSink, options: TickExportOptions, span: Span): TickRows {
  const { feed, format, raw = false, separator = ',' } = options
  switch (format) {
    case 'csv':
      if (options.bom === true) file.text('\ufeff')
      file.text(`${tickColumns(feed, format, raw).join(separator)}\n`)
      return createCsvRows(file, feed, separator, raw, span)
    case 'jsonl':
      return createJsonRows(file, feed, span)
    case 'parquet':
      return createParquetRows(file, feed, raw, span)
    default:
      return missingCase(format)
  }
}

/**
 * Exports the ticks of one feed and one source, ordered by (session, seq), with a manifest.
 * Throws CodedError: `not-found`, `ambiguous-source`, `cancelled`, `disk-full`, `disk-error`, `usage`.
 * A failed export never creates a file under the final name.
 */
export async function exportTicks(reader: StoreReader, options: TickExportOptions): Promise<ExportedFile> {
  return commitPrepared(await prepareTicks(reader, options))
}

/** Like `exportTicks`, but leaves the files under their temporary names. */
export async function prepareTicks(reader: StoreReader, options: TickExportOptions): Promise<Prepared> {
  const { feed, format, signal } = options
  stopIfCancelled(signal)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  return prepareFile(options.out, signal, async (file) => {
    const span: Span = { first: Infinity, last: -Infinity }
    const table = beginTickRows(file, options, span)
    const order = createOrder()
    let rows = 0
    for await (const ticks of reader.ticks(tickQuery(options, chosen.source))) {
      stopIfCancelled(signal)
      if (ticks.count === 0) continue
      order.check(ticks)
      const write = table.of(ticks)
      for (let from = 0; from < ticks.count; from += ROWS_AT_ONCE) {
        const to = Math.min(from + ROWS_AT_ONCE, ticks.count)
        rows += write(from, to)
        await file.drain()
        stopIfCancelled(signal)
      }
      options.onProgress?.({ rows, bytes: file.written + file.at })
    }
    table.end()
    return async () => {
      const recordings = order.sessions()
      return {
        schema: 'tapedeck/ticks/1',
        columns: tickColumns(feed, format, options.raw ?? false),
        feed,
        chosen,
        sessions: recordings,
        fromMs: options.fromMs ?? (rows === 0 ? null : span.first),
        toMs: options.toMs ?? (rows === 0 ? null : Math.floor(span.last) + 1),
        rows,
        gaps: await gapsOf(reader, feed, chosen, options),
        ledgerHead: await reader.ledgerHead(recordings),
      }
    }
  })
}

const ROWS_AT_ONCE = 4096

/** Checks that the reader delivers sessions one after another, with increasing seqs in each. */
function createOrder() {
  const seen = new Set<RecordingId>()
  let recording: RecordingId | undefined
  let seq = -1
  return {
    check(ticks: TickColumns): void {
      if (ticks.recording !== recording) {
        if (seen.has(ticks.recording)) throw new CodedError('internal', 'The store read its recordings out of order.')
        recording = ticks.recording
        seen.add(recording)
        seq = -1
      }
      for (let i = 0; i < ticks.count; i++) {
        const next = ticks.seq[i]
        if (!(next > seq)) throw new CodedError('internal', 'The store read its messages out of order.')
        seq = next
      }
    },
    sessions: (): readonly RecordingId[] => [...seen],
  }
}
