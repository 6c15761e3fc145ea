/** The quotes of an instrument as bars: how long bid, ask and mid stayed at each price, and the spread. Pure. */
import { midPrice, usable, type BarGrid } from '../bars.ts'
import { rowOfPrice, type PriceRows } from './cells.ts'
import { QUOTE_CARRY_MS } from './quote-ring.ts'
import { TimeAtPrice } from './time-at-price.ts'

/** Rows in ascending order with milliseconds: columns of equal length. Rows without a quote are absent. */
export interface QuoteCells {
  readonly row: readonly number[]
  readonly bid: readonly number[]
  readonly ask: readonly number[]
  readonly mid: readonly number[]
}
export const NO_QUOTES: QuoteCells = { row: [], bid: [], ask: [], mid: [] }

/** Bars by receive time: columns of equal length. */
export interface QuoteColumns {
  readonly startMs: readonly number[]
  /** How long both sides were quoted, ms. */
  readonly quotedMs: readonly number[]
  /** The mean spread, weighted by time, and the least and greatest; 0 if both sides were never quoted. */
  readonly spread: readonly number[]
  readonly leastSpread: readonly number[]
  readonly mostSpread: readonly number[]
  readonly cells: readonly QuoteCells[]
}

type Kind = 'bid' | 'ask' | 'mid'

class QuoteBar {
  readonly ms: Readonly<Record<Kind, Map<number, number>>> = { bid: new Map(), ask: new Map(), mid: new Map() }
  quotedMs = 0
  spreadMs = 0
  least = Infinity
  most = -Infinity

  get cells(): QuoteCells {
    const { bid, ask, mid } = this.ms
    const row = [...new Set([...bid.keys(), ...ask.keys(), ...mid.keys()])].sort((a, b) => a - b)
    const of = (list: ReadonlyMap<number, number>) => row.map((one) => list.get(one) ?? 0)
    return { row, bid: of(bid), ask: of(ask), mid: of(mid) }
  }
}

export class QuoteBars {
  readonly #grid: BarGrid
  readonly #span: { readonly fromMs: number; readonly toMs: number | null }
  readonly #rows: PriceRows
  readonly #changed: (startMs: number) => void
  readonly #bars = new Map<number, QuoteBar>()
  readonly #times: Readonly<Record<Kind | 'spread', TimeAtPrice>>
  #bid = NaN
  #ask = NaN
  /** Receipts of the last bid and ask that a quote had itself. */
  #bidMs = -Infinity
  #askMs = -Infinity
  #lastMs = -Infinity

  /** `changed` is called with the start of each bar that changes, UTC ms. */
  constructor(
    grid: BarGrid,
    span: { readonly fromMs: number; readonly toMs: number | null },
    rows: PriceRows,
    changed: (startMs: number) => void,
  ) {
    this.#grid = grid
    this.#span = span
    this.#rows = rows
    this.#changed = changed
    const at = (kind: Kind) =>
      new TimeAtPrice((row, fromMs, toMs) =>
        this.#split(fromMs, toMs, ({ ms }, lasted) => ms[kind].set(row, (ms[kind].get(row) ?? 0) + lasted)),
      )
    const spread = new TimeAtPrice((value, fromMs, toMs) =>
      this.#split(fromMs, toMs, (bar, lasted) => {
        bar.quotedMs += lasted
        bar.spreadMs += value * lasted
        bar.least = Math.min(bar.least, value)
        bar.most = Math.max(bar.most, value)
      }),
    )
    this.#times = { bid: at('bid'), ask: at('ask'), mid: at('mid'), spread }
  }

  /** NaN: the side keeps its price, for 5 minutes at most. 0 or less: the side is empty. */
  quote(recvMs: number, bid: number, ask: number): void {
    this.upTo(recvMs)
    // Clocks step back: no time counts twice.
    const atMs = this.#lastMs
    if (!Number.isNaN(bid)) this.#bidMs = atMs
    if (!Number.isNaN(ask)) this.#askMs = atMs
    if (!Number.isNaN(bid) || atMs - this.#bidMs > QUOTE_CARRY_MS) this.#bid = bid
    if (!Number.isNaN(ask) || atMs - this.#askMs > QUOTE_CARRY_MS) this.#ask = ask
    const mid = midPrice(this.#bid, this.#ask)
    this.#times.bid.price(atMs, this.#rowOf(this.#bid))
    this.#times.ask.price(atMs, this.#rowOf(this.#ask))
    this.#times.mid.price(atMs, this.#rowOf(mid))
    this.#times.spread.price(atMs, Number.isNaN(mid) ? NaN : this.#ask - this.#bid)
  }

  /** Another message of the instrument was received, so the quote was valid until then. */
  upTo(recvMs: number): void {
    if (recvMs <= this.#lastMs) return
    this.#lastMs = recvMs
    for (const time of Object.values(this.#times)) time.upTo(recvMs)
  }

  /** Quotes were lost after the last message, or another session begins, so the quote is unknown from then on. */
  forget(): void {
    this.#bid = this.#ask = NaN
    this.#bidMs = this.#askMs = -Infinity
    for (const time of Object.values(this.#times)) time.gap(this.#lastMs)
    this.#lastMs = -Infinity
  }

  /** Starts of the bars with quotes, ascending. */
  starts(): readonly number[] {
    return [...this.#bars.keys()].sort((a, b) => a - b)
  }

  columns(starts: readonly number[]): QuoteColumns {
    const bars = starts.map((start) => this.#bars.get(start) ?? new QuoteBar())
    const ofSpread = (value: (bar: QuoteBar) => number) => bars.map((bar) => (bar.quotedMs > 0 ? value(bar) : 0))
    return {
      startMs: starts,
      quotedMs: bars.map(({ quotedMs }) => quotedMs),
      spread: ofSpread(({ spreadMs, quotedMs }) => spreadMs / quotedMs),
      leastSpread: ofSpread(({ least }) => least),
      mostSpread: ofSpread(({ most }) => most),
      cells: bars.map(({ cells }) => cells),
    }
  }

  #rowOf(price: number): number {
    return usable(price) ? rowOfPrice(price, this.#rows) : NaN
  }

  /** Splits a time span at the bounds of bars. */
  #split(fromMs: number, toMs: number, add: (bar: QuoteBar, lastedMs: number) => void): void {
    const end = Math.min(toMs, this.#span.toMs ?? Infinity)
    for (let at = Math.max(fromMs, this.#span.fromMs); at < end;) {
      const start = this.#grid.startOf(at)
      // Outside of trading hours there are no bars.
      if (Number.isNaN(start)) return
      const next = Math.min(end, this.#grid.endOf(start))
      let bar = this.#bars.get(start)
      if (bar === undefined) {
        bar = new QuoteBar()
        this.#bars.set(start, bar)
      }
      add(bar, next - at)
      this.#changed(start)
      at = next
    }
  }
}
