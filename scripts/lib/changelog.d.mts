/** Types of changelog.mjs, for its tests. */
export function sectionOf(text: string, version: string): string | undefined
