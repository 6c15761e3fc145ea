/** What properties over random examples need to pass or fail for a reason, whatever they draw and however long it takes. */
import fc from 'fast-check'

/**
 * Draws examples from a fixed seed. A property that tries them before its random ones, as its `examples`, has enough
 * cases for its guards, whatever the random ones are.
 */
export const fixedExamples = <T extends [unknown, ...unknown[]]>(
  count: number,
  ...arbitraries: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }
): T[] => fc.sample(fc.tuple<T>(...arbitraries), { seed: 1, numRuns: count })

/**
 * Returns a function to call once at the start of each run. It tells whether the property has had 20 s; its other runs
 * then pass at once, but never the first `least`. fast-check's own limit abandons a run, which then reads a closed store.
 */
export function timeLimit(least = 1): () => boolean {
  const endMs = performance.now() + 20_000
  let runs = 0
  return () => ++runs > least && performance.now() > endMs
}
