/**
 * Exports ticks straight from the store's columns, without an object per row. The window and the command line produce
 * the same bytes for the same rows.
 */
import { countGaps } from '../../../shared/core/recording/session.ts'
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns, type TickSchema } from '../../../service/tick-columns.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { ExportedFile, ExportFormat } from '../../../shared/features/export/export.ts'
import { instrumentId, type FeedId, type InstrumentId, type SessionId } from '../../../shared/base/units.ts'
import { nextTurn } from '../../core/jobs/turns.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { TickColumns, TickQuery } from '../../core/store/types/ticks.ts'
import { createCsvRows } from './rows/csv-rows.ts'
import { createDecodedRows, createJsonRows } from './rows/json-rows.ts'
import { chooseSource, gapsOf, stopIfCancelled, type CommonOptions, type Prepared } from './options.ts'
import { commitPrepared, ExportRun, prepareFile, prepareFiles } from './prepare.ts'
import type { Span, TickRows } from './rows/rows.ts'
import { createSheetRows } from './rows/sheet.ts'
import { createTableRows, tickTableColumns } from './tables/table-rows.ts'
import type { BeginTable } from './tables/table.ts'
import { tableFormat } from './tables/table-format.ts'
import type { ByteSink } from '../../base/file-sink.ts'

export interface TickExportOptions extends CommonOptions {
  readonly feed: FeedId
  readonly format: ExportFormat
  /** Any alias of an instrument matches. Absent: every symbol. */
  readonly symbols?: readonly string[] | undefined
  /** JSON Lines only: export the messages stored outside any instrument's series (no symbol, or an unasked one). */
  readonly nameless?: boolean | undefined
  /** Only seqs after this one, in each session. */
  readonly afterSeq?: number | undefined
  /**
   * Adds a column with each message exactly as it arrived. JSON Lines: writes only that, for every message. JSON Lines
   * of schema 1 always do.
   */
  readonly raw?: boolean | undefined
  /** Default: 1. */
  readonly schema?: TickSchema | undefined
}

/** Whether a tick export consists of messages as they arrived. Their lines are those of schema 1. */
export const isRawLines = ({
  format,
  raw,
  schema = 1,
}: Pick<TickExportOptions, 'format' | 'raw' | 'schema'>): boolean =>
  format === 'jsonl' && (raw === true || schema === 1)

/** Column names of a tick export. */
export function tickColumns(
  feed: FeedId,
  options: Pick<TickExportOptions, 'format' | 'raw' | 'schema'>,
): readonly string[] {
  const { format, raw = false, schema = 1 } = options
  switch (format) {
    case 'jsonl':
      return isRawLines(options) ? ['feed', 'symbol', 'recv_ms', 'seq', 'raw'] : csvTickColumns(feed, false, schema)
    case 'parquet':
    case 'arrow':
      return tickTableColumns(feed, raw, schema).map(({ name }) => name)
    case 'csv':
      return csvTickColumns(feed, raw, schema)
  }
}

/** The store query of a tick export. */
export function tickQuery(
  { feed, symbols, nameless, sessions, fromMs, toMs, afterSeq }: TickExportOptions,
  source: string,
): TickQuery {
  return {
    feed,
    // Messages without a series of their own are stored under the empty name, which no instrument has.
    instruments: nameless === true ? ['' as InstrumentId] : instrumentsOf(feed, symbols),
    sessions,
    source,
    fromMs,
    toMs,
    afterSeq,
  }
}

const instrumentsOf = (feed: FeedId, symbols: readonly string[] | undefined): readonly InstrumentId[] | null =>
  symbols === undefined ? null : [...new Set(symbols.map((symbol) => instrumentId(FEEDS[feed].asset, symbol)))]

/** Writes the header, if the format has one, and returns the row writer. `begin`: the format's, if it has typed columns. */
export function beginTickRows(
  file: ByteSink,
  options: TickExportOptions,
  span: Span,
  begin: BeginTable | null,
): TickRows {
  const { feed, format, raw = false, separator = ',', schema = 1 } = options
  if (begin !== null) return createTableRows(begin, file, feed, { raw, schema }, span)
  switch (format) {
    case 'csv':
      if (options.bom === true) file.text('\ufeff')
      file.text(`${tickColumns(feed, options).join(separator)}\n`)
      if (options.sheet !== undefined)
        return createSheetRows(file, feed, { separator, raw, style: options.sheet }, span)
      return createCsvRows(file, feed, { separator, raw, schema }, span)
    case 'jsonl':
      return isRawLines(options) ? createJsonRows(file, feed, span) : createDecodedRows(file, feed, span)
    case 'parquet':
    case 'arrow':
      throw new CodedError('internal', `The writer of ${format} is missing.`)
  }
}

