/** Corrupt data that a query meets: it is refused, or skipped and reported as gaps. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { joinGaps } from '../../../../shared/base/spans.ts'
import type { GapInterval } from '../../../../shared/core/market/bars.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import { unixMs, type FeedId } from '../../../../shared/base/units.ts'

/** The hint for corruption errors that have no better one. */
export const VERIFY_HINT =
  'Run Verify in the Evidence pane, or "tapedeck verify": it lists everything affected. If you have a backup, restore the store from it.'

/** Runs a read of one part of the store. Returns false if that part is corrupt; rethrows any other error. */
export function tryRead(read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    if (thrown instanceof CodedError && thrown.code === 'store-damaged') return false
    throw thrown
  }
}

/** What one query does about corrupt data: skip it and collect where it was, or refuse. */
export class CorruptData {
  readonly isSkipped: boolean
  readonly #feed: FeedId
  readonly #lost: GapSpan[] = []
  readonly #rebuilt: GapInterval[] = []

  constructor(feed: FeedId, isSkipped: boolean) {
    this.#feed = feed
    this.isSkipped = isSkipped
  }

  /** Runs a read of one part of the store. Returns false if that part is corrupt and skipped; otherwise rethrows. */
  read(part: () => void): boolean {
    if (this.isSkipped) return tryRead(part)
    part()
    return true
  }

  /** Adds messages that can't be read. */
  addLost({ fromMs, toMs }: GapInterval): void {
    const to = toMs === null ? null : unixMs(toMs)
    this.#lost.push({ feed: this.#feed, cause: 'unreadable', fromMs: unixMs(fromMs), toMs: to })
  }

  /** Adds bars that can't be read and were rebuilt from their messages. */
  addRebuilt(span: GapInterval): void {
    this.#rebuilt.push(span)
  }

  /** Where messages can't be read, ascending. */
  get gaps(): readonly GapSpan[] {
    return joinGaps(this.#lost)
  }

  get rebuilt(): readonly GapInterval[] {
    return joinGaps(this.#rebuilt)
  }
}
