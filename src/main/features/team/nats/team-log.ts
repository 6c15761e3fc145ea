/** The team's log as recorders, archivers and terminals use it. `connectTeam` in connect.ts implements it on NATS. */
import type { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { BucketName, TeamName } from '../names.ts'
import type { Watermark } from '../checksum.ts'
import type { SessionInfo } from '../session-info.ts'

/** A frame, or a part of one, from the log. */
export interface LogMessage {
  readonly shard: number
  readonly session: SessionId
  /** Its number in the stream of its shard. */
  readonly sequence: number
  readonly bytes: Uint8Array
}

/** From the stream, in order. */
export interface StoredMessage extends LogMessage {
  readonly storedMs: UnixMs
  /** Messages behind it that match the request. */
  readonly pending: number
}

/** As the server republishes it. `previous`: the sequence before it in this session, 0 for the first; a gap between them was missed. */
export interface LiveMessage extends LogMessage {
  readonly previous: number
}

/** From a durable consumer. What isn't acknowledged is delivered again. */
export interface Delivery extends StoredMessage {
  /** Resolves once the server has noted it. */
  ack(): Promise<void>
  /** Asks for it again, at once or after `delayMs`. */
  retry(delayMs?: number): void
}

export type PublishOutcome =
  | { readonly is: 'stored'; readonly sequence: number }
  /** The session's last message isn't the expected one. Nothing was stored. */
  | { readonly is: 'conflict' }

/** Where reading starts: at a sequence, at a time, at the first message, or with messages that are still to come. */
export type LogStart =
  | { readonly sequence: number }
  | { readonly sinceMs: UnixMs }
  | { readonly at: 'first' }
  | { readonly at: 'end' }

export interface BucketEntry {
  readonly key: string
  /** Null: deleted. */
  readonly value: string | null
  readonly revision: number
}

/** A bucket of the team. Reads come from the stream's leader. */
export interface TeamBucket {
  get(key: string): Promise<BucketEntry | null>
  /** Returns the revision. */
  put(key: string, value: string): Promise<number>
  /** Puts it only if `revision` is still the newest, 0: if there is none. Null: it isn't, and nothing was stored. */
  update(key: string, value: string, revision: number): Promise<number | null>
  delete(key: string): Promise<void>
  /** When the server made the bucket, by its clock, UTC ms. Revisions count from then. */
  madeMs(): Promise<number>
  /** The newest value of each key. */
  entries(): Promise<readonly BucketEntry[]>
  /** Every current value, then each change, until `signal` aborts or the connection is closed. */
  watch(options: { readonly signal: AbortSignal; readonly key?: string }): AsyncIterable<BucketEntry>
}

export type ConnectionState =
  | { readonly is: 'connected'; readonly server: string }
  /** It reconnects by itself, also while the servers refuse its user or are full: `why`, until one of them accepts it. */
  | { readonly is: 'disconnected'; readonly why: CodedError | null }
  /** Closed for good; `why` unless `close` was called. */
  | { readonly is: 'closed'; readonly why: Error | null }

/**
 * One connection to the team's NATS servers. It reconnects by itself. Everything rejects with a `CodedError`: `offline`
 * and `timeout` may pass; `unauthorized` passes once the servers know the user again; `not-found` is a stream or bucket that doesn't exist; `forbidden` lacks a permission;
 * anything else needs a person.
 */
export interface TeamLog {
  readonly team: TeamName
  /** The largest message that the server takes, bytes. */
  readonly maxPayload: number
  readonly serverVersion: string
  /** Whether the server belongs to a cluster. */
  readonly isClustered: boolean
  state(): ConnectionState
  /** Calls back at each change of the state, until undone. */
  onState(listener: (state: ConnectionState) => void): () => void

  /**
   * Creates the stream of a shard unless it exists. `replicas` of a new stream: 3 in a cluster and 1 otherwise, unless
   * given. Refuses an existing stream with other settings. Returns when the stream was created, as the server says it: it
   * differs once the stream was deleted and made again.
   */
  ensureShard(shard: number, replicas?: number): Promise<string>
  /** The same for the team's buckets; default: all of them. */
  ensureBuckets(replicas?: number, buckets?: readonly BucketName[]): Promise<void>

  /**
   * Stores a message if the session's last one has the sequence `previous`; 0: if there is none. One with an `id` that
   * the server stored in the last two minutes, and still has, counts as stored.
   */
  publish(shard: number, session: SessionId, bytes: Uint8Array, previous: number, id?: string): Promise<PublishOutcome>
  /** The session's first message after a sequence, or its last one, read from the stream's leader. */
  firstOf(shard: number, session: SessionId, after: number): Promise<StoredMessage | null>
  lastOf(shard: number, session: SessionId): Promise<StoredMessage | null>

  /**
   * Follows a shard, or one session of it, in order, until `signal` aborts. Rejects when the stream is deleted or the
   * connection is lost.
   */
  read(options: {
    readonly shard: number
    readonly session?: SessionId
    readonly from: LogStart
    readonly signal: AbortSignal
  }): AsyncIterable<StoredMessage>
  /** Follows a shard with a durable consumer, created on first use, until `signal` aborts. Rejects like `read`. */
  consume(options: {
    readonly shard: number
    readonly name: string
    readonly signal: AbortSignal
  }): AsyncIterable<Delivery>
  /** The sequence up to which the consumer has acknowledged everything; 0: nothing, or there is no such consumer. */
  acknowledged(options: { readonly shard: number; readonly name: string }): Promise<number>
  /** Calls back for each message that the server republishes, until undone. May miss messages: see `previous`. */
  subscribeLive(shard: number | '*', handler: (message: LiveMessage) => void): () => void

  putSession(info: SessionInfo): Promise<void>
  session(id: SessionId): Promise<SessionInfo | null>
  sessions(): Promise<readonly SessionInfo[]>
  /** Every session's description, then each change. Skips those that this version can't read. */
  watchSessions(signal: AbortSignal): AsyncIterable<SessionInfo>
  /** How far the history has committed a session; null: nothing is known. */
  watermark(session: SessionId): Promise<Watermark | null>
  putWatermark(session: SessionId, watermark: Watermark): Promise<void>
  watchWatermarks(signal: AbortSignal): AsyncIterable<{ readonly session: SessionId; readonly lastSeq: number }>
  bucket(name: BucketName): TeamBucket

  close(): Promise<void>
}
