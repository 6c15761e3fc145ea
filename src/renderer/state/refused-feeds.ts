/** Feeds that a service refused for one reason are told once, with one button, not once each. Pure. */
import type { FeedStatus, Reason } from '../../shared/state.ts'

export interface RefusedFeeds {
  readonly feeds: readonly FeedStatus[]
  /** What all of their reasons say. */
  readonly message: string
  readonly hint: string
  readonly code: Reason['code']
}

const sentences = (text: string): readonly string[] => text.split(/(?<=[.!?])\s+/)
/** The sentences of the first text that every text has; else the first text. */
function common(texts: readonly string[]): string {
  const shared = sentences(texts[0] ?? '').filter((one) => texts.every((text) => sentences(text).includes(one)))
  return shared.length === 0 ? (texts[0] ?? '') : shared.join(' ')
}

/** Groups of two or more feeds that were refused with the same code. */
export function refusedTogether(feeds: readonly FeedStatus[]): readonly RefusedFeeds[] {
  const groups = new Map<string, { readonly feed: FeedStatus; readonly why: Reason }[]>()
  for (const feed of feeds) {
    if (feed.state.is !== 'refused') continue
    const { why } = feed.state
    const key = `${why.code} ${why.closeCode ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), { feed, why }])
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      feeds: group.map(({ feed }) => feed),
      message: common(group.map(({ why }) => why.message)),
      hint: common(group.map(({ why }) => why.hint)),
      code: group[0].why.code,
    }))
}
