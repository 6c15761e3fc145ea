/** Publishes the sessions of a store: runs the operations that the state machine asks for. */
import { CodedError, toFailure } from '../../../../shared/base/errors.ts'
import { unixMs, type SessionId } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import { equalBytes } from '../../../core/store/format/ledger.ts'
import type { ChainHeads, CommittedFlush } from '../../../core/store/types/flushes.ts'
import { newSessionId } from '../../../core/store/types/session-id.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import { decodeFrame, readHeader } from '../frame/decode.ts'
import { BUNDLE_BYTES, contentBytes, encodeFlushes, type EncodedFlushes, type EncodeOptions } from '../frame/encode.ts' // oxfmt-ignore
import { isPart, readPart } from '../frame/parts.ts'
import type { FrameResult } from '../frame/refusal.ts'
import type { TeamLog } from '../nats/team-log.ts'
import type { SessionEnd, SessionInfo } from '../session-info.ts'
import { Resends, type Resend } from './resend.ts'
import { SigningSchedule } from './signing-schedule.ts'
import type { SigningKey } from '../sign/keys.ts'
import { encodeEndSignature, signState } from '../sign/signature.ts'
import { IDLE, step, type Cursor, type Effect, type Operation, type PublishEvent, type Trouble } from './state.ts'
import type { PublishState } from './state.ts'

export interface PublisherParts {
  /** Connects, or rejects with a `CodedError`. */
  readonly connect: () => Promise<TeamLog>
  readonly reader: Pick<StoreReader, 'flushes' | 'ledger'>
  readonly clock: Pick<Clock, 'after' | 'monoNs'>
  /** Signs what is published; null: nothing is signed. */
  readonly key: SigningKey | null
  /** The description of a session that was added. */
  readonly describe: (session: SessionId) => SessionInfo
  /** Streams and buckets are there. */
  readonly onPrepared: () => void
  readonly onFinished: (session: SessionId, end: SessionEnd) => void
  /** The store doesn't have the session. */
  readonly onErased: (session: SessionId) => void
  /** Null: the trouble is over. */
  readonly onTrouble: (trouble: Trouble | null) => void
  readonly onGivenUp: (session: SessionId, trouble: Trouble) => void
}

export class Publisher {
  readonly #parts: PublisherParts
  #state: PublishState = IDLE
  #log: TeamLog | null = null
  #isClosed = false
  #stopWaiting = (): void => {}
  /** The chains of a session at its cursor. */
  readonly #heads = new Map<SessionId, { readonly seq: number; readonly heads: ChainHeads }>()
  /**
   * What was published last and isn't known to be stored. It is published again as it is, under the same ids: a cluster
   * that changes its leader can still store it after it was read back as missing.
   */
  readonly #attempts = new Map<SessionId, EncodedFlushes & { readonly afterSeq: number; readonly maxPayload: number }>()
  readonly #published = new Map<SessionId, number>()
  readonly #schedule = new SigningSchedule()
  #inFlightBytes = 0
  readonly #resends = new Resends()
  readonly #watchers = new Set<() => void>()
  /** When the stream of each shard was created. */
  readonly #streams = new Map<number, string>()
  /** Buckets may be missing. */
  #lacksBuckets = true

  constructor(parts: PublisherParts) {
    this.#parts = parts
  }

  get state(): PublishState {
    return this.#state
  }

  /** Bytes that were sent and aren't acknowledged. */
  get inFlightBytes(): number {
    return this.#inFlightBytes
  }

  get log(): TeamLog | null {
    return this.#log
  }

  /** The last seq of a session that the log is known to have. */
  publishedSeq(session: SessionId): number {
    return this.#published.get(session) ?? 0
  }

  start(): void {
    this.#dispatch({ is: 'started' })
  }

  /** Adds a session to publish. */
  add(session: SessionId, isClosed: boolean): void {
    this.#dispatch({ is: 'session', session, isClosed })
  }

  /** The history has all of a session. It isn't described from now on. */
  release(session: SessionId): void {
    this.#dispatch({ is: 'released', session })
  }

  /** The team lacks the description of a session that is being published. */
  describeAgain(session: SessionId): void {
    this.#dispatch({ is: 'undescribed', session })
  }

  /** The team lacks a bucket. */
  prepareAgain(): void {
    this.#lacksBuckets = true
    this.#dispatch({ is: 'unprepared' })
  }

  /** Publishes a session again after a seq, also one that was finished. */
  resend(session: SessionId, resend: Resend, isClosed: boolean): void {
    this.add(session, isClosed)
    this.#resends.add(session, resend)
    this.#dispatch({ is: 'dropped', session })
  }

  /** Whether frames that the log dropped are being published again. */
  isResending(session: SessionId): boolean {
    return this.#resends.has(session)
  }

