/** Types of deb.mjs, for its tests. */
export const DEPENDS: Readonly<Record<'libc6' | 'libgcc-s1' | 'libstdc++6', string>>
export function debVersion(version: string): string
export function controlText(
  about: { readonly version: string; readonly description: string; readonly homepage: string },
  made: { readonly arch?: string; readonly bytes: number },
): string
