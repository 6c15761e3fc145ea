/** Exports bars, oldest first, to a file with a manifest. */
import { countGaps } from '../../../shared/core/recording/session.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { ExportedFile } from '../../../shared/features/export/export.ts'
import { INTERVAL_LABELS, msOf, type Bar, type Interval, serviceBarFeed } from '../../../shared/core/market/market.ts'
import { t } from '../../../shared/base/text.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import { nextTurn } from '../../core/jobs/turns.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { barColumns, barSchema, beginBars, hasVwap } from './bars/bar-rows.ts'
import { chooseSource, gapsOf, stopIfCancelled, type BarExportOptions, type Chosen, type Prepared } from './options.ts'
import { commitPrepared, ExportRun, prepareFile, prepareFiles } from './prepare.ts'
import { tableFormat } from './tables/table-format.ts'
import { vwapsOf } from './vwap.ts'

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
    const feed = serviceBarFeed(asset, msOf(interval))
    if (feed === undefined)
      throw new CodedError(
        'usage',
        t('The service’s bars last whole seconds. Build others from trades, bid, ask, or mid.'),
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
  if (barMs !== null && msOf(interval) % barMs === 0) return feed
  const least = INTERVAL_LABELS.find((one) => msOf(one) === barMs) ?? '1m'
  throw new CodedError('usage', `${feed} sends ${least} bars, not ${interval}.`, {
    hint: `Export ${least} or a multiple of it, or choose a feed with shorter bars.`,
  })
}

/**
 * Exports the bars of one source that start within [fromMs, toMs), ordered by (symbol, start). A bar may span
 * sessions, so rows are not grouped by session. Throws and guarantees the same as `exportTicks`.
 */
export async function exportBars(reader: StoreReader, options: BarExportOptions): Promise<ExportedFile> {
  return commitPrepared(await prepareBars(reader, options, createBarRun(reader, options)))
}

/** Like `exportBars`, in as many files as `maxRows` asks for, which are left under their temporary names. */
export async function prepareBarFiles(reader: StoreReader, options: BarExportOptions): Promise<readonly Prepared[]> {
  const run = createBarRun(reader, options)
  return prepareFiles(options, run, (part) => prepareBars(reader, part, run))
}

/** Bars of one symbol, oldest first; `at`: the first that isn't written. */
interface BarPagePart {
  readonly symbol: string
  readonly bars: readonly Bar[]
  readonly vwaps: readonly number[]
  at: number
}

const createBarRun = (reader: StoreReader, options: BarExportOptions): ExportRun<BarPagePart> =>
  new ExportRun(barPages(reader, options), ({ at, bars }) => at >= bars.length)

async function* barPages(reader: StoreReader, options: BarExportOptions): AsyncGenerator<BarPagePart, void, void> {
  const feed = barFeed(options)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  const range = barRange(options)
  for (const { instrument, symbol } of await barInstruments(reader, feed, chosen, options)) {
    for await (const bars of pagesOf(reader, instrument, chosen.source, range, options)) {
      const vwaps = hasVwap(options) ? await vwapsOf(reader, feed, instrument, chosen.source, bars, options) : []
      yield { symbol, bars, vwaps, at: 0 }
    }
  }
  if (options.sessions === undefined) await refuseBinned(reader, chosen)
}

/** Each page reads what isn't in the bin then, so a session that was moved there is in some pages only. */
async function refuseBinned(reader: StoreReader, { sessions }: Chosen): Promise<void> {
  const binned = new Set((await reader.sessions(true)).flatMap((row) => (row.binnedMs === null ? [] : [row.session])))
  const moved = sessions.find(({ session }) => binned.has(session))
  if (moved === undefined) return
  throw new CodedError('not-found', `Session ${moved.session} was moved to the bin while its bars were being read.`, {
    hint: 'Export again, or restore the session first.',
  })
}

/** Writes one file from where `run` is. */
async function prepareBars(
  reader: StoreReader,
  options: BarExportOptions,
  run: ExportRun<BarPagePart>,
): Promise<Prepared> {
  const { of, interval, signal, maxRows = Infinity } = options
  stopIfCancelled(signal)
  const feed = barFeed(options)
  const chosen = chooseSource(await reader.sessions(), feed, options)
  return prepareFile(options, signal, async (file) => {
    const table = beginBars(file, options, feed, await tableFormat(options))
    let rows = 0
    let first = Infinity
    let last = -Infinity
    for (let page = await run.now(); page !== null && rows < maxRows; page = await run.now()) {
      const write = table.of(page.symbol)
      for (; page.at < page.bars.length && rows < maxRows; page.at++, rows++) {
        const bar = page.bars[page.at]
        write(bar, page.vwaps[page.at] ?? NaN)
        first = Math.min(first, bar.startMs)
        last = Math.max(last, bar.endMs)
      }
      await file.drain()
      await nextTurn()
      stopIfCancelled(signal)
      options.onProgress?.({ rows, bytes: file.written + file.at })
    }
    table.end()
    return async () => {
      const sessions = chosen.sessions.map((row) => row.session)
      const gaps = await gapsOf(reader, feed, chosen, options)
      options.onGaps?.(countGaps(gaps))
      return {
        schema: barSchema(options),
        columns: barColumns(options),
        feed,
        chosen,
        sessions: sessions,
        zone: options.sheet?.zone,
        fromMs: options.fromMs ?? (rows === 0 ? null : first),
        toMs: options.toMs ?? (rows === 0 ? null : last),
        rows,
        gaps,
        ledgerHead: await reader.ledgerHead(sessions),
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
  for (const { instrument, symbols } of await reader.instruments({ feed, source, sessions })) {
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
    reader.bars({ instrument, of, interval, feed, source, sessions, beforeMs, limit })
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
