/**
 * Takes the frames of one shard from the log into the archive. A delivery is acknowledged once everything up to its
 * last seq is committed. Frames that are missing are read from the log again.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import { readHeader } from '../frame/decode.ts'
import { FrameJoiner, isPart, readPart } from '../frame/parts.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { Delivery, StoredMessage, TeamLog } from '../nats/team-log.ts'
import type { StoreOutcome } from './tail/accept.ts'
import type { Archive } from './archive.ts'

/** Bytes of one transaction, about. */
const STORE_BYTES = 2 << 20
/** How long reading again may take without a message. */
const REREAD_WITHIN_MS = 30_000
const RETRY_MS = 5_000
/** Parts of one frame that wait for its other parts unacknowledged. Servers deliver only 1,024 messages ahead. */
const MAX_WAITING_PARTS = 256

export interface IntakeEvents {
  /** Everything of a session up to `lastSeq` is committed. */
  readonly onCommitted: (session: SessionId, lastSeq: number) => Promise<void>
  /**
   * Frames after `lastSeq` are missing from the log, too, or nobody described their session (null). They are asked for
   * again.
   */
  readonly onWaiting: (session: SessionId, why: string, lastSeq: number | null) => void
  readonly onReread?: () => void
  readonly onFrames?: (frames: number, bytes: number) => void
  /** Called between commit and acknowledgement, for fault injection. */
  readonly beforeAck?: (() => Promise<void>) | undefined
  /** When frames that can't be stored yet are delivered again, ms. */
  readonly retryMs?: number | undefined
  readonly storeBytes?: number | undefined
}

type IntakeOutcome =
  | StoreOutcome
  /** Everything up to `lastSeq` is committed. The log has parts of the next frame, and not all of them yet. */
  | { readonly is: 'incomplete'; readonly lastSeq: number }

/** A shard whose frames can't be stored. It needs a person. */
export class ShardStopped extends Error {
  readonly refusal: Refusal

  constructor(session: SessionId, refusal: Refusal) {
    super(`Session ${session} can’t be archived. ${refusal.message}`)
    this.refusal = refusal
  }
}

interface Pending {
  readonly delivery: Delivery
  /** NaN if it can't be read. */
  readonly lastSeq: number
}

interface SessionIntake {
  readonly joiner: FrameJoiner
  /** Delivered and not acknowledged. */
  pending: Pending[]
  /** Sequence in the stream up to which everything is committed; null: unknown. */
  sequence: number | null
  /** Monotonic ms before which nothing is tried again. */
  retryAtMs: number
  /** Sequence of the delivery that is asked for again while frames are missing; Infinity: none. */
  wakesAt: number
  /**
   * Deliveries were acknowledged that aren't stored. Only reading to the end of the log brings them. Until then, one before
   * them isn't acknowledged, so that a new archiver begins before them, too.
   */
  isBehind: boolean
}

type IntakeArchive = Pick<Archive, 'store' | 'putSession' | 'quarantine'>
type IntakeLog = Pick<TeamLog, 'read' | 'session'>

export class Intake {
  readonly #log: IntakeLog
  readonly #archive: IntakeArchive
  readonly #clock: Clock
  readonly #events: IntakeEvents
  readonly #retryMs: number
  readonly #storeBytes: number
  readonly #sessions = new Map<SessionId, SessionIntake>()

  constructor(log: IntakeLog, archive: IntakeArchive, clock: Clock, events: IntakeEvents) {
    this.#log = log
    this.#archive = archive
    this.#clock = clock
    this.#events = events
    this.#retryMs = events.retryMs ?? RETRY_MS
    this.#storeBytes = events.storeBytes ?? STORE_BYTES
  }

