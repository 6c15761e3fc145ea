/** Passes the bars of one chart to the drawing library: pages of older and newer bars, and the forming bar. */
import type { Chart } from 'klinecharts'
import type { Bar } from '../../shared/core/market/market.ts'
import type { GapSpan } from '../../shared/core/status/status.ts'
import { heikinAshi, heikinAshiRows } from './model/heikin-ashi.ts'
import type { ChartPages, StyledSeries } from './model/chart.ts'
import { lowerBound, mergeBars, rowsOf, rowOf, type Row } from './model/series.ts'

/** `goTo` reads at most this many pages of older bars; instants further away are loaded directly. */
const MAX_PAGES = 20
const FAR_BARS = 20_000
/** With more new rows than this at once, all bars are passed to the library again. */
const MAX_PUSHED = 200

interface Options {
  readonly series: () => StyledSeries
  readonly gaps: () => readonly GapSpan[]
  /** Called after the library received different bars. */
  readonly changed: () => void
  /** Called when the newest bars are loaded: the last one is the current bar again. */
  readonly joined: () => void
}

/** The period that klinecharts uses to extrapolate times right of the last bar. */
function period(intervalMs: number): { type: 'second' | 'minute' | 'hour' | 'day'; span: number } {
  if (intervalMs % 86_400_000 === 0) return { type: 'day', span: intervalMs / 86_400_000 }
  if (intervalMs % 3_600_000 === 0) return { type: 'hour', span: intervalMs / 3_600_000 }
  if (intervalMs % 60_000 === 0) return { type: 'minute', span: intervalMs / 60_000 }
  return { type: 'second', span: intervalMs / 1_000 }
}

export class KlineBars {
  readonly #chart: Chart
  readonly #options: Options
  #bars: Bar[] = []
  #hasOlder = false
  #hasNewer = false
  #push: ((row: Row) => void) | null = null
  #generation = 0
  /** Bars not passed to the library yet. */
  #pending = new Map<number, Bar>()
  // During a drag, the library counts bars from where the drag started, so none may be dropped.
  #isHeld = false
  pages: ChartPages | null = null

  constructor(chart: Chart, options: Options) {
    this.#chart = chart
    this.#options = options
  }

  get all(): readonly Bar[] {
    return this.#bars
  }
  get last(): Bar | undefined {
    return this.#bars[this.#bars.length - 1]
  }
  /** Newer bars exist than the last one loaded. */
  get hasOlder(): boolean {
    return this.#hasOlder
  }
  get hasNewer(): boolean {
    return this.#hasNewer
  }
  /** Averages of the bars are drawn instead of the bars (Heikin-Ashi). */
  get areAverages(): boolean {
    const { style, ticks } = this.#options.series()
    return style === 'heikin-ashi' && !ticks
  }
  rows(): readonly Row[] {
    return this.#chart.getDataList() as Row[] // every row comes from series.ts
  }
  between(fromMs: number, toMs: number): readonly Bar[] {
    return this.#bars.slice(lowerBound(this.#bars, fromMs), lowerBound(this.#bars, toMs + 1))
  }

  /** Replaces all bars. `reload` shows them. */
  replace(list: readonly Bar[], hasOlder: boolean, hasNewer: boolean): void {
    this.#bars = [...list]
    this.#hasOlder = hasOlder
    this.#hasNewer = hasNewer
  }

