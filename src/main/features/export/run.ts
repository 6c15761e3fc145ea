/** Runs an export request from a window or the command line: one file, or one per symbol or day. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { FEEDS } from '../../../service/feeds.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { closest } from '../../../shared/base/closest.ts'
import { overlapSentence } from '../../../shared/features/sessions/overlaps.ts'
import {
  exportConflict,
  nameConflict,
  type ExportDone,
  type ExportedFile,
  type ExportRequest,
} from '../../../shared/features/export/export.ts'
import type { BarSource } from '../../../shared/core/market/market.ts'
import { feedAsset, instrumentId, type FeedId, type SessionId } from '../../../shared/base/units.ts'
import type { SafeFile, SafeFileOptions } from '../../base/file-sink.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { barFeed, barInstruments, barRange, prepareBarFiles } from './bars.ts'
import { nameOfSymbol, NAMELESS, partPath } from './names.ts'
import { chooseSource, stopIfCancelled, type BarExportOptions, type Prepared } from './options.ts'
import { commitPrepared } from './prepare.ts'
import { SHEET_ROWS } from './rows/sheet.ts'
import { isRawLines, prepareTickFiles, tickQuery, type TickExportOptions } from './ticks.ts'

export interface ExportWatch {
  readonly onProgress?: ((progress: { readonly rows: number; readonly bytes: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Writes here instead of to files; a request that isn't split. */
  readonly stream?: SafeFile | undefined
  readonly file?: SafeFileOptions | undefined
  readonly onGaps?: ((count: number) => void) | undefined
  /** Called once, with a sentence for the user, if sessions overlap. */
  readonly onOverlap?: ((sentence: string) => void) | undefined
  /** Reject with `not-found` if there are no rows. An existing file stays unchanged. */
  readonly refuseEmpty?: boolean | undefined
}

/** The default bar source: what the feed carries. */
function barSourceOf(feed: FeedId): BarSource {
  const { kind } = FEEDS[feed]
  return kind === 'trade' ? 'trade' : kind === 'quote' ? 'mid' : 'service'
}

/**
 * Exports to `out`, or to names derived from it, each file with a manifest. No file gets its final name before all are
 * complete. A symbol that was never recorded is `not-found`. Throws CodedError: `usage`, `not-found`,
 * `ambiguous-source`, `cancelled`, `disk-full`, `disk-error`.
 */
export async function runExport(
  reader: StoreReader,
  request: ExportRequest,
  out: string,
  watch: ExportWatch = {},
): Promise<ExportDone> {
  refuseConflict(request)
  refuseName(out, request)
  const split = request.split !== 'none'
  const feed = request.what === 'bars' ? barFeed(barTerms(request)) : request.feed
  const sessions = namedSessions(request)
  const chosen = chooseSource(await reader.sessions(), feed, { sessions, source: request.source ?? undefined })
  if (chosen.overlaps.length > 0) watch.onOverlap?.(overlapSentence(chosen.overlaps))
  await refuseUnknownSymbols(reader, feed, chosen.source, request)
  const done = { rows: 0, bytes: 0 }
  const prepared: Prepared[] = []
  try {
    for (const part of await partsOf(reader, request, out, watch.signal)) {
      const onProgress = ({ rows, bytes }: typeof done): void =>
        watch.onProgress?.({ rows: done.rows + rows, bytes: done.bytes + bytes })
      const { signal, stream, file, onGaps } = watch
      for (const one of await prepare(reader, part, { signal, stream, file, onGaps, onProgress })) {
        // A day or symbol without rows gets no file.
        if (split && one.rows === 0) {
          await one.discard()
          continue
        }
        prepared.push(one)
        done.rows += one.rows
        done.bytes += one.bytes
      }
    }
    stopIfCancelled(watch.signal)
    if (done.rows === 0 && watch.refuseEmpty === true) throw noRows(feed, request, watch.stream !== undefined)
    const files: ExportedFile[] = []
    try {
      for (const one of prepared) files.push(await commitPrepared(one))
    } catch (thrown) {
      throw files.length === 0 ? thrown : partlyWritten(thrown, files)
    }
    const only = files.length > 1 || split ? undefined : files[0]
    const { source } = chosen
    return { ...done, feed, source, sha256: only?.sha256 ?? null, manifest: only?.manifest || null, files }
  } finally {
    for (const one of prepared) await one.discard()
  }
}