  /** Stores deliveries of one shard, in order. Rejects with `ShardStopped`, or with what the database rejects with. */
  async take(deliveries: readonly Delivery[], signal: AbortSignal): Promise<void> {
    const sessions = new Map<SessionId, Delivery[]>()
    for (const delivery of deliveries) {
      const known = sessions.get(delivery.session)
      if (known === undefined) sessions.set(delivery.session, [delivery])
      else known.push(delivery)
    }
    for (const [session, some] of sessions) await this.#takeSession(session, some, signal)
  }

  /**
   * Stores what a session has in the log, which is `last` or more. What an archiver that died had taken would be delivered
   * again only after a while. `acknowledged`: the sequence up to which archivers have committed everything.
   */
  async catchUp(last: StoredMessage, acknowledged: number, signal: AbortSignal): Promise<void> {
    const { session } = last
    const intake = this.#intakeOf(session)
    if (acknowledged > 0) intake.sequence = acknowledged
    let outcome = await this.#reread(session, intake, last, signal)
    if (lacksFrames(outcome) && acknowledged > 0) {
      // The history was restored from a backup, and lacks what it once had.
      intake.sequence = null
      outcome = await this.#reread(session, intake, last, signal)
    }
    if (signal.aborted && outcome.is !== 'stored') return
    // The archiver before this one may have acknowledged what it didn't store.
    intake.isBehind = lacksFrames(outcome)
    await this.#settle(session, intake, last, outcome)
  }

