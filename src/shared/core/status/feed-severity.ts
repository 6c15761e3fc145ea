/** Summarizes the states of a feed's connections. */
import type { FeedState } from './status.ts'

const SEVERITY: Readonly<Record<FeedState['is'], number>> = {
  idle: 0,
  open: 1,
  stale: 2,
  connecting: 3,
  waiting: 4,
  refused: 5,
}

/** The state that most needs attention, or `idle`. */
export function worstState(states: readonly FeedState[]): FeedState {
  return states.reduce<FeedState>((a, b) => (SEVERITY[b.is] > SEVERITY[a.is] ? b : a), { is: 'idle' })
}

/** The best state among connections with subscriptions, or `idle`. What the others miss shows in their gaps. */
export function bestState(states: readonly FeedState[]): FeedState {
  const wanted = states.filter(({ is }) => is !== 'idle')
  return wanted.reduce((a, b) => (SEVERITY[b.is] < SEVERITY[a.is] ? b : a), wanted[0] ?? { is: 'idle' })
}
