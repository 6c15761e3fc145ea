/**
 * Passes on the trades and quotes of an instrument: stored ones first, then live ones. Messages that arrive while the
 * store is being read are held back, so everything is passed on in seq order.
 */
import type { Span } from '../../../../shared/base/spans.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import type { FlowMessages, FlowSink } from '../flow-sink.ts'
import type { Hub } from '../hub-types.ts'

export interface FlowHistory {
  /**
   * Passes on the stored messages that the sides of trades since `fromMs` (receive time, UTC ms) depend on, up to
   * `toMs` and to what the hub has at the call. Resolves with the spans of receive time (UTC ms) that couldn't be read:
   * none if all of them could. Never rejects.
   */
  flow(instrument: InstrumentId, fromMs: number, sink: FlowMessages, toMs?: number): Promise<readonly Span[]>
  /**
   * Says what is stored of spans of receive time that are over. Absent: nothing is known of them.
   */
  settled?(): Promise<SettledFlow>
}

export interface SettledFlow {
  /** When the first session began, UTC ms; Infinity: there is none. */
  readonly firstMs: number
  /** Names what is stored of a span (UTC ms). Null: messages can still be added to it. */
  nameOf(fromMs: number, toMs: number): Promise<StoredSpan | null>
}

export interface StoredSpan {
  /** '' if nothing is stored. */
  readonly name: string
  /** The sessions, if the name says exactly which messages of theirs are meant; null: it doesn't. */
  readonly proven: readonly string[] | null
}

export interface FlowRange {
  readonly instrument: InstrumentId
  /** Receive time of the first trade whose side is needed, UTC ms. */
  readonly fromMs: number
  /** Receive time of the last message, UTC ms; absent: all that is stored, then live messages. */
  readonly toMs?: number
}

export class FlowFollower implements FlowSink {
  readonly needsOnlyTrades: boolean
  readonly #to: FlowSink
  readonly #stop: () => void
  /** Messages that arrived while the store is being read, in order; null: it has been read. */
  #waiting: (() => void)[] | null = []
  isClosed = false

  /** `ready` is called once all stored messages that could be read were passed on. */
  constructor(
    hub: Hub,
    history: FlowHistory,
    { instrument, fromMs, toMs }: FlowRange,
    to: FlowSink,
    ready: (unread: readonly Span[]) => void,
  ) {
    this.#to = to
    this.needsOnlyTrades = to.needsOnlyTrades === true
    this.#stop = toMs === undefined ? hub.watchFlow(instrument, this) : () => undefined
    const isClosed = () => this.isClosed
    const stored: FlowMessages = {
      ...to,
      get isClosed() {
        return isClosed()
      },
    }
    void history.flow(instrument, fromMs, stored, toMs).then((unread) => {
      if (this.isClosed) return
      for (const apply of this.#waiting ?? []) apply()
      this.#waiting = null
      ready(unread)
    })
  }

  quote(...message: Parameters<FlowSink['quote']>): void {
    if (!this.needsOnlyTrades) this.#inTurn(() => this.#to.quote(...message))
  }

  trade(...message: Parameters<FlowSink['trade']>): void {
    this.#inTurn(() => this.#to.trade(...message))
  }

  gap(...message: Parameters<FlowSink['gap']>): void {
    this.#inTurn(() => this.#to.gap(...message))
  }

  sessionBegan(...session: Parameters<FlowSink['sessionBegan']>): void {
    this.#inTurn(() => this.#to.sessionBegan(...session))
  }

  swept(): void {
    if (this.#waiting === null) this.#to.swept()
  }

  close(): void {
    this.isClosed = true
    this.#waiting = null
    this.#stop()
  }

  #inTurn(apply: () => void): void {
    if (this.#waiting === null) apply()
    else this.#waiting.push(apply)
  }
}