  /** The store has committed more of a session. */
  committed(session: SessionId): void {
    this.#dispatch({ is: 'committed', session })
  }

  /** The store has a session's close record. */
  ended(session: SessionId): void {
    this.#dispatch({ is: 'closed', session })
  }

  /** Resolves once there is nothing to do until more is committed, or when `signal` aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    while (this.#state.busy !== null && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#watchers.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        this.#watchers.add(done)
        signal.addEventListener('abort', done)
      })
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWaiting()
    for (const tell of [...this.#watchers]) tell()
    await this.#log?.close().catch(() => {})
  }

  #dispatch(event: PublishEvent): void {
    if (this.#isClosed) return
    const { state, effects } = step(this.#state, event)
    this.#state = state
    for (const session of this.#resends.sessions()) if (!this.#has(session)) this.#resends.delete(session)
    for (const effect of effects) this.#run(effect)
    for (const tell of [...this.#watchers]) tell()
  }

  #has(session: SessionId): boolean {
    return this.#state.sessions.some(({ id }) => id === session)
  }

  #run(effect: Effect): void {
    switch (effect.do) {
      case 'wait':
        this.#stopWaiting = this.#parts.clock.after(effect.ms, () => this.#dispatch({ is: 'waited' }))
        return
      case 'stop-waiting':
        return this.#stopWaiting()
      case 'report':
        return this.#parts.onTrouble(effect.trouble)
      case 'give-up':
        return this.#parts.onGivenUp(effect.session, effect.trouble)
      default:
        void this.#operate(effect)
    }
  }

  async #operate(operation: Operation): Promise<void> {
    const session = 'session' in operation ? operation.session : null
    let event: PublishEvent
    try {
      event = await this.#perform(operation)
    } catch (thrown) {
      if (thrown instanceof Erased) {
        this.#parts.onErased(thrown.session)
        event = { is: 'erased', session: thrown.session }
      } else if (session !== null && !this.#has(session)) {
        // Released meanwhile.
        event = { is: 'erased', session }
      } else {
        const { code, message, hint } = toFailure(thrown)
        if (code === 'not-found' && USES_BUCKETS.has(operation.do)) this.#lacksBuckets = true
        const foreign = thrown instanceof Foreign ? { isForeign: true as const } : {}
        event = { is: 'failed', session, trouble: { code, message, hint, ...foreign } }
      }
    }
    this.#dispatch(event)
    if (event.is !== 'prepared' || this.#isClosed) return
    if (this.#lacksBuckets) this.#dispatch({ is: 'unprepared' })
    else this.#parts.onPrepared()
  }

  #perform(operation: Operation): Promise<PublishEvent> {
    switch (operation.do) {
      case 'connect':
        return this.#connect()
      case 'prepare':
        return this.#prepare()
      case 'announce':
        return this.#announce(operation.session)
      case 'locate':
        return this.#locate(operation.session)
      case 'publish':
        return this.#publish(operation.session, operation.cursor)
      case 'finish':
        return this.#finish(operation.session, operation.lastSeq)
    }
  }

  async #connect(): Promise<PublishEvent> {
    const log = await this.#parts.connect()
    if (this.#isClosed) {
      await log.close()
      return { is: 'lost' }
    }
    this.#log = log
    log.onState((state) => {
      if (this.#log !== log) return
      if (state.is === 'closed') {
        this.#log = null
        this.#dispatch({ is: 'lost' })
      } else this.#dispatch({ is: 'link', isUp: state.is === 'connected' })
    })
    return { is: 'connected' }
  }

  /**
   * Makes what is missing. Each stream and bucket of a cluster has a leader of its own, so after a server was lost, buckets
   * are waited for only where they may be gone: frames don't need them.
   */
  async #prepare(): Promise<PublishEvent> {
    const log = this.#open()
    const shards = new Set(this.#state.sessions.map(({ id }) => this.#parts.describe(id).shard))
    const streams = await Promise.all([...shards].map(async (one) => [one, await log.ensureShard(one)] as const))
    const isNew = this.#lacksBuckets || streams.some(([shard, createdAt]) => this.#streams.get(shard) !== createdAt)
    // One may be missed again while they are made.
    this.#lacksBuckets = false
    if (isNew)
      await log.ensureBuckets(undefined, RECORDER_BUCKETS).catch((thrown: unknown) => {
        this.#lacksBuckets = true
        throw thrown
      })
    for (const [shard, createdAt] of streams) this.#streams.set(shard, createdAt)
    return { is: 'prepared', isNew }
  }

