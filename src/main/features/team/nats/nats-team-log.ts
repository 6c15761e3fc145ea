/** The team's log on NATS JetStream. */
import type {
  Consumer,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
  MsgRequest,
  PubAck,
  StoredMsg,
} from '@nats-io/jetstream'
import type { KV, Kvm } from '@nats-io/kv'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { CodedError } from '../../../../shared/base/errors.ts'
import { SESSION_ID, sessionId, unixMs, type SessionId } from '../../../../shared/base/units.ts'
import { decodeWatermark, encodeWatermark, type Watermark } from '../checksum.ts'
import { BUCKETS, bucketName, frameSubject, liveSubjects, shardSubjects, streamName } from '../names.ts'
import type { BucketName, TeamName } from '../names.ts'
import { decodeSessionInfo, encodeSessionInfo, type SessionInfo } from '../session-info.ts'
import { isConflict, natsBucket } from './bucket.ts'
import { bucketSettings, ensureStream, shardSettings } from './ensure.ts'
import { API, apiCode, requestError } from './errors.ts'
import type { Refusals } from './refusals.ts'
import type {
  ConnectionState,
  Delivery,
  LiveMessage,
  LogStart,
  PublishOutcome,
  StoredMessage,
  TeamBucket,
  TeamLog,
} from './team-log.ts'

/**
 * Messages asked for ahead, at most about 256 KiB each. Pulls bounded by bytes count them unlike the server does, and some
 * wait until they expire, after 45 s.
 */
const PULL_MESSAGES = 64
/** How long the server waits for an acknowledgement before it delivers again. */
const ACK_WAIT_NS = 30_000_000_000
const MAX_UNACKNOWLEDGED = 1_024
/**
 * How often a server with nothing to deliver says that it is there, and how long it keeps a request. The client notices after
 * three of the former that a stream was deleted between two requests, or that the leader of its consumer died; if nobody
 * responds then either, it asks again only after the latter. With its defaults, both took 45 s.
 */
const HEARTBEAT_MS = 2_000
const REQUEST_MS = 5_000

interface Parts {
  readonly team: TeamName
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly client: JetStreamClient
  readonly buckets: Kvm
  readonly refusals: Refusals
}

