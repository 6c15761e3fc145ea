// In which order checks run, and which run side by side.

/** Background checks that compute, at a time. */
const COMPUTING = 2

/**
 * Runs checks and resolves once all have ended, with what `run` returned for each, in the order of `checks`. Those without
 * a mark run one after another, in order. Beside them run background checks: of low priority two at a time, the others one
 * at a time. What has to be alone comes last, when nothing else runs. A check with `after` waits for the check of that id,
 * which has to be a background one, unless it isn't among them.
 *
 * @template {Pick<import('./checks.mjs').Check, 'id' | 'background' | 'alone' | 'after'>} C
 * @template R
 * @param {readonly C[]} checks
 * @param {(check: C) => Promise<R>} run
 * @returns {Promise<R[]>}
 */
export async function schedule(checks, run) {
  /** @type {Map<string, Promise<R>>} */
  const results = new Map()
  /** @type {Map<string, (result: Promise<R>) => void>} */
  const settle = new Map()
  for (const { id } of checks) results.set(id, new Promise((resolve) => settle.set(id, resolve)))
  const lane = async (queue) => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      await results.get(check.after)
      const result = run(check)
      settle.get(check.id)(result)
      await result
    }
  }
  const low = checks.filter(({ background }) => background === 'low')
  await Promise.all([
    lane(checks.filter(({ background, alone }) => !background && !alone)),
    lane(checks.filter(({ background }) => background === 'normal')),
    ...Array.from({ length: COMPUTING }, () => lane(low)),
  ])
  await lane(checks.filter(({ alone }) => alone))
  return Promise.all(checks.map(({ id }) => results.get(id)))
}
