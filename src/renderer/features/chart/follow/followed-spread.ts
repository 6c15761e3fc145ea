/** The ratio or difference of two instruments on a chart, from short bars of both. */
import { mergeBars, lowerBound } from '../../../charts/model/series.ts'
import type { ChartPage, OlderData } from '../../../charts/model/chart.ts'
import { gridOf } from '../../../../shared/core/market/calendar.ts'
import type { Bar, BarSource } from '../../../../shared/core/market/market.ts'
import { sampleInterval, spreadBars } from '../../../../shared/core/market/spread.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { BarsPage, BarsValue } from '../../../../shared/core/views/contract.ts'
import { parseInstrument, type InstrumentId } from '../../../../shared/base/units.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { ChartTarget, Following, SpreadQuery } from './chart-target.ts'
import { SpanTracker } from './span-tracker.ts'
import { spreadSource } from '../model/shown-chart.ts'

/** The most that the contract allows. */
const PAGE = 5_000
/** The most samples that scrolling back loads. */
const MAX_SAMPLES = 400_000

interface Leg {
  readonly instrument: InstrumentId
  readonly of: BarSource
  /** Gaps and corrupt data. */
  readonly spans: SpanTracker
  bars: Bar[]
  hasOlder: boolean
  decimals: number
  /** The newest page was read. */
  isLoaded: boolean
}

export class FollowedSpread implements Following {
  readonly #transport: Transport
  readonly #target: ChartTarget
  readonly #spread: SpreadQuery
  readonly #legs: readonly [Leg, Leg]
  readonly #sample
  readonly #grid
  readonly #stops: readonly (() => void)[]
  #bars: Bar[] = []
  #isStopped = false
  #isShown = false
  /** Counts seeks. A page requested before a seek is dropped. */
  #resets = 0