/**
 * Exports the ticks of one feed and one source, ordered by (session, seq), with a manifest.
 * Throws CodedError: `not-found`, `ambiguous-source`, `cancelled`, `disk-full`, `disk-error`, `usage`.
 * A failed export never creates a file under the final name.
 */
export async function exportTicks(reader: StoreReader, options: TickExportOptions): Promise<ExportedFile> {
  return commitPrepared(await prepareTicks(reader, options, createTickRun(reader, options)))
}

/** Like `exportTicks`, in as many files as `maxRows` asks for, which are left under their temporary names. */
export async function prepareTickFiles(reader: StoreReader, options: TickExportOptions): Promise<readonly Prepared[]> {
  const run = createTickRun(reader, options)
  return prepareFiles(options, run, (part) => prepareTicks(reader, part, run))
}

/** A batch of rows; `at`: the first that isn't written. */
interface TickPart {
  readonly ticks: TickColumns
  at: number
}

const createTickRun = (reader: StoreReader, options: TickExportOptions): ExportRun<TickPart> =>
  new ExportRun(tickParts(reader, options), ({ at, ticks }) => at >= ticks.count)

async function* tickParts(reader: StoreReader, options: TickExportOptions): AsyncGenerator<TickPart, void, void> {
  const order = createOrder()
  const { source } = chooseSource(await reader.sessions(), options.feed, options)
  for await (const ticks of reader.ticks({ ...tickQuery(options, source), reusesArrays: true })) {
    stopIfCancelled(options.signal)
    if (ticks.count > 0) order.check(ticks)
    yield { ticks, at: 0 }
  }
}

/** Writes one file from where `run` is. */
async function prepareTicks(
  reader: StoreReader,
  options: TickExportOptions,
  run: ExportRun<TickPart>,
): Promise<Prepared> {
  const { feed, signal, maxRows = Infinity } = options
  stopIfCancelled(signal)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  return prepareFile(options, signal, async (file) => {
    const span: Span = { first: Infinity, last: -Infinity }
    const table = beginTickRows(file, options, span, await tableFormat(options))
    const written = new Set<SessionId>()
    let rows = 0
    for (let part = await run.now(); part !== null && rows < maxRows; part = await run.now()) {
      const { ticks } = part
      written.add(ticks.session)
      const write = table.of(ticks)
      while (part.at < ticks.count && rows < maxRows) {
        const to = Math.min(part.at + ROWS_AT_ONCE, part.at + (maxRows - rows), ticks.count)
        rows += write(part.at, to)
        part.at = to
        await file.drain()
        await nextTurn()
        stopIfCancelled(signal)
      }
      options.onProgress?.({ rows, bytes: file.written + file.at })
    }
    table.end()
    return async () => {
      const sessions = [...written]
      const gaps = await gapsOf(reader, feed, chosen, options)
      options.onGaps?.(countGaps(gaps))
      return {
        schema: `tapedeck/ticks/${isRawLines(options) ? 1 : (options.schema ?? 1)}`,
        columns: tickColumns(feed, options),
        feed,
        chosen,
        sessions,
        zone: options.sheet?.zone,
        fromMs: options.fromMs ?? (rows === 0 ? null : span.first),
        toMs: options.toMs ?? (rows === 0 ? null : Math.floor(span.last) + 1),
        rows,
        gaps,
        ledgerHead: await reader.ledgerHead(sessions),
      }
    }
  })
}

const ROWS_AT_ONCE = 4096

/** Checks that the reader delivers sessions one after another, with increasing seqs in each. */
function createOrder(): { check(ticks: TickColumns): void } {
  const seen = new Set<SessionId>()
  let session: SessionId | undefined
  let seq = -1
  return {
    check({ session: of, seq: seqs }: TickColumns): void {
      if (of !== session) {
        if (seen.has(of)) throw new CodedError('internal', 'The store read its sessions out of order.')
        session = of
        seen.add(session)
        seq = -1
      }
      for (const next of seqs) {
        if (!(next > seq)) throw new CodedError('internal', 'The store read its messages out of order.')
        seq = next
      }
    },
  }
}
