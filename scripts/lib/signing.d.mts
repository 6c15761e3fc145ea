/** Types of signing.mjs, for its tests. */
export function signingEnv(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Record<string, string | undefined>
