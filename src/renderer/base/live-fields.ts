/** An object each of whose fields is read when it is used, so that an effect depends only on the fields it reads. */
export function liveFields<T extends object>(reads: { readonly [K in keyof T]-?: () => T[K] }): T {
  const fields = Object.entries<() => unknown>(reads).map(([name, get]) => [name, { get, enumerable: true }] as const)
  // `reads` has a function for every field.
  return Object.defineProperties({}, Object.fromEntries(fields)) as T
}
