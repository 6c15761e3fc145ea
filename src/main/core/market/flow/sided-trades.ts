/** The trades of an instrument with their sides, in seq order. */
import {
  GapCounter,
  NO_GAP,
  type GapEnds,
  type GapState,
  type LostBetween,
  type SessionStart,
} from '../../../../shared/core/market/flow/gap-count.ts'
import { createSider, SETTLE_MS, type SideMeter, type TradeSide } from '../../../../shared/core/market/flow/side.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import { FlowFollower, type FlowHistory, type FlowRange } from './flow-follower.ts'
import type { Hub } from '../hub-types.ts'

/** A trade with its side. `eventMs` NaN: undated. `size` NaN: none. Times UTC ms. */
export interface SidedTrade {
  readonly seq: number
  readonly recvMs: number
  readonly eventMs: number
  readonly price: number
  readonly size: number
}

/** A team's receivers have different delays, so other instruments' messages settle a trade only this much later, ms. */
const OTHERS_LEAD_MS = 1_000

/** Trades received in [fromMs, toMs), UTC ms. Without `toMs`, live trades follow the stored ones. */
export interface SidedRange extends FlowRange {
  /** What is known of gaps before the range. Null: its ends are joined later. Absent: nothing. */
  readonly gapBefore?: GapState | null
}

export interface SidedListener {
  /** A trade has its side. Trades come in order. */
  settled(trade: SidedTrade, side: TradeSide): void
  /** A trade was received. Its side follows. */
  arrived?(trade: SidedTrade): void
  /** Messages between two were lost or weren't stored. */
  lost?(lost: LostBetween): void
  /** The stored trades have sides, except those received in spans that couldn't be read (UTC ms). */
  ready?(unread: readonly Span[]): void
}

export class SidedTrades {
  readonly #sider
  readonly #follower: FlowFollower
  readonly #listener: SidedListener
  readonly #gaps: GapCounter
  readonly #fromMs: number
  readonly #toMs: number
  /** Receive time, made never to decrease within a session, UTC ms: ranges that meet share no trade and lose none. */
  #nowMs = -Infinity
  /** Trades without a side yet, oldest first; null: outside of the range. */
  #unsettled: (SidedTrade | null)[] = []

  constructor(hub: Hub, history: FlowHistory, range: SidedRange, listener: SidedListener) {
    const { fromMs, toMs } = range
    this.#fromMs = fromMs
    this.#toMs = toMs ?? Infinity
    this.#listener = listener
    const { gapBefore = NO_GAP } = range
    this.#gaps = new GapCounter(range, gapBefore, (lost) => listener.lost?.(lost))
    this.#sider = createSider((_, side) => {
      const trade = this.#unsettled.shift()
      if (trade && !this.#follower.isClosed) listener.settled(trade, side)
    })
    this.#follower = new FlowFollower(
      hub,
      history,
      // The side of the last trade can depend on quotes right after it.
      toMs === undefined ? range : { ...range, toMs: toMs + SETTLE_MS },
      {
        quote: (_, recvMs, eventMs, bid, ask) => {
          this.#heard(recvMs)
          this.#sider.quote(recvMs, eventMs, bid, ask)
        },
        trade: (seq, recvMs, eventMs, price, size) => {
          this.#heard(recvMs)
          this.#trade({ seq, recvMs, eventMs, price, size })
        },
        gap: (feed) => {
          this.#gaps.gap()
          this.#sider.gap(feed)
        },
        sessionBegan: (start) => this.#began(start),
        swept: () => {
          if (this.#unsettled.length > 0) this.#sider.advance(hub.lastRecvMs - OTHERS_LEAD_MS)
        },
      },
      (unread) => {
        if (toMs !== undefined) this.#sider.advance(Infinity)
        listener.ready?.(unread)
      },
    )
  }

  get meter(): SideMeter {
    return this.#sider.meter
  }

  /** What gaps at the ends of the range are joined by. */
  get gapEnds(): GapEnds {
    return this.#gaps.ends
  }

  /** Another session begins: settles the trades of the previous one. */
  sessionBegan(): void {
    this.#follower.sessionBegan('apart')
  }

  close(): void {
    this.#follower.close()
  }

  #heard(recvMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, recvMs)
    this.#gaps.heard(this.#nowMs)
  }

  #trade(trade: SidedTrade): void {
    const isInside = this.#nowMs >= this.#fromMs && this.#nowMs < this.#toMs
    this.#unsettled.push(isInside ? trade : null)
    if (isInside && !this.#follower.isClosed) this.#listener.arrived?.(trade)
    this.#sider.trade(0, trade.recvMs, trade.eventMs, trade.price)
  }

  #began(start: SessionStart): void {
    // The previous session has no more messages.
    this.#sider.advance(Infinity)
    this.#sider.reset()
    this.#unsettled = []
    this.#nowMs = -Infinity
    this.#gaps.sessionBegan(start)
  }
}
