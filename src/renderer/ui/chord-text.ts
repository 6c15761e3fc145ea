/** How a platform writes the chords of keys. */

const MAC: readonly (readonly [string, string])[] = [
  ['Ctrl+', '\u2318'],
  ['Alt+', '\u2325'],
  ['Shift+', '\u21E7'],
]

/** A chord as the platform writes it: `platform` as Node names it. */
export function chordText(chord: string, platform: string): string {
  if (platform !== 'darwin') return chord
  return MAC.reduce((text, [from, to]) => text.replace(from, to), chord)
}

let here = ''
/** Says which platform this is, once it is known. */
export function usePlatform(platform: string): void {
  here = platform
}
/** A chord as this platform writes it. */
export const chordHere = (chord: string): string => chordText(chord, here)
