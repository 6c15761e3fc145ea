/** Reading for review: messages and entries in one order, and where an instant lies in it. */
import type { StoreReader } from './port.ts'

export type ReviewReader = Pick<StoreReader, 'replay' | 'place' | 'activity' | 'snapshot' | 'entries' | 'bookmarks'>

/** What a replay asks of a store. */
export function reviewReader(): ReviewReader {
  return {
    replay: () => {
      throw new TypeError('replays cannot be read yet')
    },
    place: () => Promise.resolve(null),
    activity: ({ buckets }) => Promise.resolve(new Array<number>(buckets).fill(0)),
    snapshot: () => Promise.resolve(null),
    entries: () => Promise.resolve([]),
    bookmarks: () => Promise.resolve([]),
  }
}
