/** Types of cli-package.mjs, for its tests. */
export function reachable(
  read: (file: string) => string,
  dependencies: readonly string[],
  entries?: readonly string[],
): { readonly files: readonly string[]; readonly packages: readonly string[] }
export function isPacked(file: string, machine?: { readonly platform: string; readonly arch: string }): boolean
