/** Time and sales of one instrument: live, or held still while someone reads. */
import type { TapeValue } from '../../../shared/core/views/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Print } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { FrameTask, type RequestFrame } from '../../base/frames.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

const KEEP = 2_000
export type PauseReason = 'hover' | 'key' | 'scroll'

export class Tape {
  /** Grows with every frame that changed what is shown. */
  version = $state(0)
  decimals = $state(2)
  skipped = $state(0)
  /** Prints that came while it was held still and pass the filter. */
  fresh = $state(0)
  paused = $state(false)
  problem = $state.raw<Failure | null>(null)
  /** Whether a first value came. */
  ready = $state(false)
  readonly #transport: Transport
  readonly #task: FrameTask
  // `paused` tells of it.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #reasons = new Set<PauseReason>()
  #all: Print[] = []
  #shown: Print[] = []
  #added = 0
  #minSize = 0
  #following = ''
  #view = 'live'
  #close: (() => void) | undefined

  constructor(transport: Transport, frame?: RequestFrame) {
    this.#transport = transport
    this.#task = new FrameTask(() => this.#paint(), frame)
  }

  follow(view: string, instrument: InstrumentId): void {
    const following = `${view} ${instrument}`
    if (following === this.#following) return
    this.#following = following
    this.#view = view
    this.#close?.()
    this.#all = []
    this.#shown = []
    this.skipped = 0
    this.fresh = 0
    this.ready = false
    this.problem = null
    this.version++
    this.#close = keepStream(
      this.#transport,
      'tape',
      { view, instrument, limit: KEEP },
      (value) => this.#take(value),
      (failure) => (this.problem = failure),
    )
  }

  #take(value: TapeValue): void {
    if (this.problem) this.problem = null
    if (!this.ready) this.ready = true
    if (value.decimals !== this.decimals) this.decimals = value.decimals
    if (value.skipped > 0) this.skipped += value.skipped
    if (value.reset) {
      this.#all = [...value.reset]
      // A replay that went back must not leave prints of its future on screen, held or not.
      if (!this.paused || this.#view !== 'live') {
        this.#shown = this.#filtered()
        this.fresh = 0
      }
    }
    for (const print of value.prints) {
      this.#all.push(print)
      if (!this.#passes(print)) continue
      if (this.paused) this.fresh++
      else {
        this.#shown.push(print)
        this.#added++
      }
    }
    // Trimmed in lumps: shifting by one at every print would copy the list each time.
    if (this.#all.length > KEEP * 2) this.#all = this.#all.slice(-KEEP)
    if (!this.paused && this.#shown.length > KEEP * 2) this.#shown = this.#shown.slice(-KEEP)
    this.#task.ask()
  }

  #passes(print: Print): boolean {
    return this.#minSize <= 0 || (print.size !== null && print.size >= this.#minSize)
  }
  #filtered(): Print[] {
    return this.#all.filter((print) => this.#passes(print))
  }

  #paint(): void {
    this.version++
  }

  setMinSize(size: number): void {
    if (size === this.#minSize) return
    this.#minSize = size
    this.#shown = this.#filtered()
    this.fresh = 0
    this.version++
  }

  /** Holds the list still for a reason; it runs again when no reason is left. */
  pause(reason: PauseReason): void {
    this.#reasons.add(reason)
    this.paused = true
  }
  resume(reason: PauseReason): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0) return
    this.#run()
  }
  /** Space: holds still, or lets run whatever the reason was. */
  toggle(): void {
    if (!this.paused) return this.pause('key')
    this.#reasons.clear()
    this.#run()
  }
  #run(): void {
    this.paused = false
    this.fresh = 0
    this.#shown = this.#filtered()
    this.version++
  }

  /** Takes away prints received after an instant: a replay went back, and its own answer is still on its way. */
  cutAfter(ms: number): void {
    const newest = this.#all.at(-1)
    if (!newest || newest.recvMs <= ms) return
    this.#all = this.#all.filter((print) => print.recvMs <= ms)
    this.#shown = this.#filtered()
    this.fresh = 0
    this.version++
  }

  /** When the newest print was received, UTC ms; -Infinity: there is none. */
  get latestMs(): number {
    void this.version
    return this.#all.at(-1)?.recvMs ?? -Infinity
  }

  get count(): number {
    void this.version
    return Math.min(KEEP, this.#shown.length)
  }
  /** Prints that came on top of those shown, ever since. */
  get added(): number {
    void this.version
    return this.#added
  }
  /** 0 is the newest. */
  at(index: number): Print | undefined {
    void this.version
    return this.#shown[this.#shown.length - 1 - index]
  }

  close(): void {
    this.#close?.()
    this.#task.stop()
  }
}
