/**
 * Turns the bytes of a symbol into a string without allocating one per message: a bounded hash table from bytes to
 * strings. Full buckets are overwritten, so a hostile variety of symbols costs allocations but never memory.
 */
const SIZE = 8192
const PROBES = 4
/** Longer text isn't a symbol; see `isSymbol`. */
export const LONGEST_SYMBOL = 64

/** FNV-1a over the bytes of a symbol. */
export const HASH_START = 0x811c9dc5 | 0
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193)

const table: string[] = new Array<string>(SIZE + PROBES).fill('')

/** The slot of the string of ASCII bytes[from, to). Equal bytes have the same slot while they stay in the table. */
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

/** The slot of an ASCII symbol, as the scanner finds it. */
export function internSymbol(symbol: string): number {
  const bytes = Uint8Array.from(symbol, (c) => c.charCodeAt(0))
  const hash = bytes.reduce(hashByte, HASH_START)
  return internPlace(bytes, 0, bytes.length, hash)
}

export function internedAt(place: number): string {
  return table[place]
}

/** Whether a text can be a symbol: 1 to 64 well-formed characters without control characters. */
export function isSymbol(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST_SYMBOL && text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text)
}
