/** The open gaps of all connections. Writes them to the session and reports them to the listener. */
import type { GapCause } from '../../../shared/core/recording/session.ts'
import { unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import type { FrameSink } from './connection/frame-sink.ts'
import type { FeedListener } from './connection/feed-listener.ts'
import type { ConnectionGap } from './connection/connection-model.ts'
import type { LoopTurn } from './connection/loop-turn.ts'

export interface OpenGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly fromMs: UnixMs
  /** The number that the recorder returned for its `gap-open`. */
  readonly seq: number
}

/** With how far the clock had been set back by then, ms. */
type Opened = OpenGap & { readonly setBackMs: number }

export class GapLedger {
  readonly #open = new Map<object, Map<number, Opened>>()
  readonly #recorder: FrameSink
  readonly #listener: FeedListener
  readonly #turn: LoopTurn

  constructor(recorder: FrameSink, listener: FeedListener, turn: LoopTurn) {
    this.#recorder = recorder
    this.#listener = listener
    this.#turn = turn
  }

  /** `owner` is the connection; gap ids are unique within it. */
  open(owner: object, feed: FeedId, gap: ConnectionGap): void {
    const fromMs = this.#unusedStart(feed, gap.fromMs)
    const mine = this.#open.get(owner) ?? new Map<number, Opened>()
    this.#open.set(owner, mine)
    mine.set(gap.id, this.#write({ feed, cause: gap.cause, symbols: gap.symbols, fromMs, seq: 0 }))
    this.#listener.gapOpened(feed, gap.cause, gap.symbols, fromMs)
  }

  close(owner: object, id: number, toMs: UnixMs): void {
    const gap = this.#open.get(owner)?.get(id)
    if (gap === undefined) return
    this.#open.get(owner)?.delete(id)
    this.#recorder.entry({ type: 'gap-close', feed: gap.feed, openedSeq: gap.seq }, this.#turn.now())
    // As in the store: by the clock of its start.
    const endMs = toMs + this.#recorder.setBackMs - gap.setBackMs
    this.#listener.gapClosed(gap.feed, gap.fromMs, unixMs(Math.max(endMs, gap.fromMs)))
  }

  /** Closes every gap that the last stop left open. */
  closeAll(toMs: UnixMs): void {
    for (const [owner, mine] of this.#open) for (const id of [...mine.keys()]) this.close(owner, id, toMs)
    this.#open.clear()
  }

  list(): readonly OpenGap[] {
    return [...this.#open.values()].flatMap((mine) => [...mine.values()])
  }

  #write(gap: OpenGap): Opened {
    const { feed, cause, symbols, fromMs } = gap
    const seq = this.#recorder.entry({ type: 'gap-open', feed, cause, symbols, fromMs }, this.#turn.now())
    return { ...gap, seq, setBackMs: this.#recorder.setBackMs }
  }

  /** A gap is identified by its feed and start, so no two gaps of a feed may start in the same millisecond. */
  #unusedStart(feed: FeedId, fromMs: UnixMs): UnixMs {
    const used = new Set(this.list().map((gap) => (gap.feed === feed ? gap.fromMs : NaN)))
    let start = fromMs
    while (used.has(start)) start = unixMs(start - 1)
    return start
  }
}
