/** Follows one session of a team: runs the effects of its state machine on the log and the history. */
import { unixMs, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import { readHeader } from '../frame/decode.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import { FrameJoiner } from '../frame/parts.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { LogMessage, LogStart, TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import type { StoredSignature } from '../sign/authorship.ts'
import { LogPlaces } from './log-places.ts'
import { readLog } from './read-log.ts'
import { SessionCopy, type CopyParts } from './session-copy.ts'
import type { Piece, PieceTime, SessionEffect, SessionEvent, SessionState } from './session-model.ts'
import { SessionProof, type SessionSigner } from './session-proof.ts'
import { isOver, MAX_WAITING_BYTES, newSessionState, reduceSession } from './session-state.ts'
import { pieceOfFlushes, reasonOf } from './pieces.ts'

/** A recorder's clock may be behind the log's by this much, ms. */
const CLOCK_MARGIN_MS = 600_000

/** The history of the team, as far as a follower reads it. */
export interface SessionHistory {
  flushes(session: SessionId, afterSeq: number): AsyncIterable<readonly CommittedFlush[]>
  /** The signatures of a session, oldest first. */
  signatures(session: SessionId): Promise<readonly StoredSignature[]>
}

export interface FollowerParts extends CopyParts {
  readonly log: Pick<TeamLog, 'lastOf' | 'read'>
  readonly history: SessionHistory | null
  /** The phase or the session's description changed. */
  readonly changed: () => void
  readonly clock: Clock
  readonly report: (level: 'info' | 'warn' | 'error', text: string, detail?: string) => void
}

export class SessionFollower {
  readonly #parts: FollowerParts
  #info: SessionInfo
  #state: SessionState
  readonly #copy: SessionCopy
  readonly #proof: SessionProof
  #live = new FrameJoiner()
  #reading: AbortController | null = null
  readonly #places = new LogPlaces()
  #wakeReader = (): void => undefined
  #cancelRetry = (): void => undefined
  #isClosed = false
  /** Why it waits, as reported last. */
  #reported = ''

  constructor(parts: FollowerParts, info: SessionInfo, isConnected: boolean) {
    this.#parts = parts
    this.#info = info
    const [state, effects] = newSessionState({ isConnected, hasHistory: parts.history !== null })
    this.#state = state
    this.#proof = new SessionProof(parts.trusted)
    this.#copy = new SessionCopy({
      ...parts,
      proof: this.#proof,
      info: () => this.#info,
      isOver: () => isOver(this.#state),
      send: (event) => this.#send(event),
    })
    this.#run(effects)
    if (info.end !== null) this.#send({ is: 'closed', lastSeq: info.end.lastSeq })
  }

  /** When the last message was received that was here before it was followed, UTC ms; null: unknown. */
  get receivedMs(): UnixMs | null {
    return this.#copy.receivedMs
  }

  /** Who signed it, as far as this terminal has seen; null: nobody. */
  get signer(): SessionSigner | null {
    return this.#proof.signer
  }

  /** Whether what was received waits for a signature, because nothing of it is proven. */
  get isHeld(): boolean {
    return this.#copy.isHeld
  }

  get info(): SessionInfo {
    return this.#info
  }

  get state(): SessionState {
    return this.#state
  }

  /** The session's description changed. */
  update(info: SessionInfo): void {
    const { end } = this.#info
    // Servers that lost a session hear of it again as of one that is open. One that has ended stays so.
    this.#info = end === null ? info : { ...info, end }
    if (end === null && info.end !== null) {
      this.#send({ is: 'closed', lastSeq: info.end.lastSeq })
      void this.#copy.ended()
    }
    this.#parts.changed()
  }

  setConnected(isConnected: boolean): void {
    this.#live = new FrameJoiner()
    this.#send({ is: isConnected ? 'connected' : 'disconnected' })
  }

  /** A frame or part arrived live. */
  receive({ bytes, sequence }: LogMessage): void {
    const time: PieceTime = { clock: 'own', ms: this.#parts.clock.monoNs() / 1e6 }
    const piece = this.#join(this.#live, bytes, time)
    if (piece === null) return
    this.#send({ is: 'frame', piece })
    if (piece.lastSeq <= this.#state.takenSeq) this.#note(piece, sequence)
  }

  #note({ lastSeq }: Piece, sequence: number): void {
    this.#places.note({ lastSeq, sequence }, this.#state.storedSeq)
  }

  /** Asks the log for its last seq, because a live message that nothing follows can be lost without a trace. */
  async checkLog(): Promise<void> {
    if (this.#state.phase.is !== 'live') return
    const { shard, session } = this.#info
    const last = await this.#parts.log.lastOf(shard, session).catch(() => null)
    if (last === null || this.#isClosed) return
    const read = readHeader(last.bytes)
    if (read.ok) this.#send({ is: 'log-end', seq: read.value.lastSeq })
  }

  /** Resolves once nothing is being stored. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    this.#stopReading()
    await this.#copy.close()
  }

  #send(event: SessionEvent): void {
    if (this.#isClosed) return
    const before = this.#state
    const [state, effects] = reduceSession(before, event)
    this.#state = state
    if (state.phase !== before.phase) {
      this.#reportPhase(state)
      this.#parts.changed()
    }
    this.#run(effects)
    this.#wakeReader()
  }

  #run(effects: readonly SessionEffect[]): void {
    for (const effect of effects) {
      switch (effect.do) {
        case 'open':
          void this.#copy.open()
          break
        case 'read':
          this.#stopReading()
          this.#reading = new AbortController()
          void this.#read(effect.from, effect.fromSeq, this.#reading.signal)
          break
        case 'stop-reading':
          this.#stopReading()
          break
        case 'take':
          void this.#copy.take(effect.piece)
          break
        case 'end':
          void this.#copy.end()
          break
        case 'retry-after':
          this.#cancelRetry()
          this.#cancelRetry = this.#parts.clock.after(effect.ms, () => this.#send({ is: 'retry' }))
          break
      }
    }
  }

  #stopReading(): void {
    this.#reading?.abort()
    this.#reading = null
    this.#wakeReader()
  }

  async #read(from: 'log' | 'history', fromSeq: number, signal: AbortSignal): Promise<void> {
    try {
      if (from === 'log') await this.#readLog(fromSeq, signal)
      else await this.#readHistory(fromSeq, signal)
      if (!signal.aborted) this.#send({ is: 'read-end' })
    } catch (thrown) {
      if (!signal.aborted) this.#send({ is: 'read-failed', why: reasonOf(thrown) })
    }
  }

  async #readLog(fromSeq: number, signal: AbortSignal): Promise<void> {
    const { shard, session } = this.#info
    const joiner = new FrameJoiner()
    const from = this.#places.before(fromSeq - 1) ?? startAfter(this.#copy.receivedMs)
    for await (const message of readLog(this.#parts.log, { shard, session, fromSeq, from, signal })) {
      if (signal.aborted) return
      const piece = this.#join(joiner, message.bytes, { clock: 'log', ms: message.storedMs })
      if (piece === null) continue
      this.#send({ is: 'read', piece })
      if (signal.aborted) return
      this.#note(piece, message.sequence)
      await this.#room(signal)
    }
  }

  async #readHistory(fromSeq: number, signal: AbortSignal): Promise<void> {
    const { history } = this.#parts
    if (history === null) return
    const { session } = this.#info
    const signatures = await history.signatures(session)
    for await (const flushes of history.flushes(session, fromSeq - 1)) {
      if (signal.aborted) return
      const piece = pieceOfFlushes(flushes, signatures)
      if (piece === null) continue
      this.#send({ is: 'read', piece })
      await this.#room(signal)
    }
  }

  /** Waits until there is room for more. */
  async #room(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isClosed && this.#state.storingBytes > MAX_WAITING_BYTES / 2)
      await new Promise<void>((resolve) => void (this.#wakeReader = resolve))
  }

  #join(joiner: FrameJoiner, bytes: Uint8Array, time: PieceTime): Piece | null {
    let outcome = joiner.add(bytes)
    if (outcome.is === 'other') {
      // Parts of the frame before were lost. The log has them.
      joiner.drop()
      outcome = joiner.add(bytes)
    }
    if (outcome.is === 'refused') this.#reportRefusal(outcome.refusal)
    if (outcome.is !== 'frame') return null
    const header = readHeader(outcome.bytes)
    if (!header.ok) return null
    const { firstSeq, lastSeq } = header.value
    return { firstSeq, lastSeq, bytes: outcome.bytes.length, data: { is: 'frame', bytes: outcome.bytes, time } }
  }

  #reportPhase({ phase }: SessionState): void {
    const { session } = this.#info
    if (phase.is === 'stopped')
      this.#parts.report('error', `Stopped following session ${session}: ${phase.why.message}`, phase.why.hint) // oxfmt-ignore
    else if (phase.is === 'waiting' && phase.why.message !== this.#reported) {
      // Not again at each attempt.
      this.#reported = phase.why.message
      this.#parts.report('warn', `Can’t follow session ${session} at the moment: ${phase.why.message}`, phase.why.hint)
    } else if (phase.is === 'live') this.#reported = ''
    else if (phase.is === 'ended') this.#parts.report('info', `Session ${session} is complete.`)
  }

  #reportRefusal({ message, hint }: Refusal): void {
    this.#parts.report('warn', `Session ${this.#info.session}: ${message}`, hint)
  }
}

/** Where the log may have what was published after the last message of the local copy. */
const startAfter = (receivedMs: UnixMs | null): LogStart =>
  receivedMs === null ? { at: 'first' } : { sinceMs: unixMs(receivedMs - CLOCK_MARGIN_MS) }