export class NatsTeamLog implements TeamLog {
  readonly #parts: Parts
  readonly #listeners = new Set<(state: ConnectionState) => void>()
  readonly #buckets = new Map<BucketName, TeamBucket>()
  readonly #opened = new Map<BucketName, Promise<KV>>()
  #state: ConnectionState
  /** Rejects when the connection is lost. */
  #loss = newLoss()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#state = { is: 'connected', server: parts.connection.getServer() }
    void this.#watchConnection()
  }

  get team(): TeamName {
    return this.#parts.team
  }

  get maxPayload(): number {
    return this.#parts.connection.info?.max_payload ?? 1 << 20
  }

  get serverVersion(): string {
    return this.#parts.connection.info?.version ?? ''
  }

  get isClustered(): boolean {
    return this.#parts.connection.info?.cluster !== undefined
  }

  state(): ConnectionState {
    return this.#state
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #watchConnection(): Promise<void> {
    const { connection, refusals } = this.#parts
    void connection.closed().then((why) => this.#set({ is: 'closed', why: why ?? null }))
    for await (const status of connection.status()) {
      if (status.type === 'error') refusals.noteError(status.error)
      if (status.type === 'reconnecting') refusals.noteAttempt()
      // The client reports each once more for every attempt that failed.
      const { is: before } = this.#state
      if (status.type === 'reconnect') {
        refusals.forget()
        if (before !== 'connected') this.#set({ is: 'connected', server: status.server })
      } else if (
        (status.type === 'disconnect' && before !== 'disconnected') ||
        (this.#state.is === 'disconnected' && this.#state.why?.message !== refusals.why?.message)
      )
        this.#set({ is: 'disconnected', why: refusals.why })
    }
  }

  #set(state: ConnectionState): void {
    this.#state = state
    // Replies that somebody waits for are lost, and while nobody is connected, none will come.
    this.#loss.reject(this.#lostError())
    this.#loss = newLoss()
    if (state.is !== 'connected') this.#loss.reject(this.#lostError())
    // The server that it is connected to now may have lost its disk.
    this.#opened.clear()
    for (const listener of this.#listeners) listener(state)
  }

  #lostError(): CodedError {
    const refused = this.#state.is === 'disconnected' ? this.#state.why : null
    return refused ?? new CodedError('offline', 'The connection to the NATS server was lost.')
  }

  /** The client waits for a reply until its time limit, even if the connection that would bring it is gone. */
  #whileConnected<T>(reply: Promise<T>): Promise<T> {
    return Promise.race([reply, this.#loss.promise])
  }

  #replicas(given: number | undefined): number {
    return given ?? (this.isClustered ? 3 : 1)
  }

  async ensureShard(shard: number, replicas?: number): Promise<string> {
    const settings = shardSettings(this.team, shard)
    return this.#whileConnected(ensureStream(this.#parts.manager, settings, this.#replicas(replicas)))
  }

  async ensureBuckets(replicas?: number, buckets: readonly BucketName[] = BUCKETS): Promise<void> {
    const ensure = (bucket: BucketName): Promise<string> =>
      ensureStream(this.#parts.manager, bucketSettings(this.team, bucket), this.#replicas(replicas))
    await this.#whileConnected(Promise.all(buckets.map(ensure)))
  }

  async publish(...args: Parameters<TeamLog['publish']>): Promise<PublishOutcome> {
    const [shard, session, bytes, previous, id] = args
    const stream = streamName(this.team, shard)
    let ack: PubAck
    try {
      const published = this.#parts.client.publish(frameSubject(this.team, shard, session), bytes, {
        expect: { streamName: stream, lastSubjectSequence: previous },
        ...(id === undefined ? {} : { msgID: id }),
      })
      ack = await this.#whileConnected(published)
    } catch (thrown) {
      if (isConflict(thrown)) return { is: 'conflict' }
      if (apiCode(thrown) === API.unsettled) throw unsettledError(stream)
      throw requestError(thrown, `the stream ${stream}`)
    }
    // A leader notes the id of a message before it stores it. If it then refuses it or loses its leadership, it takes the
    // same message for one that it has, though none has that id. Servers before 2.11 say so with the sequence 0, newer ones
    // with an error. Ids also outlive messages that somebody purged.
    const isKnown = !ack.duplicate || (ack.seq > 0 && (await this.#idAt(stream, ack.seq)) === id)
    if (!isKnown) throw unsettledError(stream)
    return { is: 'stored', sequence: ack.seq }
  }

  /** The id under which a message was published; undefined if the stream doesn't have it. */
  async #idAt(stream: string, seq: number): Promise<string | undefined> {
    return (await this.#get(stream, { seq }))?.header.get('Nats-Msg-Id')
  }

  firstOf(shard: number, session: SessionId, after: number): Promise<StoredMessage | null> {
    // Servers take it, though the client's types don't list it.
    const request = { seq: after + 1, next_by_subj: frameSubject(this.team, shard, session) }
    return this.#find(shard, session, request)
  }

  lastOf(shard: number, session: SessionId): Promise<StoredMessage | null> {
    return this.#find(shard, session, { last_by_subj: frameSubject(this.team, shard, session) })
  }

  async #find(shard: number, session: SessionId, request: MsgRequest): Promise<StoredMessage | null> {
    const found = await this.#get(streamName(this.team, shard), request)
    if (found === null) return null
    return {
      shard,
      session,
      sequence: found.seq,
      bytes: found.data,
      storedMs: unixMs(found.time.getTime()),
      pending: 0,
    }
  }

  async #get(stream: string, request: MsgRequest): Promise<StoredMsg | null> {
    try {
      return await this.#whileConnected(this.#parts.manager.streams.getMessage(stream, request))
    } catch (thrown) {
      if (apiCode(thrown) === API.noMessage) return null
      throw requestError(thrown, `the stream ${stream}`)
    }
  }

  async *read(options: Parameters<TeamLog['read']>[0]): AsyncGenerator<StoredMessage> {
    const { shard, session, from, signal } = options
    const stream = streamName(this.team, shard)
    const filter = session === undefined ? shardSubjects(this.team, shard) : frameSubject(this.team, shard, session)
    const open = () => this.#parts.client.consumers.get(stream, { filter_subjects: filter, ...startOptions(from) })
    for await (const message of this.#follow(stream, open, signal)) {
      const read = readMessage(shard, message)
      if (read !== null) yield read
    }
  }

  async *consume(options: Parameters<TeamLog['consume']>[0]): AsyncGenerator<Delivery> {
    const { shard, name, signal } = options
    const stream = streamName(this.team, shard)
    const open = async () => {
      await this.#parts.manager.consumers.add(stream, {
        durable_name: name,
        ack_policy: 'explicit',
        deliver_policy: 'all',
        ack_wait: ACK_WAIT_NS,
        max_ack_pending: MAX_UNACKNOWLEDGED,
      })
      return this.#parts.client.consumers.get(stream, name)
    }
    for await (const message of this.#follow(stream, open, signal)) {
      const read = readMessage(shard, message)
      if (read === null) message.term('not a session of this team')
      else
        yield {
          ...read,
          ack: async () => {
            try {
              if (!(await message.ackAck())) throw new CodedError('offline', 'The acknowledgement was lost.')
            } catch (thrown) {
              throw requestError(thrown, `an acknowledgement of the stream ${stream}`)
            }
          },
          retry: (delayMs) => message.nak(delayMs),
        }
    }
  }

  async acknowledged({ shard, name }: Parameters<TeamLog['acknowledged']>[0]): Promise<number> {
    const stream = streamName(this.team, shard)
    try {
      return (await this.#whileConnected(this.#parts.manager.consumers.info(stream, name))).ack_floor.stream_seq
    } catch (thrown) {
      if (apiCode(thrown) === API.noConsumer) return 0
      throw requestError(thrown, `the stream ${stream}`)
    }
  }

  async *#follow(stream: string, open: () => Promise<Consumer>, signal: AbortSignal): AsyncGenerator<JsMsg> {
    if (signal.aborted) return
    const what = `the stream ${stream}`
    try {
      const consumer = await this.#whileConnected(open())
      const messages = await consumer.consume({
        max_messages: PULL_MESSAGES,
        abort_on_missing_resource: true,
        idle_heartbeat: HEARTBEAT_MS,
        expires: REQUEST_MS,
      })
      const stop = () => messages.stop()
      signal.addEventListener('abort', stop)
      // The client would continue by itself, but asks a stream that has no leader yet only every 30 s.
      const undo = this.onState(stop)
      if (this.#state.is !== 'connected') stop()
      try {
        for await (const message of messages) {
          if (signal.aborted) return
          yield message
        }
      } finally {
        undo()
        signal.removeEventListener('abort', stop)
        await messages.close()
      }
    } catch (thrown) {
      throw requestError(thrown, what)
    }
    if (signal.aborted) return
    throw this.#state.is === 'connected' ? new CodedError('offline', `Reading ${what} ended.`) : this.#lostError()
  }

  subscribeLive(shard: number | '*', handler: (message: LiveMessage) => void): () => void {
    const subscription = this.#parts.connection.subscribe(liveSubjects(this.team, shard), {
      callback: (error, message) => {
        const live = error === null ? readLive(message) : null
        if (live !== null) handler(live)
      },
    })
    return () => subscription.unsubscribe()
  }

  async putSession(info: SessionInfo): Promise<void> {
    await this.bucket('sessions').put(info.session, encodeSessionInfo(info))
  }

  async session(id: SessionId): Promise<SessionInfo | null> {
    const entry = await this.bucket('sessions').get(id)
    return entry === null || entry.value === null ? null : decodeSessionInfo(entry.value)
  }

  async sessions(): Promise<readonly SessionInfo[]> {
    const entries = await this.bucket('sessions').entries()
    return entries.flatMap(({ value }) => {
      const info = value === null ? null : decodeSessionInfo(value)
      return info === null ? [] : [info]
    })
  }

  async *watchSessions(signal: AbortSignal): AsyncGenerator<SessionInfo> {
    for await (const { key, value } of this.bucket('sessions').watch({ signal })) {
      if (value === null) continue
      // One that was damaged on its way here is whole on the server. Else its recorder describes it again.
      const info = decodeSessionInfo(value) ?? (SESSION_ID.test(key) ? await this.session(sessionId(key)) : null)
      if (info !== null) yield info
    }
  }

  async watermark(session: SessionId): Promise<Watermark | null> {
    const entry = await this.bucket('watermarks').get(session)
    return entry === null ? null : decodeWatermark(session, entry.value)
  }

  async putWatermark(session: SessionId, watermark: Watermark): Promise<void> {
    await this.bucket('watermarks').put(session, encodeWatermark(session, watermark))
  }

  async *watchWatermarks(signal: AbortSignal): AsyncGenerator<{ session: SessionId; lastSeq: number }> {
    for await (const { key, value } of this.bucket('watermarks').watch({ signal })) {
      const watermark = decodeWatermark(key, value)
      if (watermark !== null && SESSION_ID.test(key)) yield { session: sessionId(key), lastSeq: watermark.lastSeq }
    }
  }

  bucket(name: BucketName): TeamBucket {
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) {
      const run = <T>(work: (kv: KV) => Promise<T>): Promise<T> => this.#inBucket(name, work)
      bucket = natsBucket(run, bucketName(this.team, name))
      this.#buckets.set(name, bucket)
    }
    return bucket
  }

  /** A bucket is opened once for each connection, and again after something failed: it may have been made again. */
  async #inBucket<T>(name: BucketName, work: (kv: KV) => Promise<T>): Promise<T> {
    // The client would send it once it is connected again.
    if (this.#state.is !== 'connected') throw this.#lostError()
    const onServer = bucketName(this.team, name)
    const opening = this.#opened.get(name) ?? this.#parts.buckets.open(onServer)
    this.#opened.set(name, opening)
    try {
      return await this.#whileConnected(opening.then(work))
    } catch (thrown) {
      if (this.#opened.get(name) === opening) this.#opened.delete(name)
      throw requestError(thrown, `the bucket ${onServer}`)
    }
  }

  async close(): Promise<void> {
    await this.#parts.connection.close()
  }
}

