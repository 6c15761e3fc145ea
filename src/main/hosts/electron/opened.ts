/** Finds session files and tapedeck: links among command line arguments. Pure. */
import { LINK_SCHEME } from '../../../shared/features/desktop/requests.ts'

const isLink = (word: string): boolean => word.toLowerCase().startsWith(LINK_SCHEME)

/** The tapedeck: links, valid or not. */
export function linksIn(words: readonly string[]): readonly string[] {
  return words.filter(isLink)
}

/** Paths of session files. A link never counts as one, whatever it ends in: it may come from a stranger. */
export function filesIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => /\.tapedeck$/i.test(word) && !word.startsWith('-') && !isLink(word))
}
