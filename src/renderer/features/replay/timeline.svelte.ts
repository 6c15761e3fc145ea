/** State of a replay's timeline: the visible span and the activity in it. */
import { LatestRun } from '../../base/latest-run.ts'
import type { ReplayId, ReplayTimeline } from '../../../shared/features/replay/replay.ts'
import type { Transport } from '../../../shared/transport.ts'
import { followSpan, lengthOf, panSpan, wholeSpan, zoomSpan } from './timeline-scale.ts'
import type { Span } from '../../../shared/base/spans.ts'

/** Width of a histogram bar including its spacing, px. */
const BUCKET_PX = 3
const MAX_BUCKETS = 2_000

export class Timeline {
  span = $state.raw<Span>({ fromMs: 0, toMs: 1_000 })
  whole = $state.raw<Span>({ fromMs: 0, toMs: 1_000 })
  /** Activity of the last loaded span. Drawn at its own position until the current span is loaded. */
  data = $state.raw<ReplayTimeline | null>(null)
  problem = $state(false)
  readonly zoomed = $derived.by(() => lengthOf(this.span) < lengthOf(this.whole) * 0.999)
  readonly #transport: Transport
  #id: ReplayId | null = null
  /** The user moved the span, so it stops following the cursor until the cursor is visible again. */
  #free = false
  readonly #latest = new LatestRun()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Sets a replay's whole range. A new replay is fully zoomed out; a range that grew keeps the zoom. */
  setRange(id: ReplayId, fromMs: number, toMs: number): void {
    const same = id === this.#id
    const whole = wholeSpan(fromMs, toMs)
    if (same && whole.fromMs === this.whole.fromMs && whole.toMs === this.whole.toMs) return
    const zoomed = same && this.zoomed
    this.#id = id
    this.whole = whole
    this.span = zoomed ? panSpan(this.span, 0, whole) : whole
    if (!same) this.data = null
  }

  zoom(factor: number, aroundMs: number): void {
    this.#free = true
    this.span = zoomSpan(this.span, factor, aroundMs, this.whole)
  }
  pan(byMs: number): void {
    this.#free = true
    this.span = panSpan(this.span, byMs, this.whole)
  }
  fit(): void {
    this.span = this.whole
  }
  /** Keeps the cursor visible. `moved`: the user moved the cursor, so following resumes. */
  follow(atMs: number, moved: boolean): void {
    const next = followSpan(this.span, atMs, this.whole)
    const seen = next === this.span
    if (seen || moved) this.#free = false
    if (!seen && !this.#free) this.span = next
  }

  /** Loads the span's activity for a width in px. While a load is in progress, only the latest request is queued. */
  load(width: number): void {
    const id = this.#id
    if (id === null || width <= 0) return
    const { fromMs, toMs } = this.span
    const buckets = Math.min(MAX_BUCKETS, Math.max(1, Math.ceil(width / BUCKET_PX)))
    this.#latest.run(async () => {
      const result = await this.#transport.invoke('replay.timeline', { id, fromMs, toMs, buckets })
      if (id !== this.#id) return
      this.problem = !result.ok
      if (result.ok) this.data = result.value
    })
  }
}
