/**
 * Symbols out of bytes without a new string per message: a bounded table from the bytes' hash to the
 * string made the first time. A full neighbourhood is overwritten, so hostile variety costs strings,
 * never memory.
 */
const SIZE = 8192
const PROBES = 4
/** Longer symbols are no symbols: see `isSymbol`. */
export const LONGEST_SYMBOL = 64

const table: string[] = new Array<string>(SIZE + PROBES).fill('')

/** Where the string of ASCII bytes[from, to) is kept: the same place for equal content while it stays in the table. */
export function internPlace(bytes: Uint8Array, from: number, to: number, hash: number): number {
  const home = (hash ^ (hash >>> 15)) & (SIZE - 1)
  const length = to - from
  let free = home
  for (let slot = home; slot < home + PROBES; slot++) {
    const known = table[slot]
    if (known.length === length) {
      let k = 0
      while (k < length && known.charCodeAt(k) === bytes[from + k]) k++
      if (k === length) return slot
    }
    if (known === '') {
      free = slot
      break
    }
  }
  let made = ''
  for (let k = from; k < to; k++) made += String.fromCharCode(bytes[k])
  table[free] = made
  return free
}

/** What is kept at a place. */
export function internedAt(place: number): string {
  return table[place]
}

/** Whether a decoded text may stand as a symbol: 1 to 64 characters, well-formed, no control characters. */
export function isSymbol(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST_SYMBOL && text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text)
}