/** Throws `not-found` if no session has a requested symbol, so that a typo doesn't produce an empty file. */
async function refuseUnknownSymbols(
  reader: StoreReader,
  feed: FeedId,
  source: string,
  request: ExportRequest,
): Promise<void> {
  if (request.symbols.length === 0) return
  const stored = await reader.instruments({ feed, source, sessions: namedSessions(request) })
  const known = new Set(stored.map(({ instrument }) => instrument))
  const unknown = request.symbols.filter((symbol) => !known.has(instrumentId(feedAsset(feed), symbol)))
  if (unknown.length === 0) return
  const names = stored.flatMap(({ symbols }) => symbols.at(-1) ?? []).sort()
  const near = closest(unknown[0], names)
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ''
  throw new CodedError('not-found', `${feed} has no ${unknown.join(', ')}.`, {
    hint:
      `${near === undefined ? '' : `Did you mean ${near}? `}` +
      `Recorded: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`,
  })
}

/** Some files already have their names. They are complete, so they stay. */
function partlyWritten(thrown: unknown, files: readonly ExportedFile[]): CodedError {
  const { code, message, hint } = toFailure(thrown)
  return new CodedError(code, message, {
    hint: `${hint === undefined ? '' : `${hint} `}${countText(files.length, 'file was', 'files were')} written before.`,
    cause: thrown,
  })
}

/** Maximum symbols listed in an error message. */
const MAX_NAMES = 20

/** A stream has the names of its columns already. */
function noRows(feed: FeedId, { what, fromMs, toMs }: ExportRequest, isStream: boolean): CodedError {
  const range = fromMs !== null || toMs !== null
  return new CodedError('not-found', `There are no ${what} of ${feed}${range ? ' in this range' : ''}.`, {
    hint: `${isStream ? '' : 'Nothing was written. '}Check the range and the session, or add --allow-empty for a file without rows.`,
  })
}

/** Throws `usage` for options that can't be combined. */
export function refuseConflict(request: ExportRequest): void {
  const conflict = exportConflict(request)
  if (conflict !== null) throw new CodedError('usage', conflict)
  // Check the feed now, before anything is read.
  if (request.what === 'bars') barFeed(barTerms(request))
}

/** Throws `usage` if the file extension doesn't match the requested format. */
export function refuseName(name: string, request: ExportRequest): void {
  const conflict = nameConflict(name, request)
  if (conflict !== null) throw new CodedError('usage', conflict)
}

/** What a request's bars are built from. A bar feed is used itself, never another feed of the same market. */
function barTerms({ feed, of, interval }: ExportRequest): Pick<BarExportOptions, 'asset' | 'of' | 'interval' | 'feed'> {
  const terms = { asset: feedAsset(feed), of: of ?? barSourceOf(feed), interval }
  return terms.of === 'service' && FEEDS[feed].kind === 'bar' ? { ...terms, feed } : terms
}

/** One file of an export. */
type Part =
  | { readonly what: 'ticks'; readonly options: TickExportOptions }
  | { readonly what: 'bars'; readonly options: BarExportOptions }

const prepare = (reader: StoreReader, part: Part, watch: ExportWatch): Promise<readonly Prepared[]> =>
  part.what === 'ticks'
    ? prepareTickFiles(reader, { ...part.options, ...watch })
    : prepareBarFiles(reader, { ...part.options, ...watch })

const namedSessions = ({ sessions }: ExportRequest): readonly SessionId[] | undefined =>
  sessions.length === 0 ? undefined : sessions

/** Converts the request to options for a single, unsplit file. */
export function wholePart(request: ExportRequest, out: string): Part {
  const { feed, symbols, source, fromMs, toMs, format, raw, bom, separator, schema, sheet } = request
  const common = {
    out,
    sessions: namedSessions(request),
    source: source ?? undefined,
    fromMs: fromMs ?? undefined,
    toMs: toMs ?? undefined,
    symbols: symbols.length === 0 ? undefined : symbols,
    bom,
    separator,
    schema,
    sheet,
    maxRows: sheet === undefined ? undefined : SHEET_ROWS,
  }
  if (request.what === 'ticks')
    return { what: 'ticks', options: { ...common, feed, format, raw, afterSeq: request.afterSeq } }
  return { what: 'bars', options: { ...common, ...barTerms(request), format, extended: request.extended } }
}

