/** What the timeline of a replay shows: a span of time, and the messages, gaps and bookmarks in it. */
import type { ReplayId, ReplayTimeline } from '../../../shared/features/replay/replay.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import { followSpan, lengthOf, panSpan, wholeSpan, zoomSpan, type Span } from './timeline-scale.ts'

/** Px of a bar of the histogram with its gap. */
export const BUCKET_PX = 3
const MAX_BUCKETS = 2_000

export class Timeline {
  span = $state.raw<Span>({ fromMs: 0, toMs: 1_000 })
  whole = $state.raw<Span>({ fromMs: 0, toMs: 1_000 })
  /** Of a span that may be an earlier one; drawn where it lies until the new one is there. */
  data = $state.raw<ReplayTimeline | null>(null)
  problem = $state(false)
  readonly zoomed = $derived.by(() => lengthOf(this.span) < lengthOf(this.whole) * 0.999)
  readonly #transport: Transport
  #id: ReplayId | null = null
  /** The hand moved the span: it stays where it is until the cursor is on it again. */
  #free = false
  #busy = false
  #again: (() => Promise<void>) | undefined

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A replay's whole range; another replay is shown whole, a grown one keeps its zoom. */
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
  /** Keeps the cursor on screen; `moved`: by hand, which ends looking elsewhere. */
  follow(atMs: number, moved: boolean): void {
    const next = followSpan(this.span, atMs, this.whole)
    const seen = next === this.span
    if (seen || moved) this.#free = false
    if (!seen && !this.#free) this.span = next
  }

  /** Reads the activity of the span for a width in px. While a read is under way, only the latest request is saved. */
  load(width: number): void {
    const id = this.#id
    if (id === null || width <= 0) return
    const { fromMs, toMs } = this.span
    const buckets = Math.min(MAX_BUCKETS, Math.max(1, Math.ceil(width / BUCKET_PX)))
    const run = async (): Promise<void> => {
      const result = await this.#transport.invoke('replay.timeline', { id, fromMs, toMs, buckets })
      if (id !== this.#id) return
      this.problem = !result.ok
      if (result.ok) this.data = result.value
    }
    if (this.#busy) {
      this.#again = run
      return
    }
    this.#busy = true
    void (async () => {
      let todo: (() => Promise<void>) | undefined = run
      while (todo) {
        await todo()
        todo = this.#again
        this.#again = undefined
      }
      this.#busy = false
    })()
  }
}
