/** Data that a query can't have: what is corrupt is refused, or skipped and reported as gaps; what was erased is refused. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { joinGaps } from '../../../../shared/base/spans.ts'
import type { GapInterval } from '../../../../shared/core/market/bars.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import { unixMs, type FeedId, type SessionId } from '../../../../shared/base/units.ts'

/** The hint for corruption errors that have no better one. */
export const VERIFY_HINT =
  'Run Verify in the Evidence pane, or "tapedeck verify": it lists everything affected. If you have a backup, restore the store from it.'

/** A session that was erased while it was read. What was read so far isn't the whole. */
export const erasedError = (session: SessionId): CodedError =>
  new CodedError('not-found', `Session ${session} was erased while it was being read.`, {
    hint: 'What was read of it is incomplete. "tapedeck sessions" lists what is stored.',
  })

const isCorrupt = (thrown: unknown): boolean => thrown instanceof CodedError && thrown.code === 'store-damaged'

/** Runs a read of one part of the store. Returns false if that part is corrupt; rethrows any other error. */
export function tryRead(read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    if (isCorrupt(thrown)) return false
    throw thrown
  }
}

/** The event times of stored data, UTC ms, both inclusive. */
interface DatedData {
  readonly what: 'messages' | 'bars'
  readonly fromMs: number
  readonly toMs: number
}

/** Runs a read of one part of the store. If it is corrupt, the error says which times it is about. */
export function readDated<T>({ what, fromMs, toMs }: DatedData, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown
    const range = `${formatInstant(fromMs)} to ${formatInstant(toMs)}`
    throw new CodedError('store-damaged', `Stored ${what} dated ${range} are corrupt.`, {
      hint: `Choose a range without them. ${VERIFY_HINT}`,
      cause: thrown,
    })
  }
}

/** A time out of range is itself corrupt. */
export const formatInstant = (ms: number): string =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'an unknown time'

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

  /** Runs a read of one part of the store. Returns false if that part is corrupt and skipped; otherwise refuses. */
  read(data: DatedData, part: () => void): boolean {
    if (this.isSkipped) return tryRead(part)
    readDated(data, part)
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
