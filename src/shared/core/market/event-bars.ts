/**
 * Bars that end by what is traded instead of by the clock: after a number of trades, a volume, a delta, or a price
 * move. They follow seq order, restart each trading day and never split a trade. A late trade belongs to the bar that
 * is forming when it arrives. A gap or another session closes the forming bar as incomplete. So the bars of a day
 * depend only on its trades in seq order, and are the same live, in a replay, and rebuilt from the store. Renko bricks
 * are derived prices. Where one trade would close more than 1,000 of them, they restart at its price as after a gap.
 */
import { addVolume, MAX_AHEAD_MS, type ExactVolume } from './bars.ts'
import type { Bar } from './market.ts'
import { literalDecimals } from '../../base/decimals.ts'
import { unixMs } from '../../base/units.ts'

export const EVENT_BAR_KINDS = ['tick', 'volume', 'range', 'renko', 'delta'] as const
export type EventBarKind = (typeof EVENT_BAR_KINDS)[number]

/** `size`: trades, volume, price range, brick height, or delta. */
export interface EventBarRule {
  readonly kind: EventBarKind
  readonly size: number
}

/** A bar with what it was built from. Times UTC ms. */
export interface EventBar {
  /** The event time of its first trade, adjusted so it increases from bar to bar. */
  startMs: number
  endMs: number
  open: number
  high: number
  low: number
  close: number
  /** NaN: no trade carried a size. */
  volume: number
  volumeRest: number
  /** Number of trades; 0 for a brick that the price jumped over. */
  count: number
  /** Volume bought less volume sold, as an exact sum. */
  readonly delta: ExactVolume
  /** Seqs of its first and last trade; NaN without one. */
  firstSeq: number
  lastSeq: number
  complete: boolean
}

/** A trade. `size` NaN: none. `side`: 1 bought, -1 sold, 0 unknown. Times UTC ms. */
export interface EventTrade {
  readonly seq: number
  readonly recvMs: number
  readonly eventMs: number
  readonly price: number
  readonly size: number
  readonly side: -1 | 0 | 1
}

/** Bars as windows see them. */
export function eventBarOf(bar: EventBar): Bar {
  const { startMs, endMs, open, high, low, close, volume, count, complete } = bar
  return {
    startMs: unixMs(startMs),
    endMs: unixMs(endMs),
    open,
    high,
    low,
    close,
    volume: Number.isNaN(volume) ? null : volume,
    count,
    complete,
  }
}

/** The shortest distance between two starts, ms, because charts need increasing times. */
const STEP_MS = 0.001

export interface EventBarBuilder {
  /** Adds a trade. Trades come in seq order. */
  trade(trade: EventTrade): void
  /** Trades were lost from this time on, UTC ms, or another session began. Bars of a day before aren't touched. */
  interrupt(atMs: number): void
  /** Closed bars and the forming one, oldest first. Valid until the next change. */
  readonly bars: readonly EventBar[]
  /** Index of the first bar that changed since this was last read; negative: bars that changed were dropped. */
  takeChanged(): number
}

/** How far the bars may exceed their limit before the oldest are dropped, so not every trade moves all of them. */
const DROP_FACTOR = 1.1

/**
 * `dayOf`: the start of an instant's trading day, UTC ms. Days go by receive time, because seq order does, too. Of more
 * than about `most` bars, the oldest are dropped.
 */
export function createEventBars(rule: EventBarRule, dayOf: (ms: number) => number, most = Infinity): EventBarBuilder {
  const bars: EventBar[] = []
  const shape = rule.kind === 'renko' ? createBricks(rule.size, bars) : createRuns(rule, bars)
  let day = NaN
  let changed = 0

  return {
    bars,
    trade(trade) {
      const began = dayOf(trade.recvMs)
      if (began !== day) shape.restart()
      day = began
      changed = Math.min(changed, Math.max(0, bars.length - 1))
      shape.trade({ ...trade, eventMs: withinDay(trade, began, dayOf) })
      if (bars.length <= most * DROP_FACTOR) return
      const dropped = bars.length - most
      bars.splice(0, dropped)
      changed -= dropped
    },
    interrupt(atMs) {
      if (dayOf(atMs) > day) return
      changed = Math.min(changed, Math.max(0, bars.length - 1))
      shape.interrupt()
    },
    takeChanged() {
      const from = changed
      changed = bars.length
      return from
    },
  }
}

/**
 * The event time of a trade, or the nearest time of its day, so bars of one day never reach into another. A date too far
 * ahead isn't used: every later bar of the day would have to start after it.
 */
function withinDay({ eventMs, recvMs }: EventTrade, day: number, dayOf: (ms: number) => number): number {
  if (eventMs < day) return day
  return eventMs - recvMs <= MAX_AHEAD_MS && dayOf(eventMs) === day ? eventMs : recvMs
}

interface Shape {
  trade(trade: EventTrade): void
  /** Closes the forming bar as incomplete. */
  interrupt(): void
  /** Begins with an empty day. */
  restart(): void
}

