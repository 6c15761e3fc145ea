/** Randomness as a pure function: the same seed and position give the same value, in any order of calls. */

/** A 32-bit hash of a text, with a seed. */
export function hashText(text: string, seed = 0): number {
  let h = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return finish(h)
}

/** A 32-bit hash of a seed and up to three numbers. */
export function hashAt(seed: number, a: number, b = 0, c = 0): number {
  let h = seed | 0
  // The numbers can exceed 32 bits, so both halves count.
  h = Math.imul(h ^ (a | 0) ^ Math.imul(Math.floor(a / 4294967296), 0x9e3779b1), 0x85ebca6b)
  h = Math.imul((h ^ (h >>> 15)) + (b | 0), 0xc2b2ae35)
  h = Math.imul((h ^ (h >>> 13)) + (c | 0), 0x27d4eb2f)
  return finish(h)
}

function finish(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** A hash as a fraction in [0, 1). */
export function fraction(hash: number): number {
  return hash / 4294967296
}

/** Smooth noise in [-1, 1] along x: random at integers, eased between them. */
export function noise(seed: number, x: number): number {
  const cell = Math.floor(x)
  const u = x - cell
  const ease = u * u * (3 - 2 * u)
  const left = fraction(hashAt(seed, cell))
  return 2 * (left + (fraction(hashAt(seed, cell + 1)) - left) * ease) - 1
}

/**
 * A value around 0 that wanders by about `scale` per day. It looks like a random walk from days down to the shortest
 * period (ms), but is known at any time without its history.
 */
export function wander(seed: number, atMs: number, scale: number, periods: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < periods.length; i++) {
    const period = periods[i]
    sum += Math.sqrt(period / 86_400_000) * noise(seed + i * 7919, atMs / period)
  }
  return sum * scale
}
