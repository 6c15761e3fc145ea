/** Reads values at known paths of a response without assuming they exist. */
import { isObject, own, type Scalar, type Value, isScalar } from '../../../../shared/features/research/value.ts'
import { numberOf } from '../../../../shared/features/research/types.ts'

/** The value at a dotted path; undefined if there is none. */
function at(value: Value | undefined, path: string): Value | undefined {
  let here = value
  for (const key of path.split('.')) here = isObject(here) ? own(here, key) : undefined
  return here
}

/** The scalar at a path; null if there is none, or a list or object. */
export function scalarAt(value: Value | undefined, path: string): Scalar {
  const found = at(value, path)
  return found !== undefined && isScalar(found) ? found : null
}

/** The number at a path; NaN if there is none. */
export const numberAt = (value: Value | undefined, path: string): number => numberOf(scalarAt(value, path))

/** The first non-empty scalar among several paths; null if there is none. */
export function firstOf(value: Value | undefined, paths: readonly string[]): Scalar {
  for (const path of paths) {
    const found = scalarAt(value, path)
    if (found !== null && found !== '') return found
  }
  return null
}
