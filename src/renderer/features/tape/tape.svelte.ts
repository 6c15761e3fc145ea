/** Time and sales of one instrument, either running or paused. */
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
  /** Incremented once per frame in which the shown prints change. */
  version = $state(0)
  decimals = $state(2)
  skipped = $state(0)
  /** Number of prints that arrived during the pause and pass the filter. */
  fresh = $state(0)
  paused = $state(false)
  problem = $state.raw<Failure | null>(null)
  /** True once the first value has arrived. */
  ready = $state(false)
  readonly #transport: Transport
  readonly #task: FrameTask
  // `paused` is the reactive counterpart.
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
      // After a replay seeks back, even a paused tape must not show later prints.
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
    // Trim in batches: removing one print at a time would copy the list each time.
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

  /** Pauses the tape for a reason. It resumes once all reasons are gone. */
  pause(reason: PauseReason): void {
    this.#reasons.add(reason)
    this.paused = true
  }
  resume(reason: PauseReason): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0) return
    this.#run()
  }
  /** Pauses, or resumes regardless of the reason for the pause. */
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

  /** Removes prints received after `ms` (UTC). For a replay that seeks back, until its new data arrives. */
  cutAfter(ms: number): void {
    const newest = this.#all.at(-1)
    if (!newest || newest.recvMs <= ms) return
    this.#all = this.#all.filter((print) => print.recvMs <= ms)
    this.#shown = this.#filtered()
    this.fresh = 0
    this.version++
  }

  /** When the newest print was received, UTC ms; -Infinity if there is none. */
  get latestMs(): number {
    void this.version
    return this.#all.at(-1)?.recvMs ?? -Infinity
  }

  get count(): number {
    void this.version
    return Math.min(KEEP, this.#shown.length)
  }
  /** Total number of prints added on top since the tape was created. */
  get added(): number {
    void this.version
    return this.#added
  }
  /** The print at `index`; 0 is the newest. */
  at(index: number): Print | undefined {
    void this.version
    return this.#shown[this.#shown.length - 1 - index]
  }

  close(): void {
    this.#close?.()
    this.#task.stop()
  }
}
