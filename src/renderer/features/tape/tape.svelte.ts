/** Time and sales of one instrument, either running or paused. */
import type { PrintSide, TapeValue } from '../../../shared/core/views/contract.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { SideMeter, TradeSide } from '../../../shared/core/market/flow/side.ts'
import type { Print } from '../../../shared/core/market/market.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { FrameTask, type RequestFrame } from '../../base/frames.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { Bursts, type TapeRow } from './bursts.ts'

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
  /** True once the prints up to the view's time have arrived; false again after a jump, until they are read. */
  ready = $state(false)
  /** How well quotes explain the sides; null: sides aren't shown. */
  meter = $state.raw<SideMeter | null>(null)
  readonly #transport: Transport
  readonly #task: FrameTask
  // `paused` is the reactive counterpart.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #reasons = new Set<PauseReason>()
  #all: Print[] = []
  #shown: TapeRow[] = []
  /** Settled sides by print. */
  // `version` is the reactive counterpart.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #sides = new Map<string | number, TradeSide>()
  readonly #bursts = new Bursts()
  #joinsBursts = false
  #burstMs = 0
  /** The rows of bursts are joined again in the next frame. */
  #isStale = false
  #added = 0
  #minSize = 0
  #following = ''
  #view = 'live'
  #close: (() => void) | undefined

  constructor(transport: Transport, frame?: RequestFrame) {
    this.#transport = transport
    this.#task = new FrameTask(() => this.#paint(), frame)
  }

  /** `sides`: with the aggressor of each print. */
  follow(view: string, instrument: InstrumentId, sides = false): void {
    const following = `${view} ${instrument} ${sides}`
    if (following === this.#following) return
    this.#following = following
    this.#view = view
    this.#close?.()
    this.#all = []
    this.#shown = []
    this.#sides.clear()
    // A pause holds prints that are being read, and these are gone.
    this.#reasons.clear()
    this.paused = false
    this.meter = null
    this.skipped = 0
    this.fresh = 0
    this.ready = false
    this.problem = null
    this.version++
    this.#close = keepStream(
      this.#transport,
      'tape',
      { view, instrument, limit: KEEP, ...(sides ? { sides } : {}) },
      (value) => this.#take(value),
      (failure) => (this.problem = failure),
    )
  }

  #take(value: TapeValue): void {
    if (this.problem) this.problem = null
    if (value.decimals !== this.decimals) this.decimals = value.decimals
    if (value.skipped > 0) this.skipped += value.skipped
    if (value.meter) this.meter = value.meter
    if (value.reading) this.cutAfter(-Infinity)
    if (value.reset) {
      this.ready = true
      this.#sides.clear()
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
      else if (this.#joinsBursts) this.#isStale = true
      else {
        this.#shown.push(print)
        this.#added++
      }
    }
    if (value.sides) this.#settle(value.sides)
    // Trim in batches: removing one print at a time would copy the list each time.
    if (this.#all.length > KEEP * 2) this.#all = this.#all.slice(-KEEP)
    if (!this.paused && this.#shown.length > KEEP * 2) this.#shown = this.#shown.slice(-KEEP)
    this.#task.ask()
  }

  #settle(sides: readonly PrintSide[]): void {
    for (const { side, reason, ...print } of sides) this.#sides.set(keyOf(print), { side, reason })
    this.#isStale = this.#joinsBursts && !this.paused
    if (this.#sides.size <= KEEP * 4) return
    const kept = this.#all.flatMap((print) => {
      const key = keyOf(print)
      const side = this.#sides.get(key)
      return side === undefined ? [] : [[key, side] as const]
    })
    this.#sides.clear()
    for (const [key, side] of kept) this.#sides.set(key, side)
  }

  #passes(print: Print): boolean {
    return this.#minSize <= 0 || (print.size !== null && print.size >= this.#minSize)
  }
  #filtered(): TapeRow[] {
    const rows = this.#joinsBursts
      ? this.#bursts.join(this.#all, (print) => this.sideOf(print), this.#burstMs)
      : this.#all
    return rows.filter((print) => this.#passes(print))
  }

  #paint(): void {
    if (this.#isStale && !this.paused) {
      const before = this.#shown.at(-1)
      this.#shown = this.#filtered()
      if (this.#shown.at(-1)?.seq !== before?.seq) this.#added++
    }
    this.#isStale = false
    this.version++
  }

  setMinSize(size: number): void {
    if (size === this.#minSize) return
    this.#minSize = size
    this.#shown = this.#filtered()
    this.fresh = 0
    this.version++
  }

  /** Whether prints of one side within a time (ms; 0: the same millisecond) are one row. */
  setBursts(joined: boolean, withinMs = 0): void {
    if (joined === this.#joinsBursts && withinMs === this.#burstMs) return
    this.#joinsBursts = joined
    this.#burstMs = withinMs
    this.#shown = this.#filtered()
    this.version++
  }

  /** The side of a print; null until it is settled. Of a burst, that of its newest print. */
  sideOf(print: Print): TradeSide | null {
    void this.version
    return this.#sides.get(keyOf(print)) ?? null
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
    // Later quotes may have settled the sides of earlier prints.
    this.#sides.clear()
    this.meter = null
    this.#all = this.#all.filter((print) => print.recvMs <= ms)
    if (this.#all.length === 0) this.ready = false
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
  at(index: number): TapeRow | undefined {
    void this.version
    return this.#shown[this.#shown.length - 1 - index]
  }

  /** All shown prints, newest first. */
  get prints(): readonly TapeRow[] {
    return this.#shown.slice(-this.count).reverse()
  }

  close(): void {
    this.#close?.()
    this.#task.stop()
  }
}

/** Without a session, the seq is 0: at the same price and instant, sides are the same. */
const keyOf = ({ seq, recvMs, price }: Pick<Print, 'seq' | 'recvMs' | 'price'>): string | number =>
  seq > 0 ? seq : `${recvMs} ${price}`
