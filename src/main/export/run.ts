/** An export as it is asked for, by the window and by the command line alike: one file, or one a symbol or day. */
import { FEEDS } from '../../service/feeds.ts'
import { CodedError } from '../../shared/errors.ts'
import { overlapSentence } from '../../shared/overlaps.ts'
import { exportConflict, type ExportDone, type ExportRequest } from '../../shared/exporting.ts'
import type { BarSource } from '../../shared/market.ts'
import { feedAsset, instrumentId, type FeedId, type RecordingId } from '../../shared/units.ts'
import type { StoreReader } from '../store/port.ts'
import { barFeed, barInstruments, barRange, prepareBars, type BarExportOptions } from './bars.ts'
import { nameOfSymbol, NAMELESS, partPath } from './names.ts'
import { chooseSource, stopIfCancelled, type Prepared } from './options.ts'
import { commitPrepared } from './prepare.ts'
import { prepareTicks, tickQuery, type TickExportOptions } from './ticks.ts'

export interface ExportWatch {
  readonly onProgress?: ((progress: { readonly rows: number; readonly bytes: number }) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Told once, in a sentence, where recordings overlap. */
  readonly onOverlap?: ((sentence: string) => void) | undefined
}

const DAY_MS = 86_400_000

/** What bars are built from where nothing is said: as the feed sends. */
export function barSourceOf(feed: FeedId): BarSource {
  const { kind } = FEEDS[feed]
  return kind === 'trade' ? 'trade' : kind === 'quote' ? 'mid' : 'service'
}

/**
 * Exports what is asked for to `out`, or to names made of it, each with a manifest beside. No file gets its
 * name before all of them are whole. Throws CodedError: `usage`, `not-found`, `ambiguous-source`, `cancelled`,
 * `disk-full`, `disk-error`.
 */
export async function runExport(
  reader: StoreReader,
  request: ExportRequest,
  out: string,
  watch: ExportWatch = {},
): Promise<ExportDone> {
  refuseConflict(request)
  const split = request.split !== 'none'
  if (watch.onOverlap !== undefined) {
    const { feed, source } = request
    const wanted = { sessions: namedSessions(request), source: source ?? undefined }
    const { overlaps } = chooseSource(await reader.sessions(), feed, wanted)
    if (overlaps.length > 0) watch.onOverlap(overlapSentence(overlaps))
  }
  const done = { rows: 0, bytes: 0 }
  const prepared: Prepared[] = []
  try {
    for (const part of await partsOf(reader, request, out, watch.signal)) {
      const onProgress = ({ rows, bytes }: typeof done): void =>
        watch.onProgress?.({ rows: done.rows + rows, bytes: done.bytes + bytes })
      const one = await prepare(reader, part, { signal: watch.signal, onProgress })
      // A day or symbol without a row has no file.
      if (split && one.rows === 0) {
        await one.discard()
        continue
      }
      prepared.push(one)
      done.rows += one.rows
      done.bytes += one.bytes
    }
    stopIfCancelled(watch.signal)
    const files = []
    for (const one of prepared) files.push(await commitPrepared(one))
    const only = split ? undefined : files[0]
    return { ...done, sha256: only?.sha256 ?? null, manifest: only?.manifest ?? null, files }
  } finally {
    for (const one of prepared) await one.discard()
  }
}

/** Throws `usage` for what cannot be combined. */
export function refuseConflict(request: ExportRequest): void {
  const conflict = exportConflict(request)
  if (conflict !== null) throw new CodedError('usage', conflict)
  // so that it is refused before anything is read
  if (request.what === 'bars')
    barFeed(feedAsset(request.feed), request.of ?? barSourceOf(request.feed), request.interval)
}

/** One file of an export. */
type Part =
  | { readonly what: 'ticks'; readonly options: TickExportOptions }
  | { readonly what: 'bars'; readonly options: BarExportOptions }

const prepare = (reader: StoreReader, part: Part, watch: ExportWatch): Promise<Prepared> =>
  part.what === 'ticks'
    ? prepareTicks(reader, { ...part.options, ...watch })
    : prepareBars(reader, { ...part.options, ...watch })

const namedSessions = ({ sessions }: ExportRequest): readonly RecordingId[] | undefined =>
  sessions.length === 0 ? undefined : sessions

/** The request as options of its one file. */
export function wholePart(request: ExportRequest, out: string): Part {
  const { feed, symbols, source, fromMs, toMs, format, raw, bom, separator } = request
  const common = {
    out,
    sessions: namedSessions(request),
    source: source ?? undefined,
    fromMs: fromMs ?? undefined,
    toMs: toMs ?? undefined,
    symbols: symbols.length === 0 ? undefined : symbols,
    bom,
    separator,
  }
  if (request.what === 'ticks') return { what: 'ticks', options: { ...common, feed, format, raw } }
  const of = request.of ?? barSourceOf(feed)
  // as `exportConflict` says
  if (format === 'jsonl') throw new CodedError('usage', 'Bars are exported as CSV or Parquet.')
  return { what: 'bars', options: { ...common, asset: feedAsset(feed), format, of, interval: request.interval } }
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
      const others = request.format === 'jsonl' && request.symbols.length === 0
      return others ? [...parts, narrowed(NAMELESS, { nameless: true })] : parts
    }
    case 'day':
      return (await daysOf(reader, whole, signal)).map(({ day, fromMs, toMs }) =>
        narrowed(new Date(day).toISOString().slice(0, 10), { fromMs, toMs }),
      )
  }
}

/** The symbols of a split, each instrument once. */
async function symbolsOf(reader: StoreReader, { what, options }: Part): Promise<readonly string[]> {
  const feed = what === 'ticks' ? options.feed : barFeed(options.asset, options.of, options.interval)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const asset = feedAsset(feed)
  const wanted = await barInstruments(reader, feed, chosen, {
    asset,
    sessions: options.sessions,
    symbols: options.symbols,
  })
  return [...new Map(wanted.map(({ symbol }) => [instrumentId(asset, symbol), symbol])).values()]
}

/** The UTC days that hold a row, as ranges within what is asked for. */
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
    const feed = barFeed(part.options.asset, part.options.of, part.options.interval)
    const chosen = chooseSource(await reader.sessions(), feed, options)
    range = barRange(part.options)
    for (const { instrument } of await barInstruments(reader, feed, chosen, part.options)) {
      const { of, interval } = part.options
      let beforeMs = range.toMs ?? null
      for (;;) {
        stopIfCancelled(signal)
        const { bars, more } = await reader.bars({
          instrument,
          of,
          interval,
          source: chosen.source,
          recordings: options.sessions,
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