  constructor(transport: Transport, target: ChartTarget, spread: SpreadQuery) {
    this.#transport = transport
    this.#target = target
    this.#spread = spread
    const { view, instrument, of, interval } = target.query
    const leg = (one: InstrumentId): Leg => ({
      instrument: one,
      of: spreadSource(one, of),
      spans: new SpanTracker({ setGaps: () => target.chart.setGaps(this.#legs.flatMap(({ spans }) => spans.all)) }),
      bars: [],
      hasOlder: true,
      decimals: 0,
      isLoaded: false,
    })
    this.#legs = [leg(instrument), leg(spread.with)]
    this.#sample = sampleInterval(interval)
    this.#grid = gridOf(parseInstrument(instrument)?.asset ?? 'crypto', interval)
    target.begin()
    this.#stops = this.#legs.map((one) =>
      transport.subscribe(
        'bars',
        { view, instrument: one.instrument, of: one.of, interval: this.#sample, fromMs: null },
        (value) => {
          if (!this.#isStopped) this.#take(one, value)
        },
        (failure) => target.onStage({ is: 'failed', failure }),
      ),
    )
    for (const one of this.#legs) void this.#readNewest(one)
    target.chart.setPages({
      older: (beforeMs) => this.#older(beforeMs),
      olderData: () => this.#olderData,
      newer: () => Promise.resolve({ bars: [], more: false }),
      newest: () => undefined,
      around: () => Promise.resolve(false),
      settled: () => undefined,
    })
  }

  readonly stop = (): void => {
    this.#isStopped = true
    this.#target.chart.setPages(null)
    for (const stop of this.#stops) stop()
  }

  readonly cut = (ms: number): void => {
    this.#resets++
    for (const leg of this.#legs) {
      leg.bars = leg.bars.filter((bar) => bar.startMs <= ms)
      leg.spans.cut(ms)
    }
    if (this.#isShown) this.#show(true)
  }

  /** Where both legs are read from, UTC ms. */
  get #fromMs(): number {
    return Math.max(
      ...this.#legs.map(({ hasOlder, bars }) => (hasOlder ? (bars.at(0)?.startMs ?? Infinity) : -Infinity)),
    )
  }

  /** Whether older samples of both legs may be stored. */
  get #isMoreStored(): boolean {
    const ends = this.#legs.map(({ hasOlder, bars }) => (hasOlder ? -Infinity : (bars.at(0)?.startMs ?? Infinity)))
    return this.#fromMs > Math.max(...ends)
  }

  /** Whether older bars can be loaded. */
  get #hasOlder(): boolean {
    return this.#isMoreStored && this.#legs.reduce((sum, { bars }) => sum + bars.length, 0) < MAX_SAMPLES
  }

  get #olderData(): OlderData {
    if (this.#isMoreStored) return 'more'
    return this.#isCorruptBefore ? 'corrupt' : 'none'
  }

  /** Whether bars before the first one are missing because data is corrupt. */
  get #isCorruptBefore(): boolean {
    const firstMs = this.#bars.at(0)?.startMs ?? Infinity
    // A bar needs both legs. Where one is corrupt, the other must have something.
    return this.#legs.some((leg) => {
      const otherMs = Math.min(...this.#legs.filter((one) => one !== leg).map(storedFrom))
      return corruptSpans(leg).some(({ fromMs, toMs }) => fromMs < firstMs && otherMs < (toMs ?? Infinity))
    })
  }

  #take(leg: Leg, { reset, updates, gaps, decimals }: BarsValue): void {
    leg.decimals = Math.max(leg.decimals, decimals)
    const fresh = [...(reset ?? []), ...updates]
    const isSeek = reset !== null && this.#target.query.view !== 'live'
    if (isSeek) leg.spans.forgetCorrupt(fresh.at(0)?.startMs ?? -Infinity)
    if (gaps) leg.spans.replace(gaps)
    if (isSeek) {
      const firstMs = fresh.at(0)?.startMs ?? Infinity
      this.#resets++
      leg.bars = leg.bars.filter((bar) => bar.startMs < firstMs)
      leg.isLoaded = false
      void this.#readNewest(leg)
    }
    mergeBars(leg.bars, fresh)
    if (!this.#isShown || !this.#legs.every(({ isLoaded }) => isLoaded)) return
    if (isSeek || reset !== null) this.#show(true)
    else if (fresh.length > 0) this.#update(fresh[0].startMs)
    if (gaps) this.#drawGaps()
  }

  async #readNewest(leg: Leg): Promise<void> {
    const resets = this.#resets
    const page = await this.#ask(leg, null)
    if (this.#isStopped || page === null) return
    if (resets !== this.#resets) return this.#readNewest(leg)
    this.#join(leg, page)
    leg.isLoaded = true
    if (this.#legs.every(({ isLoaded }) => isLoaded)) this.#show(this.#isShown)
  }

  async #ask({ instrument, of }: Leg, beforeMs: number | null): Promise<BarsPage | null> {
    const { view } = this.#target.query
    const args = { view, instrument, of, interval: this.#sample, beforeMs, limit: PAGE }
    const result = await this.#transport.invoke('bars.history', args)
    if (result.ok) return result.value
    if (!this.#isStopped) this.#target.onStage({ is: 'failed', failure: result.error })
    return null
  }

  #join(leg: Leg, page: BarsPage): void {
    // Streamed bars may be newer than the page.
    const lastMs = page.bars.at(-1)?.startMs ?? -Infinity
    leg.bars = [...page.bars, ...leg.bars.filter((bar) => bar.startMs > lastMs)]
    leg.hasOlder = page.more
    leg.spans.add(page.gaps)
    leg.decimals = Math.max(leg.decimals, page.decimals)
  }

  async #older(beforeMs: number): Promise<ChartPage> {
    const resets = this.#resets
    let older: readonly Bar[] = []
    let isFurther = true
    // The chart asks no further after a page without bars, and samples can end within a bar.
    while (older.length === 0 && this.#hasOlder && isFurther) {
      const fromMs = this.#fromMs
      if (!(await this.#readOlder(resets))) return { bars: [], more: this.#hasOlder }
      older = this.#bars.filter((bar) => bar.startMs < beforeMs)
      isFurther = this.#fromMs < fromMs
    }
    this.#drawGaps()
    return { bars: older, more: this.#hasOlder }
  }

  /** Reads a page of the legs that limit the range. Returns false if it no longer joins; throws if it can't be read. */
  async #readOlder(resets: number): Promise<boolean> {
    const fromMs = this.#fromMs
    const short = this.#legs.filter(({ hasOlder, bars }) => hasOlder && (bars.at(0)?.startMs ?? Infinity) >= fromMs)
    for (const leg of short) {
      const beforeMs = leg.bars.at(0)?.startMs ?? null
      const page = await this.#ask(leg, beforeMs)
      if (this.#isStopped || resets !== this.#resets) return false
      if (page === null) throw new Error('no page')
      // A chart that reloads asks again for the page that it waits for. The first response has joined already.
      if ((leg.bars.at(0)?.startMs ?? null) !== beforeMs) continue
      leg.bars = [...page.bars, ...leg.bars]
      leg.hasOlder = page.more
      leg.spans.addCorrupt(page.gaps)
    }
    this.#compute()
    return true
  }

  #compute(): void {
    const fromMs = this.#fromMs
    const start = this.#grid.startOf(fromMs)
    // Leave out the first bar if it lacks its earlier samples.
    const wholeMs = fromMs === -Infinity || start === fromMs || Number.isNaN(start) ? fromMs : this.#grid.endOf(start)
    this.#bars = [...this.#spreadBars(-Infinity, wholeMs)]
  }

  #show(keepView: boolean): void {
    this.#compute()
    this.#isShown = true
    const value = this.#bars.at(-1)?.close
    if (value !== undefined) this.#target.setDecimals(this.#decimalsOf(value), keepView)
    this.#target.load(this.#bars, this.#hasOlder, keepView, false)
    this.#drawGaps()
    const isEmpty = this.#bars.length === 0
    this.#target.onStage(isEmpty ? { is: 'empty', damaged: this.#isCorruptBefore } : { is: 'ready' })
  }

  /** Recomputes the bars from the one that holds a sample. */
  #update(sampleMs: number): void {
    const start = this.#grid.startOf(sampleMs)
    const firstMs = this.#bars.at(0)?.startMs ?? -Infinity
    if (Number.isNaN(start) || start < firstMs) return
    const fresh = this.#spreadBars(start, start)
    if (fresh.length === 0) return
    mergeBars(this.#bars, fresh)
    this.#target.chart.update(fresh)
    this.#target.onStage({ is: 'ready' })
  }

  /** The bars from an instant on, from the samples since another (UTC ms) and each leg's last one before it. */
  #spreadBars(samplesFromMs: number, fromMs: number): readonly Bar[] {
    const [a, b] = this.#legs.map(({ bars, spans }) => ({
      bars: bars.slice(Math.max(0, lowerBound(bars, samplesFromMs) - 1)),
      gaps: spans.all,
    }))
    return spreadBars(this.#spread.operator, [a, b], this.#grid, fromMs)
  }

  #drawGaps(): void {
    for (const { spans } of this.#legs) spans.draw()
  }

  /** A difference has the decimals of its prices, a ratio six significant digits. */
  #decimalsOf(value: number): number {
    if (this.#spread.operator === '-') return Math.max(...this.#legs.map(({ decimals }) => decimals))
    return value === 0 ? 2 : Math.min(10, Math.max(2, 5 - Math.floor(Math.log10(Math.abs(value)))))
  }
}

const corruptSpans = ({ spans }: Leg): readonly GapSpan[] => spans.all.filter(({ cause }) => cause === 'unreadable')

/** The start of a leg's samples or corrupt spans, whichever is earlier, UTC ms; Infinity: it has neither. */
const storedFrom = (leg: Leg): number =>
  Math.min(leg.bars.at(0)?.startMs ?? Infinity, ...corruptSpans(leg).map(({ fromMs }) => fromMs))