async function partsOf(
  reader: StoreReader,
  request: ExportRequest,
  out: string,
  signal: AbortSignal | undefined,
): Promise<readonly Part[]> {
  const whole = wholePart(request, out)
  const narrowed = (name: string, by: Partial<TickExportOptions & BarExportOptions>): Part => {
    const path = partPath(out, name)
    return whole.what === 'ticks'
      ? { what: 'ticks', options: { ...whole.options, ...by, out: path } }
      : { what: 'bars', options: { ...whole.options, ...by, out: path } }
  }
  switch (request.split) {
    case 'none':
      return [whole]
    case 'symbol': {
      const symbols = await symbolsOf(reader, whole)
      const parts = symbols.map((symbol) => narrowed(nameOfSymbol(symbol), { symbols: [symbol] }))
      const others = whole.what === 'ticks' && isRawLines(whole.options) && request.symbols.length === 0
      return others ? [...parts, narrowed(NAMELESS, { nameless: true })] : parts
    }
    case 'day':
      return (await daysOf(reader, whole, signal)).map(({ day, fromMs, toMs }) =>
        narrowed(new Date(day).toISOString().slice(0, 10), { fromMs, toMs }),
      )
  }
}

/** The symbols to split by, one per instrument. */
async function symbolsOf(reader: StoreReader, { what, options }: Part): Promise<readonly string[]> {
  const feed = what === 'ticks' ? options.feed : barFeed(options)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const asset = feedAsset(feed)
  const wanted = await barInstruments(reader, feed, chosen, {
    asset,
    sessions: options.sessions,
    symbols: options.symbols,
  })
  return [...new Map(wanted.map(({ symbol }) => [instrumentId(asset, symbol), symbol])).values()]
}

/** The UTC days that have rows, as UTC ms ranges clipped to the requested range. */
async function daysOf(
  reader: StoreReader,
  part: Part,
  signal: AbortSignal | undefined,
): Promise<readonly { readonly day: number; readonly fromMs: number; readonly toMs: number }[]> {
  const { options } = part
  const days = new Set<number>()
  let range: { readonly fromMs?: number | undefined; readonly toMs?: number | null | undefined } = options
  if (part.what === 'ticks') {
    const { source } = chooseSource(await reader.sessions(), part.options.feed, options)
    for await (const { count, eventMs, recvMs } of reader.ticks(tickQuery(part.options, source))) {
      stopIfCancelled(signal)
      let last = NaN
      for (let i = 0; i < count; i++) {
        const day = Math.floor((Number.isNaN(eventMs[i]) ? recvMs[i] : eventMs[i]) / DAY_MS)
        if (day !== last) days.add((last = day))
      }
    }
  } else {
    const feed = barFeed(part.options)
    const chosen = chooseSource(await reader.sessions(), feed, options)
    range = barRange(part.options)
    for (const { instrument } of await barInstruments(reader, feed, chosen, part.options)) {
      const { of, interval, feed: named } = part.options
      let beforeMs = range.toMs ?? null
      for (;;) {
        stopIfCancelled(signal)
        const { bars, more } = await reader.bars({
          instrument,
          of,
          interval,
          feed: named,
          source: chosen.source,
          sessions: options.sessions,
          beforeMs,
          limit: 5_000,
        })
        for (const { startMs } of bars)
          if (startMs >= (range.fromMs ?? -Infinity)) days.add(Math.floor(startMs / DAY_MS))
        const oldest = bars[0]
        if (!more || oldest === undefined || oldest.startMs < (range.fromMs ?? -Infinity)) break
        beforeMs = oldest.startMs
      }
    }
  }
  return [...days]
    .sort((a, b) => a - b)
    .map((n) => ({
      day: n * DAY_MS,
      fromMs: Math.max(n * DAY_MS, range.fromMs ?? -Infinity),
      toMs: Math.min((n + 1) * DAY_MS, range.toMs ?? Infinity),
    }))
}