  async #announce(session: SessionId): Promise<PublishEvent> {
    const existing = await this.#open().session(session)
    // One that has ended stays so while it is published again.
    if (existing === null || existing.end === null) await this.#open().putSession(this.#describe(session, null))
    return { is: 'announced', session }
  }

  /** Reads the session's last message back, and compares it with the store. */
  async #locate(session: SessionId): Promise<PublishEvent> {
    const log = this.#open()
    this.#heads.delete(session)
    this.#schedule.forget(session)
    const last = await log.lastOf(this.#parts.describe(session).shard, session)
    // What the log dropped for its age is in the history.
    let seq = last === null ? await this.#archivedSeq(log, session) : lastCompleteSeq(session, last.bytes)
    let heads = await this.#headsAt(session, seq)
    if (last !== null) checkSame(session, last.bytes, heads)
    const start = this.#resends.startOf(session)
    if (start !== null && start < seq) {
      seq = start
      heads = await this.#headsAt(session, seq)
    }
    this.#heads.set(session, { seq, heads })
    this.#published.set(session, seq)
    return { is: 'located', session, cursor: { seq, sequence: last?.sequence ?? 0 } }
  }

  async #archivedSeq(log: TeamLog, session: SessionId): Promise<number> {
    try {
      return (await log.watermark(session))?.lastSeq ?? 0
    } catch (thrown) {
      if (toFailure(thrown).code === 'not-found') this.#lacksBuckets = true
      throw thrown
    }
  }

  /** The chains of a session at the end of a flush. */
  async #headsAt(session: SessionId, afterSeq: number): Promise<ChainHeads> {
    const query = { session, afterSeq, maxBytes: 0, withHeads: true }
    const page = await ofStore(session, this.#parts.reader.flushes(query)).catch((thrown: unknown) => {
      // The log has flushes that end elsewhere than the store's.
      throw toFailure(thrown).code === 'bad-arguments' ? new Foreign(session) : thrown
    })
    return page.heads ?? new Map<never, never>()
  }

  /** Publishes the next flushes, one message at a time, each behind the one before it. */
  async #publish(session: SessionId, cursor: Cursor): Promise<PublishEvent> {
    const start = this.#resends.startOf(session)
    if (start !== null && start < cursor.seq) return { is: 'dropped', session, ends: true }
    const at = this.#heads.get(session)
    if (at?.seq !== cursor.seq) throw new TypeError(`the chains of ${session} at ${cursor.seq} are unknown`)
    const { epoch, shard } = this.#parts.describe(session)
    const log = this.#open()
    let attempt = this.#attempts.get(session)
    if (attempt?.afterSeq !== cursor.seq || attempt.maxPayload !== log.maxPayload) {
      const query = { session, afterSeq: cursor.seq, maxBytes: BUNDLE_BYTES }
      const page = await ofStore(session, this.#parts.reader.flushes(query))
      if (page.flushes.length === 0) return { is: 'caught-up', session }
      const { maxPayload } = log
      const encoded = accept(
        encodeFlushes(
          { session, epoch, heads: at.heads, maxPayload, ...this.#signing(session, page.flushes) },
          page.flushes,
        ),
      )
      attempt = { ...encoded, afterSeq: cursor.seq, maxPayload }
      this.#attempts.set(session, attempt)
    }
    const { messages, heads } = attempt
    let { seq, sequence } = cursor
    for (const { id, bytes, lastSeq } of messages) {
      this.#inFlightBytes = bytes.length
      const ownId = this.#resends.idOf(session, id)
      const published = log.publish(shard, session, bytes, sequence, ownId)
      const outcome = await published.finally(() => (this.#inFlightBytes = 0))
      if (outcome.is === 'conflict') return { is: 'conflict', session }
      // A part that the log has from an interrupted attempt counts as stored where it was.
      sequence = Math.max(sequence, outcome.sequence)
      seq = lastSeq
    }
    this.#attempts.delete(session)
    this.#heads.set(session, { seq, heads })
    this.#published.set(session, seq)
    this.#resends.published(session, cursor.seq, seq)
    return { is: 'published', session, cursor: { seq, sequence } }
  }

  /** Adds the end to the session's description. */
  async #finish(session: SessionId, lastSeq: number): Promise<PublishEvent> {
    const ledger = await ofStore(session, this.#parts.reader.ledger(session))
    const known: ChainHeads = this.#heads.get(session)?.heads ?? new Map<never, never>()
    // A connection without messages that no entry mentions isn't in the log.
    const heads = Object.entries(ledger.heads).filter(([conn]) => known.has(Number(conn)))
    const isWhole = ledger.lastSeq === lastSeq && heads.length === known.size
    if (!isWhole || heads.some(([conn, head]) => hex(known.get(Number(conn))?.head) !== head))
      throw new CodedError('store-damaged', `The log of session ${session} doesn’t match its close record.`)
    const { endedMs, clean, messages, entries } = ledger
    const end: SessionEnd = { endedMs, clean, lastSeq, messages, entries, heads: Object.fromEntries(heads) }
    const signed = this.#signEnd(session, end, known)
    await this.#open().putSession(this.#describe(session, signed))
    this.#parts.onFinished(session, signed)
    this.#heads.delete(session)
    this.#schedule.forget(session)
    return { is: 'finished', session }
  }

  /** A session's description with this end, and the key that signs it now. */
  #describe(session: SessionId, end: SessionEnd | null): SessionInfo {
    const { key } = this.#parts
    return { ...this.#parts.describe(session), ...(key === null ? {} : { key: key.publicKey }), end }
  }

  /** Signs the frames of the next flushes if a signature is due. */
  #signing(session: SessionId, flushes: readonly CommittedFlush[]): Pick<EncodeOptions, 'sign'> {
    const { key, clock } = this.#parts
    if (key === null) return {}
    const nowMs = clock.monoNs() / 1e6
    if (!this.#schedule.isDue(session, nowMs)) {
      this.#schedule.unsigned(session, contentBytes(flushes))
      return {}
    }
    this.#schedule.signed(session, nowMs)
    const about = { ...this.#parts.describe(session), team: this.#open().team }
    return { sign: (seq, heads) => signState(key, about, { seq, heads }) }
  }

  #signEnd(session: SessionId, end: SessionEnd, heads: ChainHeads): SessionEnd {
    const { key } = this.#parts
    if (key === null) return end
    const about = { ...this.#parts.describe(session), team: this.#open().team }
    return { ...end, signature: encodeEndSignature(signState(key, about, { seq: end.lastSeq, heads, end })) }
  }

  #open(): TeamLog {
    if (this.#log === null) throw new CodedError('offline', 'The connection to the NATS server was closed.')
    return this.#log
  }
}

/** What a recorder needs. */
const RECORDER_BUCKETS = ['sessions', 'watermarks', 'reports'] as const
/** Operations that do nothing but with buckets. */
const USES_BUCKETS: ReadonlySet<Operation['do']> = new Set(['announce', 'finish'])

/** Makes the streams and buckets that a recorder needs. */
export async function prepareLog(log: TeamLog, shards: Iterable<number>): Promise<void> {
  await Promise.all([
    log.ensureBuckets(undefined, RECORDER_BUCKETS),
    ...[...shards].map((shard) => log.ensureShard(shard)),
  ])
}

/** A sequence that no message has. */
const NEVER = Number.MAX_SAFE_INTEGER

/**
 * Refuses a user who may not publish a shard. Both requests follow a message that doesn't exist, so the servers store
 * nothing.
 */
export async function checkPermissions(log: TeamLog, shard: number): Promise<void> {
  const nobody = newSessionId(unixMs(0))
  await log.publish(shard, nobody, new Uint8Array(0), NEVER)
  await log.bucket('sessions').update(nobody, '', NEVER)
}

const hex = (head: Uint8Array | undefined): string => Buffer.from(head ?? []).toString('hex')

/** The store doesn't have the session. */
class Erased extends Error {
  readonly session: SessionId

  constructor(session: SessionId) {
    super(`session ${session} isn't in the store`)
    this.session = session
  }
}

/** What the store says. Its `not-found` means something else than that of the log. */
async function ofStore<T>(session: SessionId, read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (thrown) {
    throw thrown instanceof CodedError && thrown.code === 'not-found' ? new Erased(session) : thrown
  }
}

function accept<T>(result: FrameResult<T>): T {
  if (result.ok) return result.value
  const { code, message, hint } = result.refusal
  throw new CodedError(
    code === 'too-large' ? 'too-large' : 'store-damaged',
    message,
    hint === undefined ? {} : { hint },
  )
}

/** The last seq of the whole frames in the log, from a session's last message. */
function lastCompleteSeq(session: SessionId, bytes: Uint8Array): number {
  if (!isPart(bytes)) return readOwn(session, readHeader(bytes)).lastSeq
  const { part, parts, firstSeq, lastSeq } = readOwn(session, readPart(bytes))
  // Parts are published in order, so the last one completes its frame. An incomplete frame is published again.
  return part === parts - 1 ? lastSeq : firstSeq - 1
}

/** Refuses a log whose last frame has other chains than the store at the same place. */
function checkSame(session: SessionId, bytes: Uint8Array, heads: ChainHeads): void {
  if (isPart(bytes)) return
  const { chains } = readOwn(session, decodeFrame(bytes))
  for (const { conn, after } of chains) {
    const own = heads.get(conn)?.head
    if (after !== null && (own === undefined || !equalBytes(after, own))) throw new Foreign(session)
  }
}

function readOwn<T>(session: SessionId, result: FrameResult<T>): T {
  if (!result.ok) throw new Foreign(session)
  return result.value
}

/** The log has other messages of a session than the store. */
class Foreign extends CodedError {
  constructor(session: SessionId) {
    super('store-damaged', `The team’s log and this store have different messages for session ${session}.`, {
      hint: 'Another recorder may use a copy of this store.',
    })
  }
}