  /** Merges updates. Returns true if they wait for `flush`, false if they are already shown. */
  update(updates: readonly Bar[]): boolean {
    const empty = this.#bars.length === 0
    const lastMs = this.last?.startMs ?? Infinity
    const kind = mergeBars(this.#bars, updates)
    const { intervalMs } = this.#options.series()
    const newestMs = this.last?.startMs ?? -Infinity
    // Only gaps get empty slots. Intervals in which nothing traded get none.
    const closesGap =
      newestMs > lastMs + intervalMs &&
      this.#options.gaps().some(({ fromMs, toMs }) => toMs !== null && fromMs > lastMs && fromMs <= newestMs)
    if (kind === 'middle' || empty || closesGap || !this.#push) {
      this.reload(true)
      return false
    }
    for (const bar of updates) this.#pending.set(bar.startMs, bar)
    return true
  }

  /** Passes waiting bars to the library. Returns whether there were any. */
  flush(): boolean {
    if (this.#pending.size === 0) return false
    const fresh = [...this.#pending.values()]
    if (!this.#push || fresh.length > MAX_PUSHED) this.reload(true)
    else {
      this.#pending = new Map()
      for (const bar of fresh) this.#push(this.#rowShown(bar))
      this.#options.changed()
    }
    return true
  }

  reload(keepView: boolean): void {
    this.#pending = new Map()
    const chart = this.#chart
    const series = this.#options.series()
    const list = this.rows()
    const range = chart.getVisibleRange()
    const anchor =
      keepView && list.length > 0 && range.to < list.length ? list[Math.max(0, range.to - 1)].timestamp : null
    const mine = ++this.#generation
    this.#push = null
    chart.setSymbol({ ticker: series.label, pricePrecision: series.decimals, volumePrecision: 2 })
    chart.setPeriod(period(series.intervalMs))
    chart.setDataLoader({
      getBars: ({ type, timestamp, callback }) => {
        const give = (rows: Row[]): void => callback(rows, { forward: this.#hasOlder, backward: this.#hasNewer })
        const none = (): void => {
          if (mine === this.#generation) give([])
        }
        if (type === 'init') give(this.#rowsShown(this.#bars))
        else if (type === 'forward' && this.pages && timestamp !== null) {
          void this.pages.older(this.#bars[0]?.startMs ?? timestamp).then((page) => {
            if (mine === this.#generation) this.#takeOlder(page, give)
          }, none)
        } else if (type === 'backward' && this.pages) {
          void this.pages.newer().then((page) => {
            if (mine === this.#generation) this.#takeNewer(page, give)
          }, none)
        } else give([])
      },
      subscribeBar: ({ callback }) => {
        this.#push = callback
      },
      unsubscribeBar: () => {
        this.#push = null
      },
    })
    if (anchor !== null) chart.scrollToTimestamp(anchor)
    this.#options.changed()
  }

  /** Loads and shows the bars around an instant (UTC ms). */
  async goTo(ms: number): Promise<void> {
    const far = FAR_BARS * this.#options.series().intervalMs
    const [first] = this.#bars
    const isFar =
      (first !== undefined && this.#hasOlder && first.startMs - ms > far) ||
      (this.#hasNewer && ms > (this.last?.startMs ?? Infinity))
    if (isFar) await this.pages?.around(ms)
    const mine = this.#generation
    for (let read = 0; read < MAX_PAGES && this.#bars.length > 0 && this.#bars[0].startMs > ms; read++) {
      if (!this.#hasOlder) break
      const [seam] = this.#bars
      const page = await this.pages?.older(seam.startMs)
      if (page === undefined || mine !== this.#generation) return
      const older = page.bars.filter((bar) => bar.startMs < seam.startMs)
      this.#bars = older.concat(this.#bars)
      this.#hasOlder = page.more && older.length > 0
    }
    this.reload(true)
    const list = this.rows()
    const index = list.findLastIndex((row) => row.timestamp <= ms)
    const half = (this.#chart.getSize('candle_pane', 'main')?.width ?? 0) / this.#chart.getBarSpace().bar / 2
    // In the middle, unless the newest bars leave no room to its right.
    this.#chart.scrollToDataIndex(Math.min(list.length - 1, Math.max(0, index) + Math.floor(half)))
    this.#settle()
  }

  /** The pointer started dragging the chart. */
  readonly hold = (): void => {
    this.#isHeld = true
  }
  readonly release = (): void => {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#settle()
  }

  /** Ignores pages that are still loading. */
  stop(): void {
    this.#generation++
  }

  #settle(): void {
    if (!this.#isHeld) this.pages?.settled()
  }

  #takeOlder(page: Awaited<ReturnType<ChartPages['older']>>, give: (rows: Row[]) => void): void {
    const seam = this.#bars[0] as Bar | undefined // there may be none
    const older = page.bars.filter((bar) => seam === undefined || bar.startMs < seam.startMs)
    this.#bars = older.concat(this.#bars)
    this.#hasOlder = page.more && older.length > 0
    // An average depends on the bar before, so older bars change the ones shown.
    if (this.areAverages) return this.reload(true)
    const rows = this.#plain(seam === undefined ? older : [...older, seam])
    give(seam === undefined ? rows : rows.slice(0, -1))
    this.#settle()
  }

  #takeNewer(page: Awaited<ReturnType<ChartPages['newer']>>, give: (rows: Row[]) => void): void {
    const seam = this.last
    const newer = page.bars.filter((bar) => seam === undefined || bar.startMs > seam.startMs)
    this.#bars = this.#bars.concat(newer)
    const joined = this.#hasNewer && !page.more
    this.#hasNewer = page.more
    if (joined) this.#options.joined()
    if (this.areAverages) return this.reload(true)
    const rows = this.#plain(seam === undefined ? newer : [seam, ...newer])
    give(seam === undefined ? rows : rows.slice(1))
    this.#settle()
  }

  #plain(list: readonly Bar[]): Row[] {
    return rowsOf(list, this.#options.gaps(), this.#options.series().intervalMs)
  }
  #rowsShown(list: readonly Bar[]): Row[] {
    const plain = this.#plain(list)
    return this.areAverages ? heikinAshiRows(plain) : plain
  }
  #rowShown(bar: Bar): Row {
    const row = rowOf(bar)
    if (!this.areAverages) return row
    return heikinAshi(
      row,
      this.rows().findLast((one) => one.bar !== null && one.timestamp < row.timestamp),
    )
  }
}
