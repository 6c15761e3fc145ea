/** The hatched spans of one chart: gaps and corrupt stored data. */
import { joinGaps } from '../../../../shared/base/spans.ts'
import { unixMs } from '../../../../shared/base/units.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { OlderData } from '../../../charts/model/chart.ts'
import type { ChartSink } from './chart-target.ts'

const isSame = (a: GapSpan, b: GapSpan): boolean => a.feed === b.feed && a.fromMs === b.fromMs && a.toMs === b.toMs

export class SpanTracker {
  readonly #chart: Pick<ChartSink, 'setGaps'>
  /** Each stream value lists all gaps. */
  #gaps: readonly GapSpan[] = []
  /** Each response reports only the corrupt spans it ran into; overlapping pages report the same ones. */
  #corrupt: readonly GapSpan[] = []
  #drawn: readonly GapSpan[] = []

  constructor(chart: Pick<ChartSink, 'setGaps'>) {
    this.#chart = chart
  }

  get all(): readonly GapSpan[] {
    return [...this.#gaps, ...this.#corrupt]
  }

  get hasCorrupt(): boolean {
    return this.#corrupt.length > 0
  }

  /** What is stored before a chart's first bar (UTC ms), if no more bars are there. */
  olderData(firstMs: number): OlderData {
    return this.#corrupt.some(({ fromMs }) => fromMs < firstMs) ? 'corrupt' : 'none'
  }

  /** Stores the corrupt spans of a response and returns its gaps. */
  #takeCorrupt(spans: readonly GapSpan[]): readonly GapSpan[] {
    const corrupt = spans.filter(({ cause }) => cause === 'unreadable')
    if (corrupt.length > 0) this.#corrupt = joinGaps([...this.#corrupt, ...corrupt])
    return spans.filter(({ cause }) => cause !== 'unreadable')
  }

  /** Adds the corrupt spans of a further page. Its gaps are known from the stream. */
  addCorrupt(spans: readonly GapSpan[]): void {
    this.#takeCorrupt(spans)
  }

  add(spans: readonly GapSpan[]): void {
    const added = this.#takeCorrupt(spans)
    const isAdded = (gap: GapSpan): boolean => added.some((one) => one.feed === gap.feed && one.fromMs === gap.fromMs)
    this.#gaps = [...added, ...this.#gaps.filter((gap) => !isAdded(gap))]
  }

  replace(spans: readonly GapSpan[]): void {
    this.#gaps = this.#takeCorrupt(spans)
  }

  /** Forgets corrupt data after an instant (UTC ms) that a replay seeked back to: it isn't known yet. */
  forgetCorrupt(fromMs: number): void {
    this.#corrupt = this.#corrupt.flatMap((span) =>
      span.fromMs >= fromMs ? [] : [{ ...span, toMs: unixMs(Math.min(span.toMs ?? Infinity, fromMs)) }],
    )
  }

  /**
   * Forgets what a replay that seeked back to an instant (UTC ms) may not know yet. A gap that wasn't over by then may
   * not even have been noticed; the stream says so next.
   */
  cut(ms: number): void {
    this.forgetCorrupt(ms)
    this.#gaps = this.#gaps.filter(({ toMs }) => toMs !== null && toMs <= ms)
    this.draw()
  }

  /** Passes the spans to the chart if they changed, because the chart redraws everything. */
  draw(): void {
    const { all } = this
    if (all.length === this.#drawn.length && all.every((span, i) => isSame(span, this.#drawn[i]))) return
    this.#drawn = all
    this.#chart.setGaps(all)
  }
}
