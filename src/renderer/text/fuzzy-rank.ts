/** Fuzzy matching: scores candidates for a typed text and ranks them. Pure. */

export interface Candidate {
  readonly id: string
  readonly title: string
  /** Further search words; they score less than the title. */
  readonly words?: readonly string[]
  /** Added to the score, to rank this kind above others with the same score. */
  readonly bonus?: number
  /** The minimum score, for candidates known to be relevant for another reason. */
  readonly least?: number
}

const EXACT = 1_000
const PREFIX = 800
const WORD = 600
const INSIDE = 400
const LOOSE = 200
/** Scores of a letter at the start of a word, and of one that directly follows the previous match. */
const AT_START = 14
const IN_A_ROW = 10
/** Score of further words relative to the title. */
const DISCOUNT = 0.7
const RECENT = 60

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const isStart = (text: string, at: number) => at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1))

/** Matches letters in order with gaps between, but only at the start of words or next to each other. */
function looseFit(word: string, text: string): number | null {
  let score = LOOSE
  let at = -1
  for (const letter of word) {
    let next = text.indexOf(letter, at + 1)
    if (next < 0) return null
    if (next !== at + 1 || at < 0) {
      // Prefer the start of a later word over a letter in the middle of this one.
      for (let i = next; i >= 0; i = text.indexOf(letter, i + 1))
        if (isStart(text, i)) {
          next = i
          break
        }
      if (!isStart(text, next)) return null
      score += AT_START
    } else score += IN_A_ROW
    at = next
  }
  return Math.min(INSIDE - 1, score) - Math.min(40, text.length / 4)
}

function fitOfWord(word: string, text: string): number | null {
  // The closer in length, the better the match.
  const rest = Math.min(90, text.length - word.length)
  if (text === word) return EXACT
  if (text.startsWith(word)) return PREFIX - rest
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isStart(text, at)) return WORD - rest
  if (text.includes(word)) return word.length > 1 ? INSIDE - rest : null
  return word.length > 1 ? looseFit(word, text) : null
}

/** The score of a text, higher is better; null if it doesn't match. Every word of the query must match. */
export function fit(query: string, text: string): number | null {
  const wanted = plain(query.trim())
  const given = plain(text)
  if (wanted === '') return 0
  const whole = fitOfWord(wanted, given)
  const words = wanted.split(/\s+/)
  if (words.length === 1 || (whole !== null && whole > INSIDE)) return whole
  let sum = 0
  for (const word of words) {
    const one = fitOfWord(word, given)
    if (one === null) return whole
    sum += one
  }
  return Math.max(whole ?? 0, sum / words.length - 50)
}

/** The best score of a candidate's title or words; null if none matches. */
export function fitOf(query: string, candidate: Candidate): number | null {
  let best = fit(query, candidate.title)
  for (const word of candidate.words ?? []) {
    const one = fit(query, word)
    if (one !== null && one * DISCOUNT > (best ?? 0)) best = one * DISCOUNT
  }
  if (best === null) return candidate.least ?? null
  return Math.max(best + (candidate.bonus ?? 0), candidate.least ?? 0)
}

/**
 * The candidates that match, best first. Among equal scores, recent choices (ids, newest first) come first, then the
 * given order counts. An empty query matches all candidates equally.
 */
export function rank<C extends Candidate>(
  query: string,
  candidates: readonly C[],
  recent: readonly string[] = [],
  most = 60,
): readonly C[] {
  const place = new Map(recent.map((id, i) => [id, i]))
  return candidates
    .flatMap((candidate, order) => {
      const score = fitOf(query, candidate)
      if (score === null) return []
      const at = place.get(candidate.id)
      const lately = at === undefined ? 0 : RECENT / (1 + at / 4)
      return [{ candidate, order, score: score + lately }]
    })
    .toSorted((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Moves a chosen id to the front of the recent ones; keeps at most `most` ids. */
export function remembered(recent: readonly string[], id: string, most = 20): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, most)
}
