/** The hatched spans of one chart: what was not received, and what is stored and corrupt. */
import { joinGaps } from '../../../../shared/base/spans.ts'
import { unixMs } from '../../../../shared/base/units.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { ChartSink } from './chart-data.ts'

const isSame = (a: GapSpan, b: GapSpan): boolean => a.feed === b.feed && a.fromMs === b.fromMs && a.toMs === b.toMs

export class SpanTracker {
  readonly #chart: Pick<ChartSink, 'setGaps'>
  /** Each stream value lists all gaps. */
  #gaps: readonly GapSpan[] = []
  /** Each response reports only the corrupt spans that it ran into; pages that overlap report the same ones. */
  #corrupt: readonly GapSpan[] = []
  #drawn: readonly GapSpan[] = []

  constructor(chart: Pick<ChartSink, 'setGaps'>) {
    this.#chart = chart
  }

  get hasCorrupt(): boolean {
    return this.#corrupt.length > 0
  }

  /** Takes the corrupt spans of a response; returns its gaps. */
  #takeCorrupt(spans: readonly GapSpan[]): readonly GapSpan[] {
    const corrupt = spans.filter(({ cause }) => cause === 'unreadable')
    if (corrupt.length > 0) this.#corrupt = joinGaps([...this.#corrupt, ...corrupt])
    return spans.filter(({ cause }) => cause !== 'unreadable')
  }

  /** Of a page that joins others: the stream has its gaps already. */
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

  /** A replay jumped back: corruption after that instant isn't known yet. */
  forgetCorrupt(fromMs: number): void {
    this.#corrupt = this.#corrupt.flatMap((span) =>
      span.fromMs >= fromMs ? [] : [{ ...span, toMs: unixMs(Math.min(span.toMs ?? Infinity, fromMs)) }],
    )
  }

  /** Gives the chart the spans, unless it has the same ones: it would redraw everything. */
  draw(): void {
    const all = [...this.#gaps, ...this.#corrupt]
    if (all.length === this.#drawn.length && all.every((span, i) => isSame(span, this.#drawn[i]))) return
    this.#drawn = all
    this.#chart.setGaps(all)
  }
}
