/** Rebuilds a bar row by row and records which messages set its open, high, low and close, and how many have a size. */
import { midPrice, usable, type BarGrid, type BarState } from '../../../shared/core/market/bars.ts'
import { createBarBuilder } from '../../../shared/core/market/bar-builder.ts'
import type { BarArithmetic, BarTerm } from '../../../shared/features/evidence/evidence.ts'
import type { BarSource } from '../../../shared/core/market/market.ts'
import { STORED_ONLY } from '../../../shared/core/recording/session.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import { KIND, scratch } from '../../../service/codec.ts'
import { decodeStored } from '../../../service/codecs/decode-stored.ts'
import { FEEDS } from '../../../service/feeds.ts'
import type { TickColumns } from '../../core/store/types/ticks.ts'

/** Offset between sessions, so that (session, seq) sorts as a single number. */
const SESSION_STEP = 2 ** 40
const record = scratch()

/** A bar sent by the service. `order`: session and seq of its message. */
interface Sent {
  readonly order: number
  readonly startMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

export class BarTerms {
  readonly #of: BarSource
  readonly #grid: BarGrid
  readonly #startMs: number
  readonly #sessions: SessionId[] = []
  readonly #builder
  readonly #sent = new Map<number, Sent>()
  #high = NaN
  #highAt = 0
  #low = NaN
  #lowAt = 0
  #sized = 0
  #leftOut = 0

  /** For the bar of `grid` that starts at `startMs`, UTC ms. */
  constructor(of: BarSource, grid: BarGrid, startMs: number) {
    this.#of = of
    this.#grid = grid
    this.#startMs = startMs
    this.#builder = createBarBuilder({ grid })
  }

  /** Adds the rows that `wants` accepts and whose time is inside the bar. Returns their indexes. */
  take(columns: TickColumns, wants: (i: number) => boolean): number[] {
    if (this.#sessions.at(-1) !== columns.session) this.#sessions.push(columns.session)
    const base = (this.#sessions.length - 1) * SESSION_STEP
    const read = this.#reader(columns)
    const rows: number[] = []
    for (let i = 0; i < columns.count; i++) {
      if (!wants(i)) continue
      const ms = Number.isNaN(columns.eventMs[i]) ? columns.recvMs[i] : columns.eventMs[i]
      if (this.#grid.startOf(ms) !== this.#startMs) continue
      rows.push(i)
      if ((columns.flags[i] & STORED_ONLY) !== 0 || !read(i, ms, base + columns.seq[i])) this.#leftOut++
    }
    return rows
  }

  #reader(columns: TickColumns): (i: number, ms: number, order: number) => boolean {
    const { fields, shape } = FEEDS[columns.feed]
    const slow = (i: number): boolean => {
      const raw = columns.raw(i)
      return decodeStored(columns.feed, columns.flags[i], raw, 0, raw.length, record) === 'market'
    }
    if (this.#of === 'service') return (i, _ms, order) => slow(i) && record.kind === KIND.bar && this.#takeSent(order)
    const column = (key: string | undefined) =>
      shape === 'documented' && key !== undefined && columns.keys.includes(key) ? columns.column(key) : null
    const prices = column(this.#of === 'trade' ? fields.price : this.#of === 'bid' ? fields.bid : fields.ask)
    const bids = this.#of === 'mid' ? column(fields.bid) : null
    const sizes = this.#of === 'trade' ? column(fields.size) : null
    return (i, ms, order) => {
      let price = this.#of === 'mid' ? midPrice(bids?.[i] ?? NaN, prices?.[i] ?? NaN) : (prices?.[i] ?? NaN)
      let size = sizes?.[i] ?? NaN
      // The columns only have plain JSON numbers. The codec reads more, such as numbers in strings.
      if (Number.isNaN(price) || (this.#of === 'trade' && Number.isNaN(size))) {
        if (!slow(i)) return false
        if (this.#of === 'mid') price = midPrice(record.bid, record.ask)
        else price = this.#of === 'trade' ? record.price : this.#of === 'bid' ? record.bid : record.ask
        size = this.#of === 'trade' ? record.size : NaN
      }
      return this.#takePrice(ms, order, price, size)
    }
  }

  #takePrice(ms: number, order: number, price: number, size: number): boolean {
    if (!usable(price)) return false
    this.#builder.apply(ms, order, price, size)
    if (size >= 0 && size < Infinity) this.#sized++
    this.#extremes(order, price, price)
    return true
  }

  #takeSent(order: number): boolean {
    const { startMs, open, high, low, close, volume } = record
    if (![open, high, low, close].every(usable)) return false
    if (this.#sent.has(startMs)) this.#leftOut++ // replaced by this later message with the same start
    this.#sent.set(startMs, { order, startMs, open, high, low, close, volume })
    return true
  }

  #extremes(order: number, high: number, low: number): void {
    if (!(high <= this.#high)) {
      this.#high = high
      this.#highAt = order
    }
    if (!(low >= this.#low)) {
      this.#low = low
      this.#lowAt = order
    }
  }

  /** Returns the bar after the last row, or null if it has no message. */
  done(): { readonly state: BarState; readonly arithmetic: BarArithmetic } | null {
    for (const { order, startMs, open, high, low, close, volume } of [...this.#sent.values()].sort(
      (a, b) => a.startMs - b.startMs,
    )) {
      const sized = volume >= 0 && volume < Infinity
      if (sized) this.#sized++
      this.#builder.merge({
        startMs,
        endMs: this.#grid.endOf(this.#startMs),
        open,
        high,
        low,
        close,
        volume: sized ? volume : NaN,
        volumeRest: 0,
        count: 1,
        openMs: startMs,
        openSeq: order,
        closeMs: startMs,
        closeSeq: order,
        firstSeq: order,
        lastSeq: order,
        complete: true,
      })
      this.#extremes(order, high, low)
    }
    const state = this.#builder.get(this.#startMs)
    if (state === undefined) return null
    const term = (value: number, order: number): BarTerm => ({
      value,
      session: this.#sessions[Math.floor(order / SESSION_STEP)],
      seq: order % SESSION_STEP,
    })
    return {
      state,
      arithmetic: {
        open: term(state.open, state.openSeq),
        high: term(state.high, this.#highAt),
        low: term(state.low, this.#lowAt),
        close: term(state.close, state.closeSeq),
        volume: Number.isNaN(state.volume) ? null : state.volume,
        sized: this.#sized,
        count: state.count,
        leftOut: this.#leftOut,
      },
    }
  }
}