function newBar(open: number, atMs: number, before: EventBar | undefined): EventBar {
  const startMs = before === undefined ? atMs : Math.max(atMs, before.startMs + STEP_MS)
  return {
    startMs,
    endMs: startMs,
    open,
    high: open,
    low: open,
    close: open,
    volume: NaN,
    volumeRest: 0,
    count: 0,
    delta: { volume: 0, volumeRest: 0 },
    firstSeq: NaN,
    lastSeq: NaN,
    complete: true,
  }
}

function addTrade(bar: EventBar, { seq, eventMs, size, side }: EventTrade): void {
  if (bar.count === 0) bar.firstSeq = seq
  bar.lastSeq = seq
  bar.count++
  bar.endMs = Math.max(bar.endMs, eventMs)
  if (size >= 0 && size < Infinity) {
    addVolume(bar, size, 0)
    addVolume(bar.delta, side * size, 0)
  }
}

/** Differences of decimal prices are inexact in their last bits, so allow for that. */
const exceeds = (distance: number, size: number): boolean => distance > size * (1 + 1e-9)

/** Whether a sum of decimal sizes comes to `size`. `gross`: all that was summed, whose sizes are inexact in their last bit. */
const reaches = (sum: number, gross: number, size: number): boolean => sum >= size - gross * Number.EPSILON

/** Bars of whole trades: each trade belongs to one, and one of them closes it. */
function createRuns({ kind, size }: EventBarRule, bars: EventBar[]): Shape {
  let forming: EventBar | null = null
  const isFull = (bar: EventBar): boolean =>
    kind === 'tick'
      ? bar.count >= size
      : kind === 'volume'
        ? reaches(bar.volume, bar.volume, size)
        : kind === 'delta' && reaches(Math.abs(bar.delta.volume), bar.volume, size)
  return {
    trade(trade) {
      const { price, eventMs } = trade
      if (
        kind === 'range' &&
        forming !== null &&
        exceeds(Math.max(forming.high, price) - Math.min(forming.low, price), size)
      )
        forming = null
      if (forming === null) {
        forming = newBar(price, eventMs, bars.at(-1))
        bars.push(forming)
      }
      forming.high = Math.max(forming.high, price)
      forming.low = Math.min(forming.low, price)
      forming.close = price
      addTrade(forming, trade)
      if (isFull(forming)) forming = null
    },
    interrupt() {
      if (forming !== null) forming.complete = false
      forming = null
    },
    restart() {
      forming = null
    },
  }
}

/** Bricks that one trade closes at most: a larger jump would fill the chart with bricks that nothing was traded in. */
export const MAX_BRICKS = 1_000

/**
 * Renko bricks with real wicks. A brick closes once the price is beyond its end, and turns after two bricks. The trade
 * that closes several belongs to the first of them. One that would close more than `MAX_BRICKS` ends the forming brick,
 * incomplete, and begins again at its price.
 */
function createBricks(size: number, bars: EventBar[]): Shape {
  const decimals = literalDecimals(String(size))
  const levelOf = (step: number): number => Number((step * size).toFixed(decimals))
  /** The end of the last brick, in bricks from zero; NaN before the first trade. */
  let step = NaN
  let direction: -1 | 0 | 1 = 0
  /** Joins the list with its first trade, or when the price jumps over it. */
  let forming: EventBar | null = null

  const begin = (bar: EventBar | null, atMs: number): EventBar => {
    if (bar !== null && bar.count > 0) return bar
    const brick = newBar(levelOf(step), atMs, bars.at(-1))
    bars.push(brick)
    return brick
  }
  /** Closes a brick at the end of a step, and sets its open to where the step began. */
  const close = (bar: EventBar, from: number, to: number): void => {
    const isUp = to > from
    Object.assign(bar, { open: levelOf(from), close: levelOf(to) })
    // A wick is a traded price on the other side.
    if (isUp) bar.high = bar.close
    else bar.low = bar.close
    step = to
    direction = isUp ? 1 : -1
  }

  const restart = (): void => {
    forming = null
    step = NaN
    direction = 0
  }
  const interrupt = (): void => {
    if (forming !== null) forming.complete = false
    restart()
  }

  return {
    trade(trade) {
      const { price, eventMs } = trade
      const nearest = Math.round(price / size)
      // Beyond 2^53, a step and the next one are the same number.
      const isCounted = Number.isSafeInteger(nearest)
      if (Math.abs(nearest - step) > MAX_BRICKS || !isCounted) interrupt()
      if (Number.isNaN(step)) step = nearest
      let brick = begin(forming, eventMs)
      addTrade(brick, trade)
      let isOpen = true
      while (isCounted) {
        const sign = price > levelOf(step) ? 1 : -1
        // Against the last brick, the next one begins where that one did.
        const from: number = direction === 0 || direction === sign ? step : step + sign
        if (sign > 0 ? price <= levelOf(from + 1) : price >= levelOf(from - 1)) break
        if (!isOpen) brick = begin(null, eventMs)
        close(brick, from, from + sign)
        isOpen = false
      }
      forming = isOpen ? brick : null
      if (!isOpen) return
      brick.high = Math.max(brick.high, price)
      brick.low = Math.min(brick.low, price)
      brick.close = price
    },
    interrupt,
    restart,
  }
}
