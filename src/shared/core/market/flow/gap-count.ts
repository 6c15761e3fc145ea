/**
 * How often messages of an instrument were lost, and how often nothing is stored between two sessions. Gaps and breaks
 * between the same two messages are one. Parts of the messages can be counted apart and joined. Pure.
 */

/** What is known after a message. */
export interface GapState {
  /** Its receipt, UTC ms; NaN: none in this session, or in those that it follows at once. */
  readonly lastMs: number
  /** Messages of these sessions were lost since. */
  readonly isGap: boolean
  /** Receipt of the last message of any session, UTC ms; NaN: none. */
  readonly heardMs: number
  /** For some of the time since then, nothing is stored: one session had ended, and the next hadn't begun. */
  readonly isBreak: boolean
}
/**
 * How a session begins: at once where the last one ended, as at midnight UTC; after a break, in which nothing is stored;
 * or apart, so that nothing before it tells what was lost.
 */
export type SessionStart = 'at once' | 'after break' | 'apart'

export const NO_GAP: GapState = { lastMs: NaN, isGap: false, heardMs: NaN, isBreak: false }

/** The ends of a part, by which it is joined to the part before and the one after. */
export interface GapEnds {
  /** What the part itself knows before its first message, and the receipt of that, UTC ms; NaN: it has none. */
  readonly before: GapState
  readonly firstMs: number
  /** A session began before the first message: gaps of the sessions before don't count. */
  readonly isApart: boolean
  readonly end: GapState
}

/** Two messages, by their receipts (UTC ms), and why others between them may be absent. */
export interface LostBetween {
  readonly afterMs: number
  readonly beforeMs: number
  readonly why: 'gap' | 'break'
}

function lostBetween({ lastMs, isGap, heardMs, isBreak }: GapState, beforeMs: number): LostBetween | null {
  const afterMs = isBreak ? heardMs : lastMs
  if (!(isGap || isBreak) || Number.isNaN(afterMs) || Number.isNaN(beforeMs)) return null
  return { afterMs, beforeMs, why: isBreak ? 'break' : 'gap' }
}

const known = (ms: number, otherMs: number): number => (Number.isNaN(ms) ? otherMs : ms)

/** Joins a part to what is known before it: the gap before its first message, if one is, and what is known after it. */
export function joinPart(
  state: GapState,
  { before, firstMs, isApart, end }: GapEnds,
): { readonly lost: LostBetween | null; readonly after: GapState } {
  const joined: GapState = {
    lastMs: isApart ? before.lastMs : known(before.lastMs, state.lastMs),
    isGap: before.isGap || (!isApart && state.isGap),
    heardMs: known(before.heardMs, state.heardMs),
    isBreak: before.isBreak || state.isBreak,
  }
  return { lost: lostBetween(joined, firstMs), after: Number.isNaN(firstMs) ? joined : end }
}

/** Follows the messages received in [fromMs, toMs), UTC ms, and those shortly before. */
export class GapCounter {
  readonly #fromMs: number
  readonly #toMs: number
  readonly #known: GapState | null
  readonly #lost: (lost: LostBetween) => void
  #state: GapState = NO_GAP
  #before: GapState = NO_GAP
  #firstMs = NaN
  #isApart = false
  #isOver = false

  /** `known`: what is known before; null: the first message is left to `joinPart`. */
  constructor(
    { fromMs, toMs = Infinity }: { readonly fromMs: number; readonly toMs?: number },
    known: GapState | null,
    lost: (lost: LostBetween) => void,
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
    this.#state = { lastMs: recvMs, isGap: false, heardMs: recvMs, isBreak: false }
  }

  /** Messages were lost here. */
  gap(): void {
    if (!this.#isOver && !this.#state.isGap) this.#state = { ...this.#state, isGap: true }
  }

  sessionBegan(start: SessionStart): void {
    // A gap that lasts over midnight is one.
    if (this.#isOver || start === 'at once') return
    const { heardMs, isBreak } = this.#state
    this.#state = { lastMs: NaN, isGap: false, heardMs, isBreak: isBreak || start === 'after break' }
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
    if (lost !== null) this.#lost(lost)
  }
}
