/** Decodes a stored message the way it was decoded when it arrived. */
import { FLAG } from '../../shared/core/recording/session.ts'
import { KIND, type MessageClass, type Scratch } from '../codec.ts'
import { clear } from './reading.ts'
import { decode } from './decode.ts'
import type { FeedId } from '../../shared/base/units.ts'

/** `why` of a record whose event time can be read now but couldn't when it was recorded. */
export const UNDATED_WHEN_RECORDED = 'no event time was read when this was recorded'

/**
 * Like `decode`, for a message with the flags stored beside it. A message stored as `undated` stays undated: a trade
 * or quote counts at its receive time, and a bar, which needs a start time, stays unknown. An earlier version may have
 * read fewer time formats. Reading more of them now would change the bars and digests the session was closed with.
 */
export function decodeStored(
  feed: FeedId,
  flags: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Scratch,
): MessageClass {
  const found = decode(feed, bytes, from, to, out)
  if ((flags & FLAG.undated) !== 0 && !Number.isNaN(out.eventMs)) removeTime(out)
  return found
}

function removeTime(out: Scratch): void {
  if (out.kind === KIND.bar) {
    const { symbol } = out
    clear(out)
    out.kind = KIND.unknown
    out.symbol = symbol
  }
  out.eventMs = NaN
  out.why = UNDATED_WHEN_RECORDED
}
