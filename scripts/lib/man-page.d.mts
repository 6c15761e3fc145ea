/** Types of man-page.mjs, for its tests. */
export function manPage(about: { readonly version: string; readonly date: string }): Promise<string>
