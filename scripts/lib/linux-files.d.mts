/** Types of linux-files.mjs, for its tests. */
export const LINUX_FILES: Readonly<Record<string, string>>
export function metainfoXml(
  about: {
    readonly version: string
    readonly description: string
    readonly homepage: string
    readonly license: string
  },
  date: string,
): string
export function mimeXml(): string
export function linuxFiles(
  about: Parameters<typeof metainfoXml>[0],
  parts: {
    readonly date: string
    readonly manual: string
    readonly completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>>
    readonly copyright: string
    readonly changelog: string
  },
): Readonly<Record<string, Uint8Array | string>>
