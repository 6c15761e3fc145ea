/** Event bars of an instrument on a chart: today's from the stream, earlier ones page by page. */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPage } from '../../../charts/model/chart.ts'
import type { EventBarRule } from '../../../../shared/core/market/event-bars.ts'
import type { Bar } from '../../../../shared/core/market/market.ts'
import type { BarsPage, BarsValue } from '../../../../shared/core/views/contract.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { ChartTarget, Following } from './chart-target.ts'
import { SpanTracker } from './span-tracker.ts'

const PAGE = 3_000
/** The most bars that scrolling back loads. */
export const MAX_BARS = 150_000

export class FollowedEvents implements Following {
  readonly #transport: Transport
  readonly #target: ChartTarget
  readonly #rule: EventBarRule
  readonly #spans: SpanTracker
  readonly #unsubscribe: () => void
  #bars: Bar[] = []
  #isLoaded = false
  #isStopped = false
  /** Older bars are stored. */
  #isMoreStored = true
  /** Counts replacements of all bars. A page requested before a replacement is dropped. */
  #resets = 0

  constructor(transport: Transport, target: ChartTarget, rule: EventBarRule) {
    this.#transport = transport
    this.#target = target
    this.#rule = rule
    this.#spans = new SpanTracker(target.chart)
    target.begin()
    const { view, instrument } = target.query
    this.#unsubscribe = transport.subscribe(
      'eventBars',
      { view, instrument, rule },
      (value) => {
        if (!this.#isStopped) this.#take(value)
      },
      (failure) => target.onStage({ is: 'failed', failure }),
    )
    target.chart.setPages({
      older: (beforeMs) => this.#older(beforeMs),
      olderData: () => (this.#isMoreStored ? 'more' : this.#spans.olderData(this.#bars.at(0)?.startMs ?? Infinity)),
      newer: () => Promise.resolve({ bars: [], more: false }),
      newest: () => undefined,
      around: () => Promise.resolve(false),
      settled: () => this.#spans.draw(),
    })
  }

  readonly stop = (): void => {
    this.#isStopped = true
    this.#target.chart.setPages(null)
    this.#unsubscribe()
  }

  readonly cut = (ms: number): void => {
    this.#resets++
    this.#spans.cut(ms)
    if ((this.#bars.at(-1)?.startMs ?? -Infinity) <= ms) return
    this.#bars = this.#bars.filter((bar) => bar.startMs <= ms)
    this.#show(true)
  }

  #take({ reset, updates, gaps, decimals }: BarsValue): void {
    if (decimals > 0) this.#target.setDecimals(decimals, this.#isLoaded)
    if (reset && this.#target.query.view !== 'live') this.#spans.forgetCorrupt(reset.at(0)?.startMs ?? -Infinity)
    if (gaps) {
      this.#spans.replace(gaps)
      if (this.#isLoaded) this.#spans.draw()
    }
    if (reset) {
      this.#resets++
      this.#bars = [...reset]
      this.#isMoreStored = true
      const keepView = this.#isLoaded
      this.#isLoaded = true
      this.#spans.draw()
      this.#show(keepView)
      // Today has no trades yet, so show an earlier day instead of an empty chart.
      if (reset.length === 0) void this.#readFirst()
      return
    }
    if (updates.length === 0) return
    mergeBars(this.#bars, updates)
    this.#target.chart.update(updates)
    this.#target.onStage({ is: 'ready' })
  }

  async #readFirst(): Promise<void> {
    const resets = this.#resets
    const result = await this.#ask(null)
    if (this.#isStopped || resets !== this.#resets) return
    if (!result.ok) return this.#target.onStage({ is: 'failed', failure: result.error })
    this.#join(result.value)
    this.#spans.draw()
    this.#show(false)
  }

  #show(keepView: boolean): void {
    this.#target.load(this.#bars, this.#hasOlder, keepView, false)
    this.#target.onStage(this.#bars.length > 0 ? { is: 'ready' } : { is: 'empty', damaged: this.#spans.hasCorrupt })
  }

  /** Whether older bars can be loaded. */
  get #hasOlder(): boolean {
    return this.#isMoreStored && this.#bars.length < MAX_BARS
  }

  #ask(beforeMs: number | null) {
    const { view, instrument } = this.#target.query
    return this.#transport.invoke('bars.events', { view, instrument, rule: this.#rule, beforeMs, limit: PAGE })
  }

  async #older(beforeMs: number): Promise<ChartPage> {
    const resets = this.#resets
    const result = await this.#ask(beforeMs)
    if (!result.ok) throw new Error(result.error.message)
    if (this.#isStopped || resets !== this.#resets) return { bars: [], more: this.#hasOlder }
    return this.#join(result.value)
  }

  #join({ bars, gaps, more }: BarsPage): ChartPage {
    const firstMs = this.#bars.at(0)?.startMs ?? Infinity
    this.#spans.add(gaps)
    this.#bars = bars.filter((bar) => bar.startMs < firstMs).concat(this.#bars)
    this.#isMoreStored = more
    return { bars, more: this.#hasOlder && bars.length > 0 }
  }
}
