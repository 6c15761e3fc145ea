/** Exports bars, oldest first, to a file with a manifest. */
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { ExportedFile } from '../../../shared/features/export/export.ts'
import {
  INTERVAL_LABELS,
  INTERVALS,
  type Bar,
  type BarSource,
  type Interval,
  serviceBarFeed,
} from '../../../shared/core/market/market.ts'
import { t } from '../../../shared/base/text.ts'
import { instrumentId, type AssetClass, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { barColumns, barSchema, beginBars } from './bar-rows.ts'
import { chooseSource, gapsOf, stopIfCancelled, type Chosen, type CommonOptions, type Prepared } from './options.ts'
import { commitPrepared, prepareFile } from './prepare.ts'
import { vwapsOf } from './vwap.ts'

export interface BarExportOptions extends CommonOptions {
  readonly asset: AssetClass
  /** Default: CSV. */
  readonly format?: 'csv' | 'parquet' | undefined
  /** Any alias of an instrument matches. Absent: every symbol. */
  readonly symbols?: readonly string[] | undefined
  readonly of: BarSource
  readonly interval: Interval
  /** Aggregate only this feed's service bars. Absent: use the feed that matches the interval. */
  readonly feed?: FeedId | undefined
  /** Adds `EXTENDED_COLUMNS`. */
  readonly extended?: boolean | undefined
}

const PAGE = 5_000

/**
 * Returns the feed whose records make the bars. For service bars that is `feed` if given; otherwise it is the asset's
 * feed for `of` and `interval`. Throws `usage` if no feed fits or the bars of `feed` are longer than `interval`.
 */
export function barFeed({
  asset,
  of,
  interval,
  feed: named,
}: Pick<BarExportOptions, 'asset' | 'of' | 'interval' | 'feed'>): FeedId {
  if (of === 'service') {
    if (named !== undefined) return foldable(named, interval)
    const feed = serviceBarFeed(asset, INTERVALS[interval])
    if (feed === undefined)
      throw new CodedError(
        'usage',
        t('The service sends no bars shorter than a second. Build them from trades, bid, ask, or mid.'),
      )
    return feed
  }
  const feed = TICK_FEEDS[asset].find((id) => FEEDS[id].kind === (of === 'trade' ? 'trade' : 'quote'))
  if (feed === undefined) {
    throw new CodedError('usage', `The service sends no trades of ${asset}.`, { hint: 'Use --of bid, ask or mid.' })
  }
  return feed
}

function foldable(feed: FeedId, interval: Interval): FeedId {
  const { barMs } = FEEDS[feed]
  if (barMs !== null && INTERVALS[interval] >= barMs) return feed
  const least = INTERVAL_LABELS.find((one) => INTERVALS[one] === barMs) ?? '1m'
  throw new CodedError('usage', `${feed} sends ${least} bars, not ${interval}.`, {
    hint: `Export ${least} or longer, or choose a feed with shorter bars.`,
  })
}

/**
 * Exports the bars of one source that start within [fromMs, toMs), ordered by (symbol, start). A bar may span
 * sessions, so rows are not grouped by session. Throws and guarantees the same as `exportTicks`.
 */
export async function exportBars(reader: StoreReader, options: BarExportOptions): Promise<ExportedFile> {
  return commitPrepared(await prepareBars(reader, options))
}

/** Like `exportBars`, but leaves the files under their temporary names. */
export async function prepareBars(reader: StoreReader, options: BarExportOptions): Promise<Prepared> {
  const { of, interval, signal } = options
  stopIfCancelled(signal)
  const feed = barFeed(options)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const wanted = await barInstruments(reader, feed, chosen, options)
  return prepareFile(options.out, signal, async (file) => {
    const table = beginBars(file, options, feed)
    const range = barRange(options)
    let rows = 0
    let first = Infinity
    let last = -Infinity
    for (const { instrument, symbol } of wanted) {
      const write = table.of(symbol)
      for await (const page of pagesOf(reader, instrument, chosen.source, range, options)) {
        const vwaps =
          options.extended === true ? await vwapsOf(reader, feed, instrument, chosen.source, page, options) : []
        for (const [i, bar] of page.entries()) write(bar, vwaps[i] ?? NaN)
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
        schema: barSchema(options),
        columns: barColumns(options),
        feed,
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
  /** The symbol written to the file: the service's own if known. */
  readonly symbol: string
}

/** The requested instruments, or all instruments of the chosen sessions, sorted by symbol. */
export async function barInstruments(
  reader: StoreReader,
  feed: FeedId,
  { source }: Chosen,
  { asset, symbols, sessions }: Pick<BarExportOptions, 'asset' | 'symbols' | 'sessions'>,
): Promise<readonly Wanted[]> {
  const stored = new Map<InstrumentId, string>()
  for (const { instrument, symbols } of await reader.instruments({ feed, source, recordings: sessions })) {
    const latest = symbols.at(-1)
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

/** Pages cached while paging backwards. Older ones are read again on the way forward. */
const PAGES_KEPT = 40
/** Extra bars to request when reading a page again, since late bars may have been added to it. */
const LATE = 1_000

/** Yields an instrument's bars oldest first, in non-empty pages. The store itself pages backwards from the newest. */
async function* pagesOf(
  reader: StoreReader,
  instrument: InstrumentId,
  source: string,
  { fromMs, toMs }: Range,
  { of, interval, feed, sessions, signal }: BarExportOptions,
): AsyncGenerator<readonly Bar[], void, void> {
  const pages: { readonly fromMs: number; readonly beforeMs: number | null; bars: readonly Bar[] | null }[] = []
  const ask = (beforeMs: number | null, limit: number) =>
    reader.bars({ instrument, of, interval, feed, source, recordings: sessions, beforeMs, limit })
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

/** The requested range, with open ends filled in. UTC ms. */
export const barRange = ({ fromMs, toMs }: Pick<BarExportOptions, 'fromMs' | 'toMs'>): Range => ({
  fromMs: fromMs ?? -Infinity,
  toMs: toMs ?? null,
})
