/**
 * Operations on a list of drawings: style, order, lock, hide, copy. Pure; without a change the same list is returned.
 */
import type { Drawing } from './types.ts'

/** Changes a part of one drawing. */
export function changed(
  drawings: readonly Drawing[],
  id: string,
  part: Partial<Omit<Drawing, 'id' | 'kind'>>,
): readonly Drawing[] {
  return drawings.map((one) => (one.id === id ? { ...one, ...part } : one))
}

/** Changes a part of every drawing. */
export function allChanged(
  drawings: readonly Drawing[],
  part: Partial<Pick<Drawing, 'locked' | 'hidden'>>,
): readonly Drawing[] {
  return drawings.map((one) => ({ ...one, ...part }))
}

export function without(drawings: readonly Drawing[], id: string): readonly Drawing[] {
  return drawings.filter((one) => one.id !== id)
}

export type OrderStep = 'front' | 'forward' | 'backward' | 'back'

/** Moves one drawing in the stacking order. */
export function ordered(drawings: readonly Drawing[], id: string, step: OrderStep): readonly Drawing[] {
  const at = drawings.findIndex((one) => one.id === id)
  const last = drawings.length - 1
  const to = { front: last, forward: Math.min(last, at + 1), backward: Math.max(0, at - 1), back: 0 }[step]
  if (at < 0 || to === at) return drawings
  const rest = drawings.filter((_, i) => i !== at)
  return [...rest.slice(0, to), drawings[at], ...rest.slice(to)]
}
