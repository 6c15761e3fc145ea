/** The current quotes of the instruments that this window shows. Updated once per frame. */
import type { QuotesValue } from '../../../shared/core/views/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { QuoteRow } from '../../../shared/core/status/status.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { FrameTask, afterPaint, type RequestFrame } from '../../base/frames.ts'
import { LatencyWindow, type LatencyPercentiles } from '../../base/latency.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

export interface QuotesClocks {
  readonly frame?: RequestFrame
  readonly painted?: (run: () => void) => void
  readonly now?: () => number
  /** Whether the window is visible and so paints. */
  readonly visible?: () => boolean
}

export class Quotes {
  /** Increases with every frame that changed a row. */
  version = $state(0)
  /** Why the stream ended, until it is open again. */
  problem = $state.raw<Failure | null>(null)
  // One version counter stands for all rows: a reactive map would cost a signal for each.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #rows = new Map<InstrumentId, QuoteRow>()
  readonly #transport: Transport
  readonly #latency = new LatencyWindow()
  readonly #task: FrameTask
  readonly #painted: (run: () => void) => void
  readonly #now: () => number
  readonly #visible: () => boolean
  /** Receive time of the latest message of each instrument that the next paint will show. */
  // Read by no template.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #fresh = new Map<InstrumentId, number>()
  #following = ''
  #view = 'live'
  #close: (() => void) | undefined

  constructor(transport: Transport, clocks: QuotesClocks = {}) {
    this.#transport = transport
    this.#painted = clocks.painted ?? afterPaint
    this.#now = clocks.now ?? Date.now
    this.#visible = clocks.visible ?? (() => document.visibilityState === 'visible')
    this.#task = new FrameTask(() => this.#paint(), clocks.frame)
  }

  /**
   * Follows exactly these instruments. Rows of the same view stay on screen while the stream reopens; rows of another
   * view don't, so yesterday's price never appears next to today's.
   */
  follow(view: string, instruments: readonly InstrumentId[]): void {
    const wanted = instruments.filter((one, i) => instruments.indexOf(one) === i).slice(0, 2_000)
    const key = `${view} ${wanted.toSorted().join(' ')}`
    if (key === this.#following) return
    this.#following = key
    if (view !== this.#view) {
      this.#view = view
      this.#rows.clear()
      this.#fresh.clear()
      this.#close?.()
      this.#close = undefined
      this.version++
    }
    const before = this.#close
    this.#close =
      wanted.length === 0
        ? undefined
        : keepStream(
            this.#transport,
            'quotes',
            { view, instruments: wanted },
            (value) => this.#take(value, view),
            (failure) => (this.problem = failure),
          )
    // Open the new stream first, so instruments in both stay subscribed.
    before?.()
  }

  #take(value: QuotesValue, view: string): void {
    if (view !== this.#view) return
    if (this.problem) this.problem = null
    // A replay's receive times aren't comparable with the current clock.
    const visible = view === 'live' && this.#visible()
    for (const row of value.rows) {
      const before = this.#rows.get(row.instrument)
      // Don't measure a stream's first value, which may be old, or a hidden window, which doesn't paint.
      if (
        visible &&
        before &&
        row.lastRecvMs !== null &&
        before.lastRecvMs !== null &&
        row.lastRecvMs > before.lastRecvMs
      )
        this.#fresh.set(row.instrument, row.lastRecvMs)
      this.#rows.set(row.instrument, row)
    }
    if (value.rows.length > 0) this.#task.ask()
  }

  /**
   * Drops all rows, because a replay went back: they are later than its clock. The next frame shows what has arrived by
   * then.
   */
  rewind(): void {
    this.#rows.clear()
    this.#fresh.clear()
    this.#task.ask()
  }

  #paint(): void {
    this.version++
    const stamps = this.#fresh
    if (stamps.size === 0) return
    // Read by no template, as above.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    this.#fresh = new Map()
    this.#painted(() => {
      const now = this.#now()
      for (const stamp of stamps.values()) this.#latency.add(now - stamp, now)
    })
  }

  /** The row as of the last paint. Reactive. */
  row(instrument: InstrumentId): QuoteRow | undefined {
    void this.version
    return this.#rows.get(instrument)
  }

  /** The row without reactivity, for sorting at a slower rate. */
  peek(instrument: InstrumentId): QuoteRow | undefined {
    return this.#rows.get(instrument)
  }

  /** Latency from receipt to paint over about the last minute, ms on the wall clock that both sides share. */
  latency(): LatencyPercentiles | undefined {
    return this.#latency.read(this.#now())
  }

  close(): void {
    this.#close?.()
    this.#task.stop()
  }
}
