/** Prints messages as they are received, without recording them. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import type { Scratch } from '../../../service/codec.ts'
import type { RecordSink } from '../../core/market/hub-types.ts'
import type { WriteLine } from './lines.ts'

/** Text that waits for the reader. Beyond it the command fails: a message is never dropped. */
const MAX_WAITING = 64 << 20

export interface LiveTail {
  readonly sink: RecordSink
  /** Writes what has arrived. Rejects if nobody reads, or with `too-large` if the reader is too slow. */
  flush(): Promise<void>
}

/**
 * `onGap` is called with the feed and true as reception is interrupted, false as it resumes. The time until the first
 * connection and after the last one isn't an interruption.
 */
export function createLiveTail(
  line: WriteLine,
  write: (text: string) => Promise<void>,
  onGap: (feed: FeedId, isOpen: boolean) => void,
): LiveTail {
  let waiting = ''
  let tooSlow = false
  const interrupted = new Set<FeedId>()
  return {
    sink: {
      apply(feed: FeedId, seq: number, recvMs: number, record: Scratch) {
        if (tooSlow) return
        waiting += line(feed, seq > 0 ? seq : null, recvMs, record)
        tooSlow = waiting.length > MAX_WAITING
      },
      feedState() {},
      gapOpened(feed, cause) {
        if (cause === 'connect' || cause === 'quit' || interrupted.has(feed)) return
        interrupted.add(feed)
        onGap(feed, true)
      },
      gapClosed(feed) {
        if (interrupted.delete(feed)) onGap(feed, false)
      },
    },
    async flush() {
      if (tooSlow) {
        throw new CodedError('too-large', 'The reader of the output is too slow for these feeds.', {
          hint: 'Ask for fewer symbols, or record them and tail the session.',
        })
      }
      if (waiting === '') return
      const text = waiting
      waiting = ''
      await write(text)
    },
  }
}
