/**
 * Builds event bars from the trades of an instrument. The caller passes stored messages first and live ones after them,
 * in seq order.
 */
import { createEventBars, type EventBarBuilder, type EventBarRule } from '../../../../shared/core/market/event-bars.ts'
import { createSider } from '../../../../shared/core/market/flow/side.ts'
import type { FlowMessages } from '../flow-sink.ts'

/** A team's receivers have different delays, so other instruments' messages settle a trade only this much later, ms. */
const OTHERS_LEAD_MS = 1_000

interface Waiting {
  readonly seq: number
  readonly recvMs: number
  readonly eventMs: number
  readonly price: number
  readonly size: number
}

export interface EventBarRange {
  /** Receipt of the trades, [fromMs, toMs), UTC ms. */
  readonly fromMs: number
  readonly toMs: number
  /** Bars that start at this instant or later aren't needed, UTC ms. */
  readonly beforeMs: number
  /** Of more than about this many bars, the oldest are dropped. */
  readonly most: number
}

/** Trades received outside of the range only help to tell sides. */
export class EventTrades implements FlowMessages {
  readonly builder: EventBarBuilder
  readonly #range: EventBarRange
  readonly #changed: () => void
  /** Delta bars need sides, so trades wait until they have one; null: no sides. */
  readonly #sider
  /** Trades without a side yet, oldest first. */
  #unsettled: Waiting[] = []
  /** The next trade is the first of a session. What was traded before it is unknown. */
  #beganSession = false
  /** Receive time, made never to decrease within a session, UTC ms: so no trade falls back into the day before. */
  #nowMs = -Infinity

  /** A trade received after the range was added. */
  #isPast = false

  constructor(rule: EventBarRule, dayOf: (ms: number) => number, range: EventBarRange, changed: () => void) {
    this.builder = createEventBars(rule, dayOf, range.most)
    this.#range = range
    this.#changed = changed
    this.#sider = rule.kind === 'delta' ? createSider((_, { side }) => this.#settled(side)) : null
  }

  get isClosed(): boolean {
    return (this.builder.bars.at(-1)?.startMs ?? -Infinity) >= this.#range.beforeMs
  }

  /** Whether the bars depend on trades only, not on quotes. */
  get needsOnlyTrades(): boolean {
    return this.#sider === null
  }

  quote(_: number, recvMs: number, eventMs: number, bid: number, ask: number): void {
    if (this.#sider === null) return
    this.#nowMs = Math.max(this.#nowMs, recvMs)
    this.#sider.quote(recvMs, eventMs, bid, ask)
  }

  trade(seq: number, recvMs: number, eventMs: number, price: number, size: number): void {
    this.#nowMs = Math.max(this.#nowMs, recvMs)
    const trade = { seq, recvMs: this.#nowMs, eventMs: Number.isNaN(eventMs) ? recvMs : eventMs, price, size }
    if (this.#sider === null) return this.#add(trade, 0)
    this.#unsettled.push(trade)
    this.#sider.trade(0, recvMs, eventMs, price)
  }

  /** A gap of this range can be stored after it, even after trades that no longer belong to it. */
  readonly needsLateGaps = true

  gap(feed: 'trade' | 'quote', fromMs: number): void {
    // All trades before it settle first.
    this.#sider?.gap(feed)
    if (feed === 'quote' || this.#isPast) return
    this.builder.interrupt(fromMs)
    this.#changed()
  }

  sessionBegan(): void {
    // The previous session has no more messages.
    this.end()
    this.#sider?.reset()
    this.#beganSession = true
    this.#nowMs = -Infinity
  }

  /** Settles the sides of trades, because other instruments have been received up to an instant, UTC ms. */
  advance(recvMs: number): void {
    if (this.#unsettled.length > 0) this.#sider?.advance(recvMs - OTHERS_LEAD_MS)
  }

  /** No more messages follow: settles all sides. */
  end(): void {
    this.#sider?.advance(Infinity)
  }

  #settled(side: -1 | 0 | 1): void {
    const trade = this.#unsettled.shift()
    if (trade !== undefined) this.#add(trade, side)
  }

  #add({ seq, recvMs, eventMs, price, size }: Waiting, side: -1 | 0 | 1): void {
    const { fromMs, toMs } = this.#range
    // The next day's first trade ends the last bar, as it would in the live market.
    if (recvMs >= toMs) this.#isPast = true
    if (recvMs < fromMs || recvMs >= toMs || this.isClosed) return
    if (this.#beganSession) this.builder.interrupt(recvMs)
    this.#beganSession = false
    this.builder.trade({ seq, recvMs, eventMs, price, size, side })
    this.#changed()
  }
}
