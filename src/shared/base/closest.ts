/** Suggests the known word closest to a mistyped one. */

/** The candidate with the fewest edits, ignoring case, or undefined if none is close enough. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3))
  let best: { readonly candidate: string; readonly edits: number } | undefined
  for (const candidate of candidates) {
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase())
    if (edits <= most && (best === undefined || edits < best.edits)) best = { candidate, edits }
  }
  return best?.candidate
}

/** The Levenshtein distance of two short texts. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1))
    }
    row = next
  }
  return row[b.length]
}
