/**
 * One instrument of the demo market over time: the ticks of its source, second and minute bars built from them by the
 * shared rules, and sometimes a late tick followed by a corrected bar.
 */
import { fixedGrid, type BarState } from '../../shared/core/market/bars.ts'
import { createBarBuilder, type BarBuilder } from '../../shared/core/market/bar-builder.ts'
import type { AssetClass, FeedId } from '../../shared/base/units.ts'
import type { Values } from './frames.ts'
import { hashAt, hashText } from './random.ts'
import { tickScale, type Tick, type TickSource } from './tick.ts'

/** A message to send: when, on which feed and with which values. */
export interface MarketEvent {
  /** The market time to send it, never before its event time. */
  readonly atMs: number
  readonly feed: FeedId
  readonly values: Partial<Values>
}

interface Feeds {
  readonly trade: FeedId | undefined
  readonly quote: FeedId
  readonly second: FeedId
  readonly minute: FeedId
}

const FEEDS_OF: Readonly<Record<AssetClass, Feeds>> = {
  crypto: { trade: 'crypto/XT', quote: 'crypto/XQ', second: 'crypto/XAS', minute: 'crypto/XA' },
  forex: { trade: undefined, quote: 'forex/C', second: 'forex/CAS', minute: 'forex/CA' },
  stocks: { trade: 'stocks/T', quote: 'stocks/Q', second: 'stocks/A', minute: 'stocks/AM' },
}

/** One minute in this many ends with late ticks. */
const LATE_MINUTES = 7
/** Ticks in this last part of such a minute are late by as much. */
const LATE_PART_MS = 250
const LATE_BY_MS = 1_200

interface Delivery {
  readonly atMs: number
  readonly tick: Tick
}

/** The forming bars of one length, and how far they were sent. */
interface Forming {
  readonly feed: FeedId
  readonly lengthMs: number
  readonly builder: BarBuilder
  /** Bars that end at or before this time were sent. */
  sentUntil: number
}

export interface Instrument {
  readonly decimals: number
  readonly sizeDecimals: number
  /** The messages to send in (the time of the last call, toMs], in order. Time never goes back. */
  advance(toMs: number): MarketEvent[]
}

/** An instrument from `fromMs` on. It starts more than a minute earlier, so that its first bars are complete. */
export function createInstrument(
  asset: AssetClass,
  key: string,
  source: TickSource,
  marketSeed: number,
  fromMs: number,
): Instrument {
  const feeds = FEEDS_OF[asset]
  const seed = hashText(`late ${asset}:${key}`, marketSeed)
  const start = Math.floor(fromMs / 60_000) * 60_000 - 60_000
  const lots = tickScale(source.sizeDecimals)
  const formingOf = (feed: FeedId, lengthMs: number): Forming => ({
    feed,
    lengthMs,
    builder: createBarBuilder({ grid: fixedGrid(lengthMs) }),
    sentUntil: start,
  })
  const forming = [formingOf(feeds.second, 1_000), formingOf(feeds.minute, 60_000)]
  let cursor = start
  let arrival = 0
  let held: Delivery[] = []

  const isLate = (tick: Tick) => {
    if (tick.kind === 'quote' && feeds.trade !== undefined) return false
    const minute = Math.floor(tick.ms / 60_000)
    return (minute + 1) * 60_000 - tick.ms <= LATE_PART_MS && hashAt(seed, minute) % LATE_MINUTES === 0
  }
  const barEvent = (feed: FeedId, atMs: number, bar: BarState): MarketEvent => ({
    atMs,
    feed,
    values: {
      open: bar.open,
      high: bar.high,
      low: bar.low,
      close: bar.close,
      // Forex bars count quotes, as similar services do.
      volume: feeds.trade === undefined ? bar.count : Math.round(bar.volume * lots) / lots,
      start: bar.startMs,
      end: bar.endMs,
    },
  })
  const sendDue = (out: MarketEvent[], untilMs: number) => {
    for (const form of forming) {
      const ended = Math.floor(untilMs / form.lengthMs) > Math.floor(form.sentUntil / form.lengthMs)
      const sentUntil = form.sentUntil
      form.sentUntil = Math.max(sentUntil, untilMs)
      // Called with each tick, while a bar ends once per second.
      if (!ended) continue
      for (const bar of form.builder.states()) {
        if (bar.endMs > sentUntil && bar.endMs <= untilMs) out.push(barEvent(form.feed, bar.endMs, bar))
      }
      // Late ticks arrive within seconds, so two minutes are enough.
      if (form.builder.size > 150) form.builder.forgetBefore(untilMs - 120_000)
    }
  }
  const take = (out: MarketEvent[], { atMs, tick }: Delivery) => {
    sendDue(out, atMs)
    if (tick.kind === 'trade' && feeds.trade !== undefined) {
      out.push({ atMs, feed: feeds.trade, values: { price: tick.price, size: tick.size, time: tick.ms } })
    } else {
      const { bid, ask, bidSize, askSize } = tick
      out.push({ atMs, feed: feeds.quote, values: { bid, ask, bidSize, askSize, time: tick.ms } })
      if (feeds.trade !== undefined) return
    }
    arrival++
    for (const form of forming) {
      const begun = form.builder.apply(tick.ms, arrival, feeds.trade === undefined ? tick.bid : tick.price, tick.size)
      const bar = form.builder.get(begun)
      if (bar !== undefined && bar.endMs <= form.sentUntil) out.push(barEvent(form.feed, atMs, bar))
    }
  }

  return {
    decimals: source.decimals,
    sizeDecimals: source.sizeDecimals,
    advance(toMs) {
      const out: MarketEvent[] = []
      if (toMs <= cursor) return out
      // A tick of this millisecond is sent when the millisecond is over.
      const deliveries = held
      held = []
      for (const tick of source.ticks(cursor, toMs)) {
        deliveries.push({ atMs: isLate(tick) ? tick.ms + LATE_BY_MS : tick.ms, tick })
      }
      deliveries.sort((a, b) => a.atMs - b.atMs)
      for (const delivery of deliveries) {
        if (delivery.atMs < toMs) take(out, delivery)
        else held.push(delivery)
      }
      sendDue(out, toMs)
      out.sort((a, b) => a.atMs - b.atMs)
      cursor = toMs
      return out.filter((event) => event.atMs >= fromMs)
    },
  }
}
