/** What of the words of a command line is to be opened: session files by their paths, links of ours. Pure. */
import { LINK_SCHEME } from '../../../shared/features/desktop/requests.ts'

const isLink = (word: string): boolean => word.toLowerCase().startsWith(LINK_SCHEME)

/** Links of ours, whatever they ask for. */
export function linksIn(words: readonly string[]): readonly string[] {
  return words.filter(isLink)
}

/** Paths of session files. A link is none, though it may end like one: it comes from a stranger, and names no file. */
export function filesIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => /\.tapedeck$/i.test(word) && !word.startsWith('-') && !isLink(word))
}
