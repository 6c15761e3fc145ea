/**
 * The bars of an instrument on a chart: pages of stored bars joined with the stream of new ones, without losing or
 * duplicating any. The chart holds a bounded range: scrolling far back drops the newest bars, and scrolling forward
 * loads them again.
 */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPage } from '../../../charts/model/chart.ts'
import type { BarsPage, BarsValue } from '../../../../shared/core/views/contract.ts'
import { msOf, type Bar } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { ChartTarget, Following } from './chart-target.ts'
import { SpanTracker } from './span-tracker.ts'

const FIRST_PAGE = 1_500
/** Size of pages after the first few: the most the contract allows. */
const NEXT_PAGE = 5_000
/** A range that grows beyond this is cut to `BARS_AFTER_CUT` at its far end. */
export const MAX_BARS = 200_000
const BARS_AFTER_CUT = 150_000
/** Streamed bars kept while the chart shows history: more than the store can be behind the stream. */
const MAX_RECENT = 1_000

const MS_BEFORE_ALL = -Infinity

/** UTC ms. */
interface Place {
  readonly beforeMs: number | null
  readonly afterMs?: number
}

export class FollowedBars implements Following {
  readonly #transport: Transport
  readonly #target: ChartTarget
  readonly #spans: SpanTracker
  readonly #unsubscribe: () => void
  #bars: Bar[] = []
  /** Streamed bars waiting to be joined to a page. */
  #buffered: Bar[] = []
  #isLoaded = false
  #isStopped = false
  #isReading = false
  #hasOlder = false
  /** The store has bars newer than the last one held. */
  #hasNewer = false
  /** Start of the newest bar seen anywhere, UTC ms. */
  #newestMs = MS_BEFORE_ALL
  /** The end at which the last page was added: the other end is cut. */
  #grewAt: 'old' | 'new' = 'old'
  /** Counts reads of the newest page; only the last one is used. */
  #reads = 0
  /** Counts backward seeks. A page requested before one may contain bars from after the replay's clock. */
  #cuts = 0

  constructor(transport: Transport, target: ChartTarget) {
    this.#transport = transport
    this.#target = target
    this.#spans = new SpanTracker(target.chart)
    target.begin()
    const { view, instrument, of, interval } = target.query
    this.#unsubscribe = transport.subscribe(
      'bars',
      { view, instrument, of, interval, fromMs: null },
      (value) => {
        if (!this.#isStopped) this.#take(value)
      },
      (failure) => target.onStage({ is: 'failed', failure }),
    )
    // A replay's stream starts with a reset, which reads the page. Until then there is nothing to join it to.
    if (this.#isLive) this.#readNewest()
    target.chart.setPages({
      older: (beforeMs) => this.#older(beforeMs),
      olderData: () => (this.#hasOlder ? 'more' : this.#spans.olderData(this.#firstMs)),
      newer: () => this.#newer(),
      newest: () => this.#readNewest(true),
      around: (ms) => this.#around(ms),
      settled: () => this.#settled(),
    })
  }

  readonly stop = (): void => {
    this.#isStopped = true
    this.#target.chart.setPages(null)
    this.#unsubscribe()
  }

  readonly cut = (ms: number): void => {
    this.#cuts++
    this.#spans.cut(ms)
    this.#buffered = this.#buffered.filter((bar) => bar.startMs <= ms)
    if (!this.#isLoaded || this.#lastMs <= ms) return
    this.#bars = this.#bars.filter((bar) => bar.startMs <= ms)
    this.#hasNewer = false
    this.#show(true)
  }

  get #isLive(): boolean {
    return this.#target.query.view === 'live'
  }

  get #firstMs(): number {
    return this.#bars.at(0)?.startMs ?? Infinity
  }

  get #lastMs(): number {
    return this.#bars.at(-1)?.startMs ?? MS_BEFORE_ALL
  }

