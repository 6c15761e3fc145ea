/** Types of recipes.mjs, for its tests. */
export const DOWNLOADS: Readonly<Record<string, (version: string) => string>>
export type Published = Readonly<
  Record<string, { readonly file: string; readonly url: string; readonly sha256: string }>
>
export function published(version: string, base: string, sums: string): Published
export function recipes(
  about: {
    readonly version: string
    readonly description: string
    readonly homepage: string
    readonly license: string
  },
  files: Published,
): Readonly<Record<string, string>>
