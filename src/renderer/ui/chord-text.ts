/** Formats key chords for the platform. */

const MAC: readonly (readonly [string, string])[] = [
  ['Ctrl+', '\u2318'],
  ['Alt+', '\u2325'],
  ['Shift+', '\u21E7'],
]

/** A chord as a platform writes it. `platform` is Node's name for it. */
export function chordText(chord: string, platform: string): string {
  if (platform !== 'darwin') return chord
  return MAC.reduce((text, [from, to]) => text.replace(from, to), chord)
}

let here = ''
/** Sets the platform once it is known. */
export function usePlatform(platform: string): void {
  here = platform
}
/** A chord as this platform writes it. */
export const chordHere = (chord: string): string => chordText(chord, here)
