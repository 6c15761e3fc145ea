/** Known places of an answer, read without trusting them. */
import { isObject, own, type Scalar, type Value, isScalar } from '../../../../shared/features/research/value.ts'
import { numberOf } from '../../../../shared/features/research/types.ts'

/** The value at a path of keys; undefined where there is none. */
export function at(value: Value | undefined, path: string): Value | undefined {
  let here = value
  for (const key of path.split('.')) here = isObject(here) ? own(here, key) : undefined
  return here
}

/** The scalar at a path; null where there is none, or something larger. */
export function scalarAt(value: Value | undefined, path: string): Scalar {
  const found = at(value, path)
  return found !== undefined && isScalar(found) ? found : null
}

/** The number at a path; NaN where there is none. */
export const numberAt = (value: Value | undefined, path: string): number => numberOf(scalarAt(value, path))

/** The text at a path; '' where there is none. */
export function textAt(value: Value | undefined, path: string): string {
  const found = scalarAt(value, path)
  return typeof found === 'string' ? found : ''
}

/** The first of several paths that holds a value. */
export function firstOf(value: Value | undefined, paths: readonly string[]): Scalar {
  for (const path of paths) {
    const found = scalarAt(value, path)
    if (found !== null && found !== '') return found
  }
  return null
}
