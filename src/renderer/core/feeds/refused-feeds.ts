/** Groups feeds that a service refused for the same reason, so they share one note and one button. Pure. */
import type { FeedStatus, Reason } from '../../../shared/core/status/status.ts'

export interface RefusedFeeds {
  /** Unique among the groups. */
  readonly key: string
  readonly feeds: readonly FeedStatus[]
  /** The sentences common to all reasons; message and hint are never both empty. */
  readonly message: string
  readonly hint: string
  readonly code: Reason['code']
}

const sentences = (text: string): readonly string[] => text.split(/(?<=[.!?])\s+/)
/** The sentences that all texts share, or ''. */
const common = (texts: readonly string[]): string =>
  sentences(texts[0] ?? '')
    .filter((one) => texts.every((text) => sentences(text).includes(one)))
    .join(' ')

/** Groups of two or more feeds that were refused with the same codes and at least one sentence in common. */
export function refusedTogether(feeds: readonly FeedStatus[]): readonly RefusedFeeds[] {
  const groups = new Map<string, { readonly feed: FeedStatus; readonly why: Reason }[]>()
  for (const feed of feeds) {
    if (feed.state.is !== 'refused') continue
    const { why } = feed.state
    const key = `${why.code} ${why.closeCode ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), { feed, why }])
  }
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => ({
      key,
      feeds: group.map(({ feed }) => feed),
      message: common(group.map(({ why }) => why.message)),
      hint: common(group.map(({ why }) => why.hint)),
      code: group[0].why.code,
    }))
    .filter(({ message, hint }) => message !== '' || hint !== '')
}