  #intakeOf(session: SessionId): SessionIntake {
    let intake = this.#sessions.get(session)
    if (intake === undefined) {
      intake = {
        joiner: new FrameJoiner(),
        pending: [],
        sequence: null,
        retryAtMs: 0,
        wakesAt: Infinity,
        isBehind: false,
      }
      this.#sessions.set(session, intake)
    }
    return intake
  }

  async #takeSession(session: SessionId, deliveries: readonly Delivery[], signal: AbortSignal): Promise<void> {
    const intake = this.#intakeOf(session)
    if (this.#nowMs() < intake.retryAtMs) return this.#postpone(intake, deliveries)
    const last = deliveries[deliveries.length - 1]
    const frames: Uint8Array[] = []
    let isReadable = true
    for (const delivery of deliveries) {
      intake.pending.push({ delivery, lastSeq: lastSeqOf(delivery.bytes) })
      isReadable &&= join(intake.joiner, delivery.bytes, frames)
    }
    let outcome: IntakeOutcome = await this.#store(session, last.shard, frames)
    if (
      outcome.is === 'missing' ||
      outcome.is === 'refused' ||
      !isReadable ||
      (intake.isBehind && outcome.is === 'stored')
    ) {
      // Frames may be missing because another archiver had them and died, or changed on their way here.
      this.#events.onReread?.()
      intake.joiner.drop()
      outcome = await this.#reread(session, intake, last, signal)
    } else if (outcome.is === 'stored' && intake.pending.length > MAX_WAITING_PARTS) {
      const { lastSeq } = outcome
      const waiting = intake.pending.filter((one) => one.lastSeq > lastSeq)
      if (waiting.length > MAX_WAITING_PARTS) outcome = { is: 'incomplete', lastSeq }
    }
    if (signal.aborted && outcome.is !== 'stored') return
    await this.#settle(session, intake, last, outcome)
  }

  async #store(session: SessionId, shard: number, frames: readonly Uint8Array[]): Promise<StoreOutcome> {
    const outcome = await this.#archive.store(session, frames, shard)
    if (outcome.is !== 'unknown') {
      this.#events.onFrames?.(
        frames.length,
        frames.reduce((sum, { length }) => sum + length, 0),
      )
      return outcome
    }
    const info = await this.#log.session(session)
    if (info === null) return outcome
    await this.#archive.putSession(info)
    return this.#archive.store(session, frames, shard)
  }

  /** Reads a session from the log again, to its end, as long as that brings something. */
  async #reread(
    session: SessionId,
    intake: SessionIntake,
    last: StoredMessage,
    signal: AbortSignal,
  ): Promise<IntakeOutcome> {
    for (let before = -1; ;) {
      const outcome = await this.#readOnce(session, intake, last, signal)
      if (outcome.is !== 'missing' || outcome.lastSeq === before || signal.aborted) return outcome
      before = outcome.lastSeq
    }
  }

  async #readOnce(
    session: SessionId,
    intake: SessionIntake,
    last: StoredMessage,
    signal: AbortSignal,
  ): Promise<IntakeOutcome> {
    const joiner = new FrameJoiner()
    const late = new AbortController()
    let undo = (): void => {}
    const wait = (): void => {
      undo()
      undo = this.#clock.after(REREAD_WITHIN_MS, () => late.abort())
    }
    let frames: Uint8Array[] = []
    let bytes = 0
    let refusal: Refusal | null = null
    let outcome: StoreOutcome = await this.#store(session, last.shard, [])
    // Of the frames that were read.
    let highestSeq = 0
    let nextSeq = 0
    // What is asked for lies before the place only if the history lost what it had, as after restoring a backup.
    const after = intake.sequence ?? Infinity
    const from = after < last.sequence ? { sequence: after + 1 } : ({ at: 'first' } as const)
    wait()
    try {
      const messages = this.#log.read({
        shard: last.shard,
        session,
        from,
        signal: AbortSignal.any([signal, late.signal]),
      })
      for await (const message of messages) {
        wait()
        if (!join(joiner, message.bytes, frames)) refusal = refusalOf(message.bytes)
        bytes += message.bytes.length
        const isLast = message.pending === 0
        if (!isLast && bytes < this.#storeBytes && refusal === null) continue
        // A recorder that lost its place may have published later frames before earlier ones.
        outcome = await this.#store(session, last.shard, frames.toSorted(byFirstSeq))
        if (outcome.is === 'stored' && refusal !== null)
          return { is: 'refused', lastSeq: outcome.lastSeq, refusal, frame: message.bytes }
        if (outcome.is !== 'stored' && outcome.is !== 'missing') return outcome
        for (const frame of frames) highestSeq = Math.max(highestSeq, lastSeqOf(frame))
        if (outcome.is === 'missing') ({ nextSeq } = outcome)
        if (isLast) {
          const { lastSeq } = outcome
          // Those that came before what they follow weren't stored with it.
          if (lastSeq < highestSeq) return { is: 'missing', lastSeq, nextSeq }
          return lastSeq < (joiner.joining?.lastSeq ?? 0) ? { is: 'incomplete', lastSeq } : outcome
        }
        frames = []
        bytes = 0
      }
    } finally {
      undo()
    }
    if (late.signal.aborted)
      throw new CodedError('timeout', `Reading session ${session} from the log again took too long.`)
    return outcome
  }

  async #settle(session: SessionId, intake: SessionIntake, last: StoredMessage, outcome: IntakeOutcome): Promise<void> {
    if (outcome.is === 'unknown') {
      // Not one is acknowledged: a new archiver doesn't know of this session, and has only its deliveries.
      await this.#again(intake, Infinity)
      this.#events.onWaiting(session, `Nobody has described session ${session} yet.`, null)
      return
    }
    const { lastSeq } = outcome
    if (lastSeq > 0) await this.#events.onCommitted(session, lastSeq)
    if (outcome.is === 'stored') intake.isBehind = false
    if (!intake.isBehind) intake.wakesAt = Infinity
    const { wakesAt } = intake
    // What can't be read made the log be read to its end.
    const isStored = (seq: number) => seq <= lastSeq || (Number.isNaN(seq) && outcome.is === 'stored')
    const isDone = (one: Pending) => isStored(one.lastSeq) && (!intake.isBehind || one.delivery.sequence > wakesAt)
    const committed = intake.pending.filter(isDone)
    intake.pending = intake.pending.filter((one) => !isDone(one))
    if (outcome.is === 'stored' && intake.pending.length === 0) intake.sequence = last.sequence
    await this.#events.beforeAck?.()
    await Promise.all(committed.map(({ delivery }) => delivery.ack()))
    if (lacksFrames(outcome))
      await this.#again(intake, Math.min(intake.wakesAt, ...intake.pending.map(({ delivery }) => delivery.sequence)))
    if (outcome.is === 'missing') {
      const missing = `Seq ${lastSeq + 1} to ${outcome.nextSeq - 1} of session ${session}`
      const why = `${missing} are missing from the log. Waiting for the recorder to publish them.`
      this.#events.onWaiting(session, why, lastSeq)
    }
    if (outcome.is === 'refused') {
      // A newer format isn't a fault of the frame.
      if (outcome.refusal.code !== 'newer' && outcome.refusal.code !== 'no-zstd')
        await this.#archive.quarantine(session, last.shard, outcome.refusal, outcome.frame)
      throw new ShardStopped(session, outcome.refusal)
    }
  }

  /** Takes nothing of the session for a while. `wakesAt`: see SessionIntake. */
  async #again(intake: SessionIntake, wakesAt: number): Promise<void> {
    const deliveries = intake.pending.map(({ delivery }) => delivery)
    intake.pending = []
    intake.joiner.drop()
    intake.retryAtMs = this.#nowMs() + this.#retryMs / 2
    intake.wakesAt = wakesAt
    await this.#postpone(intake, deliveries)
  }

  /**
   * Asks for the oldest delivery of a session again, and acknowledges the others: they are read from the log with it.
   * Servers deliver only so much that isn't acknowledged, so a session that never gets what it lacks would keep all others
   * of its shard from being archived.
   */
  async #postpone(intake: SessionIntake, deliveries: readonly Delivery[]): Promise<void> {
    const others = deliveries.filter(({ sequence }) => sequence > intake.wakesAt)
    for (const delivery of deliveries) if (delivery.sequence <= intake.wakesAt) delivery.retry(this.#retryMs)
    if (others.length > 0) intake.isBehind = true
    await Promise.all(others.map((delivery) => delivery.ack()))
  }

  #nowMs(): number {
    return this.#clock.monoNs() / 1e6
  }
}

