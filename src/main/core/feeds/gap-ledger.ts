/** Gaps of all sessions on their way to the recording and the listener. */
import type { GapCause } from '../../../shared/core/recording/recording.ts'
import { unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import type { RecorderPort } from './connection/frame-sink.ts'
import type { FeedListener } from './port.ts'
import type { SessionGap } from './connection/connection-model.ts'
import type { Turn } from './connection/handover.ts'

export interface OpenGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly fromMs: UnixMs
  /** What the recorder knows it by. */
  readonly seq: number
}

export class GapLedger {
  readonly #open = new Map<object, Map<number, OpenGap>>()
  readonly #recorder: RecorderPort
  readonly #listener: FeedListener
  readonly #turn: Turn

  constructor(recorder: RecorderPort, listener: FeedListener, turn: Turn) {
    this.#recorder = recorder
    this.#listener = listener
    this.#turn = turn
  }

  /** `owner` is the session; ids are unique within it. */
  open(owner: object, feed: FeedId, gap: SessionGap): void {
    const fromMs = this.#unusedStart(feed, gap.fromMs)
    const mine = this.#open.get(owner) ?? new Map<number, OpenGap>()
    this.#open.set(owner, mine)
    mine.set(gap.id, this.#write({ feed, cause: gap.cause, symbols: gap.symbols, fromMs, seq: 0 }))
    this.#listener.gapOpened(feed, gap.cause, gap.symbols, fromMs)
  }

  close(owner: object, id: number, toMs: UnixMs): void {
    const gap = this.#open.get(owner)?.get(id)
    if (gap === undefined) return
    this.#open.get(owner)?.delete(id)
    this.#recorder.entry({ type: 'gap-close', feed: gap.feed, openedSeq: gap.seq }, this.#turn.now())
    this.#listener.gapClosed(gap.feed, gap.fromMs, unixMs(Math.max(toMs, gap.fromMs)))
  }

  /** Ends every gap, whoever opened it: what was left open at the last stop. */
  closeAll(toMs: UnixMs): void {
    for (const [owner, mine] of this.#open) for (const id of [...mine.keys()]) this.close(owner, id, toMs)
    this.#open.clear()
  }

  list(): readonly OpenGap[] {
    return [...this.#open.values()].flatMap((mine) => [...mine.values()])
  }

  #write(gap: OpenGap): OpenGap {
    const { feed, cause, symbols, fromMs } = gap
    return { ...gap, seq: this.#recorder.entry({ type: 'gap-open', feed, cause, symbols, fromMs }, this.#turn.now()) }
  }

  /** A gap is known by its feed and start, so two of a feed never start in the same millisecond. */
  #unusedStart(feed: FeedId, fromMs: UnixMs): UnixMs {
    const used = new Set(this.list().map((gap) => (gap.feed === feed ? gap.fromMs : NaN)))
    let start = fromMs
    while (used.has(start)) start = unixMs(start - 1)
    return start
  }
}