  #tellStage(): void {
    const { hasCorrupt } = this.#spans
    this.#target.onStage(this.#bars.length > 0 ? { is: 'ready' } : { is: 'empty', damaged: hasCorrupt })
  }

  #show(keepView: boolean): void {
    this.#target.load(this.#bars, this.#hasOlder, keepView, this.#hasNewer)
    this.#tellStage()
  }

  #noteNewest(bars: readonly Bar[]): void {
    this.#newestMs = Math.max(this.#newestMs, bars.at(-1)?.startMs ?? MS_BEFORE_ALL)
  }

  /** Held bars from before these; none where they don't join: a jump far ahead would leave a gap. */
  #heldBefore(newer: readonly Bar[]): Bar[] {
    const first = newer.at(0)
    if (first === undefined || this.#lastMs < first.startMs) return []
    return this.#bars.filter((bar) => bar.startMs < first.startMs)
  }

  #take(value: BarsValue): void {
    if (value.decimals > 0) this.#target.setDecimals(value.decimals, this.#isLoaded)
    const fresh = [...(value.reset ?? []), ...value.updates]
    const isMove = value.reset !== null && !this.#isLive
    if (isMove) this.#spans.forgetCorrupt(fresh.at(0)?.startMs ?? MS_BEFORE_ALL)
    if (value.gaps) {
      this.#spans.replace(value.gaps)
      if (this.#isLoaded) this.#spans.draw()
    }
    this.#noteNewest(fresh)
    if (isMove) return this.#move(fresh)
    // A page being read may be older than these.
    if (!this.#isLoaded || this.#isReading) mergeBars(this.#buffered, fresh)
    else if (this.#hasNewer) this.#keepRecent(fresh)
    if (!this.#isLoaded) return
    // Beyond an end with more stored bars, a correction would leave a gap between itself and the bars held.
    const firstMs = this.#hasOlder ? this.#firstMs : MS_BEFORE_ALL
    const lastMs = this.#hasNewer ? this.#lastMs : Infinity
    const updates = fresh.filter((bar) => bar.startMs >= firstMs && bar.startMs <= lastMs)
    if (updates.length === 0) return
    mergeBars(this.#bars, updates)
    this.#target.chart.update(updates)
    this.#tellStage()
  }

  #keepRecent(fresh: readonly Bar[]): void {
    mergeBars(this.#buffered, fresh)
    if (this.#buffered.length > MAX_RECENT * 2) this.#buffered = this.#buffered.slice(-MAX_RECENT)
  }

  /** The replay seeked: drops bars after its clock at once and reads the earlier ones again. */
  #move(fresh: readonly Bar[]): void {
    this.#buffered = [...fresh]
    this.#newestMs = fresh.at(-1)?.startMs ?? MS_BEFORE_ALL
    if (this.#isLoaded) {
      this.#bars = [...this.#heldBefore(fresh), ...fresh]
      this.#hasNewer = false
      this.#show(true)
    }
    this.#readNewest()
  }

  #ask(place: Place, limit: number) {
    const { view, instrument, of, interval } = this.#target.query
    return this.#transport.invoke('bars.history', { view, instrument, of, interval, ...place, limit })
  }

  async #askOrThrow(place: Place, limit: number): Promise<BarsPage> {
    const result = await this.#ask(place, limit)
    if (!result.ok) throw new Error(result.error.message)
    return result.value
  }

  #readNewest(goThere = false): void {
    const mine = ++this.#reads
    const cuts = this.#cuts
    this.#isReading = true
    void this.#ask({ beforeMs: null }, FIRST_PAGE).then((result) => {
      if (this.#isStopped || mine !== this.#reads) return
      if (cuts !== this.#cuts) return this.#readNewest(goThere)
      this.#isReading = false
      if (result.ok) this.#joinNewest(result.value, goThere)
      else this.#target.onStage({ is: 'failed', failure: result.error })
    })
  }

  #joinNewest(page: BarsPage, goThere: boolean): void {
    const isFirst = !this.#isLoaded
    const older = this.#heldBefore(page.bars)
    const shown = this.#bars
    this.#bars = [...older, ...page.bars]
    this.#hasNewer = false
    this.#noteNewest(this.#bars)
    if (older.length === 0) this.#hasOlder = page.more
    this.#spans.add(page.gaps)
    if (page.decimals > 0) this.#target.setDecimals(page.decimals, this.#isLoaded)
    this.#joinBuffered()
    this.#isLoaded = true
    this.#spans.draw()
    if (isFirst || goThere || !haveSameEnds(shown, this.#bars)) this.#show(!isFirst && !goThere)
  }

  /** Joins streamed bars to the newest page. Before its start, with older bars in the store, they would leave a gap. */
  #joinBuffered(): void {
    const fromMs = this.#hasOlder ? this.#firstMs : MS_BEFORE_ALL
    mergeBars(
      this.#bars,
      this.#buffered.filter((bar) => bar.startMs >= fromMs),
    )
    this.#buffered = []
  }

  async #older(beforeMs: number): Promise<ChartPage> {
    const [firstMs, cuts] = [this.#firstMs, this.#cuts]
    const page = await this.#askOrThrow({ beforeMs }, this.#bars.length < NEXT_PAGE ? FIRST_PAGE : NEXT_PAGE)
    const isLate = cuts !== this.#cuts || this.#firstMs !== firstMs
    if (this.#isStopped || isLate) return { bars: [], more: this.#hasOlder }
    this.#spans.addCorrupt(page.gaps)
    this.#bars = page.bars.filter((bar) => bar.startMs < firstMs).concat(this.#bars)
    // After a page without bars, the chart asks no further. It mustn't say then that nothing older is stored.
    this.#hasOlder = page.more
    this.#grewAt = 'old'
    return page
  }

  async #newer(): Promise<ChartPage> {
    const afterMs = this.#lastMs
    const [mine, cuts] = [this.#reads, this.#cuts]
    const page = await this.#askOrThrow({ beforeMs: null, afterMs }, NEXT_PAGE)
    const isLate = mine !== this.#reads || cuts !== this.#cuts || this.#lastMs !== afterMs
    if (this.#isStopped || isLate) return { bars: [], more: this.#hasNewer }
    this.#spans.addCorrupt(page.gaps)
    const bars = [...page.bars]
    if (!page.more) {
      // The store lags behind the stream by whatever isn't flushed yet.
      mergeBars(
        bars,
        this.#buffered.filter((bar) => bar.startMs > afterMs),
      )
      // A read of the newest page in progress needs them again, because its page may be older.
      if (!this.#isReading) this.#buffered = []
    }
    this.#bars = this.#bars.concat(bars)
    this.#hasNewer = page.more
    this.#grewAt = 'new'
    return { bars, more: page.more }
  }

  async #around(ms: number): Promise<boolean> {
    const endMs = ms + (FIRST_PAGE / 2) * msOf(this.#target.query.interval)
    const isNewest = endMs > this.#newestMs
    const [mine, cuts] = [this.#reads, this.#cuts]
    const result = await this.#ask({ beforeMs: isNewest ? null : endMs }, NEXT_PAGE)
    if (this.#isStopped || !this.#isLoaded || mine !== this.#reads || cuts !== this.#cuts) return false
    if (!result.ok || result.value.bars.length === 0) return false
    // Ignore a read in progress: its bars belong to another range.
    this.#reads++
    this.#isReading = false
    this.#bars = [...result.value.bars]
    this.#hasOlder = result.value.more
    this.#hasNewer = !isNewest
    this.#noteNewest(this.#bars)
    if (isNewest) {
      this.#joinBuffered()
    }
    this.#grewAt = 'old'
    this.#spans.addCorrupt(result.value.gaps)
    this.#spans.draw()
    this.#show(false)
    return true
  }

  #settled(): void {
    // Not while a page is being added: redrawing would discard it.
    this.#spans.draw()
    if (this.#bars.length <= MAX_BARS) return
    if (this.#grewAt === 'old') {
      this.#bars = this.#bars.slice(0, BARS_AFTER_CUT)
      this.#hasNewer = true
    } else {
      this.#bars = this.#bars.slice(-BARS_AFTER_CUT)
      this.#hasOlder = true
    }
    this.#show(true)
  }
}

/** Whether two lists hold the same bars, judged by their ends. */
function haveSameEnds(a: readonly Bar[], b: readonly Bar[]): boolean {
  const last = a.at(-1)
  const otherLast = b.at(-1)
  return (
    a.length === b.length &&
    a.at(0)?.startMs === b.at(0)?.startMs &&
    last?.startMs === otherLast?.startMs &&
    last?.close === otherLast?.close
  )
}