/** Rejects unhandled only for those who wait for it. */
function newLoss(): PromiseWithResolvers<never> {
  const loss = Promise.withResolvers<never>()
  loss.promise.catch(() => undefined)
  return loss
}

/** The server forgets the id after the duplicate window of the stream. */
const unsettledError = (stream: string): CodedError =>
  new CodedError(
    'server-error',
    `The NATS server hasn’t stored a frame in the stream ${stream} that it already knows.`,
    {
      hint: 'It forgets the frame within two minutes, and then stores it. Nothing is lost.',
    },
  )

function startOptions(from: LogStart) {
  if ('sequence' in from) return { deliver_policy: 'by_start_sequence', opt_start_seq: from.sequence } as const
  if ('sinceMs' in from)
    return { deliver_policy: 'by_start_time', opt_start_time: new Date(from.sinceMs).toISOString() } as const
  return { deliver_policy: from.at === 'first' ? 'all' : 'new' } as const
}

/** The session that a subject ends with, or null. */
function sessionOf(subject: string): SessionId | null {
  const last = subject.slice(subject.lastIndexOf('.') + 1)
  return SESSION_ID.test(last) ? sessionId(last) : null
}

function readMessage(shard: number, message: JsMsg): StoredMessage | null {
  const session = sessionOf(message.subject)
  if (session === null) return null
  return {
    shard,
    session,
    sequence: message.seq,
    bytes: message.data,
    storedMs: unixMs(message.time.getTime()),
    pending: message.info.pending,
  }
}

function readLive({ subject, headers, data }: Msg): LiveMessage | null {
  const session = sessionOf(subject)
  const shard = Number(subject.split('.').at(-2))
  const sequence = Number(headers?.get('Nats-Sequence') ?? NaN)
  const previous = Number(headers?.get('Nats-Last-Sequence') ?? NaN)
  if (session === null || ![shard, sequence, previous].every(Number.isSafeInteger) || sequence < 1) return null
  return { shard, session, sequence, previous, bytes: data }
}
