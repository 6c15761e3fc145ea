/** What is done to drawings as a list: style, order, lock, hide, copies. Pure; nothing changed is the same list. */
import type { Drawing } from './types.ts'

/** One drawing with a part of it changed. */
export function changed(
  drawings: readonly Drawing[],
  id: string,
  part: Partial<Omit<Drawing, 'id' | 'kind'>>,
): readonly Drawing[] {
  return drawings.map((one) => (one.id === id ? { ...one, ...part } : one))
}

/** All with a part of them changed. */
export function allChanged(
  drawings: readonly Drawing[],
  part: Partial<Pick<Drawing, 'locked' | 'hidden'>>,
): readonly Drawing[] {
  return drawings.map((one) => ({ ...one, ...part }))
}

/** Without one. */
export function without(drawings: readonly Drawing[], id: string): readonly Drawing[] {
  return drawings.filter((one) => one.id !== id)
}

export type OrderStep = 'front' | 'forward' | 'backward' | 'back'

/** One moved in what lies above what. */
export function ordered(drawings: readonly Drawing[], id: string, step: OrderStep): readonly Drawing[] {
  const at = drawings.findIndex((one) => one.id === id)
  const last = drawings.length - 1
  const to = { front: last, forward: Math.min(last, at + 1), backward: Math.max(0, at - 1), back: 0 }[step]
  if (at < 0 || to === at) return drawings
  const rest = drawings.filter((_, i) => i !== at)
  return [...rest.slice(0, to), drawings[at], ...rest.slice(to)]
}
