/** The dependencies of a feed's connection. */
import type { FeedId, UnixMs } from '../../../../shared/base/units.ts'
import type { Scratch } from '../../../../service/codec.ts'
import type { Clock } from '../../../base/clock.ts'
import type { TokenSource } from '../../account/token.ts'
import type { FrameSink } from './frame-sink.ts'
import type { FeedListener } from './feed-listener.ts'
import type { ConnectionGap } from './connection-model.ts'
import type { AcceptedAliases } from './accepted-aliases.ts'
import type { LoopTurn } from './loop-turn.ts'

/** Counters of a feed, shared by its connections. */
export interface FeedTally {
  received: number
  undecodable: number
  unasked: number
  lastMessageMs: UnixMs | null
  readonly mappings: Map<string, number>
  readonly aliases: AcceptedAliases
}

/** `Connection`: the type of the connection that is passed to the callbacks. */
export interface ConnectionOptions<Connection> {
  readonly feed: FeedId
  readonly baseUrl: string
  readonly token: TokenSource
  readonly recorder: FrameSink
  readonly listener: FeedListener
  readonly clock: Clock
  readonly random: () => number
  /** Service clock minus local clock, ms, as stored with a gap that opens now; 0: not measured. */
  readonly skewMs: () => number
  readonly turn: LoopTurn
  /** Shared by all connections: valid only during a `record` call. */
  readonly scratch: Scratch
  readonly tally: FeedTally
  /** Whether a ticker's key is assigned to this connection or to none. */
  readonly owns: (connection: Connection, key: string) => boolean
  readonly gapOpened: (connection: Connection, gap: ConnectionGap) => void
  readonly gapClosed: (connection: Connection, id: number, toMs: UnixMs) => void
  readonly changed: (connection: Connection) => void
}
