/** How well a typed text fits what it may mean, and the order that follows from it. Pure. */

export interface Candidate {
  readonly id: string
  readonly title: string
  /** Further words that it is found by, at a discount. */
  readonly words?: readonly string[]
  /** Added to what it fits: for kinds that come before others where both fit alike. */
  readonly bonus?: number
  /** What it counts at least: for what is known to be meant for another reason. */
  readonly least?: number
}

const EXACT = 1_000
const PREFIX = 800
const WORD = 600
const INSIDE = 400
const LOOSE = 200
/** A letter at the start of a word, and one that follows the letter before. */
const AT_START = 14
const IN_A_ROW = 10
/** Further words count for so much of what the title would. */
const DISCOUNT = 0.7
const RECENT = 60

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const isStart = (text: string, at: number) => at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1))

/** Letters in their order with gaps between: only where they begin words or stand together. */
function looseFit(word: string, text: string): number | null {
  let score = LOOSE
  let at = -1
  for (const letter of word) {
    let next = text.indexOf(letter, at + 1)
    if (next < 0) return null
    if (next !== at + 1 || at < 0) {
      // The start of a later word is meant rather than a letter in the middle of this one.
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
  // The nearer in length, the nearer in meaning.
  const rest = Math.min(90, text.length - word.length)
  if (text === word) return EXACT
  if (text.startsWith(word)) return PREFIX - rest
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isStart(text, at)) return WORD - rest
  if (text.includes(word)) return word.length > 1 ? INSIDE - rest : null
  return word.length > 1 ? looseFit(word, text) : null
}

/** How well a text fits, the more the better; null: not at all. Each word of the query must fit. */
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

/** How well a candidate fits by its title or any of its words; null: not at all. */
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
 * Those that fit, best first: what was chosen lately (ids, newest first) goes before its equals, and the
 * order given decides the rest. With nothing typed every one fits alike.
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

/** What was chosen, put before what was chosen earlier; at most `most` ids. */
export function remembered(recent: readonly string[], id: string, most = 20): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, most)
}
