import type { SessionStart } from '../../../shared/core/market/flow/gap-count.ts'

/** Receives the trades and quotes of one instrument in seq order, live, from a replay or from the store. */
export interface FlowMessages {
  /** Nothing is needed any more: reading can end. Absent: everything is. */
  readonly isClosed?: boolean
  /** Whether quotes can be left out. Absent: they are needed. */
  readonly needsOnlyTrades?: boolean
  /** Whether gaps that began in the range but were stored after it are passed on, too, with what was received until then. */
  readonly needsLateGaps?: boolean
  /** `eventMs` NaN: undated. A side that is NaN wasn't in the message, one of 0 or less is empty. Times UTC ms. */
  quote(seq: number, recvMs: number, eventMs: number, bid: number, ask: number): void
  /** `price` is finite and above zero. `size` NaN: none. */
  trade(seq: number, recvMs: number, eventMs: number, price: number, size: number): void
  /** Messages of a feed were lost here, the first of them after `fromMs`, UTC ms. */
  gap(feed: 'trade' | 'quote', fromMs: number): void
  /** Another session begins: seqs start again. */
  sessionBegan(start: SessionStart): void
}

/** Follows a market, too. */
export interface FlowSink extends FlowMessages {
  /** Called about once a second, after records of other instruments, too. */
  swept(): void
}
