/** The flags that an imported message would have gotten on receipt. */
import { isUtf8 } from 'node:buffer'
import { KIND, scratch } from '../../../service/codec.ts'
import { decode } from '../../../service/codecs/decode.ts'
import { inRange } from '../../../service/codecs/times.ts'
import { FLAG } from '../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../shared/base/units.ts'

/** The flags that the message would have gotten on receipt. Leaves the decoded message in `record`. */
export function flagsOf(feed: FeedId, bytes: Uint8Array): number {
  switch (decode(feed, bytes, 0, bytes.length, record)) {
    case 'control':
      return FLAG.control
    case 'undecodable':
      return FLAG.undecodable | (isUtf8(bytes) ? 0 : FLAG.invalidUtf8)
    case 'market':
      return inRange(record.kind === KIND.bar ? record.startMs : record.eventMs) ? 0 : FLAG.undated
  }
}
/** The last record that `flagsOf` decoded. */
export const record = scratch()
