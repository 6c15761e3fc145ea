/**
 * How often messages of an instrument were lost: gaps of trades and quotes between the same two messages are one. Parts
 * of the messages can be counted apart and joined. Pure.
 */

/** What is known after a message. `lastMs`: its receipt, UTC ms; NaN: none in this session. */
export interface GapState {
  readonly lastMs: number
  /** Messages were lost since. */
  readonly isGap: boolean
}
export const NO_GAP: GapState = { lastMs: NaN, isGap: false }

/** The ends of a part, by which it is joined to the part before and the one after. */
export interface GapEnds {
  /** What the part itself knows before its first message, and the receipt of that, UTC ms; NaN: it has none. */
  readonly before: GapState
  readonly firstMs: number
  /** A session began before the first message: what came before has no part in it. */
  readonly isApart: boolean
  readonly end: GapState
}

/** Receipts of the last message before and the first one after a gap, UTC ms. */
export type LostBetween = readonly [afterMs: number, beforeMs: number]

const lostBetween = ({ lastMs, isGap }: GapState, nextMs: number): LostBetween | null =>
  isGap && !Number.isNaN(lastMs) && !Number.isNaN(nextMs) ? [lastMs, nextMs] : null

/** Joins a part to what is known before it: the gap before its first message, if one is, and what is known after it. */
export function joinPart(
  known: GapState,
  { before, firstMs, isApart, end }: GapEnds,
): { readonly lost: LostBetween | null; readonly after: GapState } {
  const joined = isApart
    ? before
    : { lastMs: Number.isNaN(before.lastMs) ? known.lastMs : before.lastMs, isGap: before.isGap || known.isGap }
  return { lost: lostBetween(joined, firstMs), after: Number.isNaN(firstMs) ? joined : end }
}

/** Follows the messages received in [fromMs, toMs), UTC ms, and those shortly before. */
export class GapCounter {
  readonly #fromMs: number
  readonly #toMs: number
  readonly #known: GapState | null
  readonly #lost: (afterMs: number, beforeMs: number) => void
  #state: GapState = NO_GAP
  #before: GapState = NO_GAP
  #firstMs = NaN
  #isApart = false
  #isOver = false

  /** `known`: what is known before; null: the first message is left to `joinPart`. */
  constructor(
    { fromMs, toMs = Infinity }: { readonly fromMs: number; readonly toMs?: number },
    known: GapState | null,
    lost: (afterMs: number, beforeMs: number) => void,
  ) {
    this.#fromMs = fromMs
    this.#toMs = toMs
    this.#known = known
    this.#lost = lost
  }

  /** A message was received, UTC ms. */
  heard(recvMs: number): void {
    if (this.#isOver) return
    if (recvMs >= this.#toMs) {
      this.#isOver = true
      return
    }
    if (recvMs >= this.#fromMs) this.#count(recvMs)
    this.#state = { lastMs: recvMs, isGap: false }
  }

  /** Messages were lost here. */
  gap(): void {
    if (!this.#isOver && !this.#state.isGap) this.#state = { ...this.#state, isGap: true }
  }

  sessionBegan(): void {
    if (this.#isOver) return
    this.#state = NO_GAP
    if (Number.isNaN(this.#firstMs)) this.#isApart = true
  }

  get ends(): GapEnds {
    const isEmpty = Number.isNaN(this.#firstMs)
    return {
      before: isEmpty ? this.#state : this.#before,
      firstMs: this.#firstMs,
      isApart: this.#isApart,
      end: this.#state,
    }
  }

  #count(recvMs: number): void {
    let lost = lostBetween(this.#state, recvMs)
    if (Number.isNaN(this.#firstMs)) {
      this.#before = this.#state
      this.#firstMs = recvMs
      lost = this.#known === null ? null : joinPart(this.#known, this.ends).lost
    }
    if (lost !== null) this.#lost(...lost)
  }
}