/** Whether the session goes on in the log with what can't be stored yet. */
const lacksFrames = ({ is }: IntakeOutcome): boolean => is === 'missing' || is === 'incomplete'

/** Adds a message to a joiner; appends the frame it completes. Returns whether the message could be read. */
function join(joiner: FrameJoiner, bytes: Uint8Array, frames: Uint8Array[]): boolean {
  let outcome = joiner.add(bytes)
  if (outcome.is === 'other') {
    // A publisher that lost its place bundles otherwise than before.
    joiner.drop()
    outcome = joiner.add(bytes)
  }
  if (outcome.is === 'frame') frames.push(outcome.bytes)
  return outcome.is !== 'refused'
}

const readSpan = (bytes: Uint8Array) => (isPart(bytes) ? readPart(bytes) : readHeader(bytes))

/**
 * Whether the log may have more of an open session than the history, by the session's last message. That may be an earlier
 * frame, published again behind later ones that an archiver acknowledged without storing them.
 */
export const mustCatchUp = (last: StoredMessage, storedSeq: number, acknowledged: number): boolean =>
  lastSeqOf(last.bytes) > storedSeq || acknowledged < last.sequence

/** The last seq of a frame or part; NaN if it can't be read. */
function lastSeqOf(bytes: Uint8Array): number {
  const read = readSpan(bytes)
  return read.ok ? read.value.lastSeq : NaN
}

const byFirstSeq = (a: Uint8Array, b: Uint8Array): number => firstSeqOf(a) - firstSeqOf(b)

function firstSeqOf(frame: Uint8Array): number {
  const header = readHeader(frame)
  return header.ok ? header.value.firstSeq : 0 // joined frames have a header
}

function refusalOf(bytes: Uint8Array): Refusal {
  const read = readSpan(bytes)
  return read.ok ? { code: 'conflicting-part', message: 'A part of its frame contradicts another one.' } : read.refusal
}
