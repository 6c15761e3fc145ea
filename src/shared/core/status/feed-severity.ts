/** One state for a feed of several connections. */
import type { FeedState } from './status.ts'

const SEVERITY: Readonly<Record<FeedState['is'], number>> = {
  idle: 0,
  open: 1,
  stale: 2,
  connecting: 3,
  waiting: 4,
  refused: 5,
}

/** The state that needs attention most; `idle` where there is none. */
export function worstState(states: readonly FeedState[]): FeedState {
  return states.reduce<FeedState>((a, b) => (SEVERITY[b.is] > SEVERITY[a.is] ? b : a), { is: 'idle' })
}

/** The best state of those that something is wanted of; `idle` where nothing is. What the others miss is in their gaps. */
export function bestState(states: readonly FeedState[]): FeedState {
  const wanted = states.filter(({ is }) => is !== 'idle')
  return wanted.reduce((a, b) => (SEVERITY[b.is] < SEVERITY[a.is] ? b : a), wanted[0] ?? { is: 'idle' })
}
