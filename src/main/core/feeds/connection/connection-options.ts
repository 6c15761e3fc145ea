/** What a connection of a feed needs of its surroundings. */
import type { FeedId, UnixMs } from '../../../../shared/base/units.ts'
import type { Scratch } from '../../../../service/codec.ts'
import type { Clock } from '../../../base/clock.ts'
import type { TokenSource } from '../../account/port.ts'
import type { RecorderPort } from './frame-sink.ts'
import type { FeedListener } from '../port.ts'
import type { SessionGap } from './connection-model.ts'
import type { Spellings } from './aliases.ts'
import type { Turn } from './handover.ts'

/** Counts of a feed, shared by its connections. */
export interface FeedTally {
  received: number
  undecodable: number
  unasked: number
  lastMessageMs: UnixMs | null
  readonly mappings: Map<string, number>
  readonly spellings: Spellings
}

/** `Session`: the connection itself, as it names itself to those it tells. */
export interface SessionOptions<Session> {
  readonly feed: FeedId
  readonly baseUrl: string
  readonly token: TokenSource
  readonly recorder: RecorderPort
  readonly listener: FeedListener
  readonly clock: Clock
  readonly random: () => number
  /** Service clock minus local clock, ms, as a gap that opens now will hold it; 0: not measured. */
  readonly skewMs: () => number
  readonly turn: Turn
  /** One for all sessions: valid only during a `record` call. */
  readonly scratch: Scratch
  readonly tally: FeedTally
  /** Whether a ticker's key is assigned to this connection, or to none. */
  readonly owns: (session: Session, key: string) => boolean
  readonly gapOpened: (session: Session, gap: SessionGap) => void
  readonly gapClosed: (session: Session, id: number, toMs: UnixMs) => void
  readonly changed: (session: Session) => void
}
