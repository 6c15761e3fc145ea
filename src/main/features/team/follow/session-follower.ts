/** Follows one session of a team: runs the effects of its state machine on the log, the history and the local copy. */
import { teamSource } from '../../../../shared/core/recording/recording.ts'
import { unixMs, type RecordingId, type UnixMs } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import type { StoreReplicas } from '../../../core/store/types/replica.ts'
import { readHeader } from '../frame/decode.ts'
import type { ChainHeads, CommittedFlush } from '../frame/frame.ts'
import { FrameJoiner } from '../frame/parts.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { LogMessage, LogStart, TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import { readLog } from './read-log.ts'
import type { Piece, SessionEffect, SessionEvent, SessionState } from './session-model.ts'
import { isOver, MAX_WAITING_BYTES, newSessionState, reduceSession } from './session-state.ts'
import { copyOf, headsOf, pieceOfFlushes, reasonOf, stopReason } from './pieces.ts'
import { verifyPiece } from './verify-piece.ts'

/** Bytes of pieces that are stored with one append. */
const APPEND_BYTES = 1 << 20
/** A recorder's clock may be behind the log's by this much, ms. */
const CLOCK_MARGIN_MS = 600_000

/** The history of the team, as far as a follower reads it. */
export interface SessionHistory {
  flushes(session: RecordingId, afterSeq: number): AsyncIterable<readonly CommittedFlush[]>
}

export interface FollowerParts {
  readonly team: string
  readonly log: Pick<TeamLog, 'lastOf' | 'read'>
  readonly history: SessionHistory | null
  /** Rejects while the store can't be written. */
  readonly replicas: () => Promise<StoreReplicas>
  /** When the last message of the local copy was received, UTC ms; null if unknown. */
  readonly lastReceived: (session: RecordingId, lastSeq: number) => Promise<UnixMs | null>
  /** Called in seq order with flushes that are durable in the local copy. */
  readonly show: (session: SessionInfo, flushes: readonly CommittedFlush[]) => void
  /** The phase or the session's description changed. */
  readonly changed: () => void
  readonly clock: Clock
  readonly report: (level: 'info' | 'warn' | 'error', text: string, detail?: string) => void
}

export class SessionFollower {
  readonly #parts: FollowerParts
  #info: SessionInfo
  #state: SessionState
  #heads: ChainHeads = new Map()
  /** Last seq that `#heads` covers. */
  #verifiedSeq = 0
  #queue: Piece[] = []
  #isStoring = false
  /** Increases when the local copy is opened again: what an earlier append reports no longer counts. */
  #generation = 0
  #live = new FrameJoiner()
  #reading: AbortController | null = null
  /** Where to continue in the log. */
  #from: LogStart = { at: 'first' }
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
    this.#run(effects)
    if (info.end !== null) this.#send({ is: 'closed', lastSeq: info.end.lastSeq })
  }

  get info(): SessionInfo {
    return this.#info
  }

  get state(): SessionState {
    return this.#state
  }

  /** The session's description changed. */
  update(info: SessionInfo): void {
    const isEnd = info.end !== null && this.#info.end === null
    this.#info = info
    if (isEnd && info.end !== null) this.#send({ is: 'closed', lastSeq: info.end.lastSeq })
    this.#parts.changed()
  }

  setConnected(isConnected: boolean): void {
    this.#live = new FrameJoiner()
    this.#send({ is: isConnected ? 'connected' : 'disconnected' })
  }

  /** A frame or part arrived live. */
  receive({ bytes }: LogMessage): void {
    const piece = this.#join(this.#live, bytes)
    if (piece !== null) this.#send({ is: 'frame', piece })
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
    this.#queue = []
    while (this.#isStoring) await new Promise<void>((resolve) => void (this.#stored = resolve))
  }

  #stored = (): void => undefined

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
          void this.#open()
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
          this.#queue.push(effect.piece)
          void this.#store()
          break
        case 'end':
          void this.#end()
          break
        case 'retry-after':
          this.#cancelRetry()
          this.#cancelRetry = this.#parts.clock.after(effect.ms, () => this.#send({ is: 'retry' }))
          break
      }
    }
  }

  async #open(): Promise<void> {
    const { session, shard, startedMs, recorder } = this.#info
    const generation = ++this.#generation
    this.#queue = []
    try {
      const source = teamSource(this.#parts.team, shard)
      const from = `recorder ${recorder} of team ${this.#parts.team}`
      const replicas = await this.#parts.replicas()
      const copy = await replicas.open({ id: session, source, startedMs, from })
      if (this.#from !== null && 'at' in this.#from && copy.lastSeq > 0) {
        const atMs = await this.#parts.lastReceived(session, copy.lastSeq)
        if (atMs !== null) this.#from = { sinceMs: unixMs(atMs - CLOCK_MARGIN_MS) }
      }
      if (generation !== this.#generation) return
      this.#heads = new Map(
        [...copy.heads].map(([conn, { head, messages }]) => [conn, { head, messages: conn === 0 ? 0 : messages }]),
      )
      this.#verifiedSeq = copy.lastSeq
      this.#send({ is: 'opened', lastSeq: copy.lastSeq, isComplete: copy.isComplete })
    } catch (thrown) {
      if (generation === this.#generation) this.#refuse(thrown)
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
    for await (const message of readLog(this.#parts.log, { shard, session, fromSeq, from: this.#from, signal })) {
      if (signal.aborted) return
      const piece = this.#join(joiner, message.bytes)
      if (piece === null) continue
      this.#send({ is: 'read', piece })
      if (signal.aborted) return
      this.#from = { sequence: message.sequence }
      await this.#room(signal)
    }
  }

  async #readHistory(fromSeq: number, signal: AbortSignal): Promise<void> {
    for await (const flushes of this.#parts.history?.flushes(this.#info.session, fromSeq - 1) ?? []) {
      if (signal.aborted) return
      const piece = pieceOfFlushes(flushes)
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

  #join(joiner: FrameJoiner, bytes: Uint8Array): Piece | null {
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
    return { firstSeq, lastSeq, bytes: outcome.bytes.length, data: { is: 'frame', bytes: outcome.bytes } }
  }

  /** Verifies and stores what is queued, a bundle at a time, then shows it. */
  async #store(): Promise<void> {
    if (this.#isStoring) return
    this.#isStoring = true
    try {
      while (this.#queue.length > 0 && !this.#isClosed && !isOver(this.#state)) {
        const generation = this.#generation
        try {
          await this.#storeBundle(generation)
        } catch (thrown) {
          if (generation === this.#generation) this.#refuse(thrown)
        }
      }
    } finally {
      this.#isStoring = false
      this.#stored()
    }
  }

  async #storeBundle(generation: number): Promise<void> {
    const { session } = this.#info
    const flushes: CommittedFlush[] = []
    let bytes = 0
    let [heads, lastSeq] = [this.#heads, this.#verifiedSeq]
    let refusal: Refusal | null = null
    while (this.#queue.length > 0 && (bytes === 0 || bytes + this.#queue[0].bytes <= APPEND_BYTES)) {
      const [piece] = this.#queue.splice(0, 1)
      const verified = verifyPiece({ session, lastSeq, heads }, piece)
      if (!verified.ok) {
        refusal = verified.refusal
        break
      }
      bytes += piece.bytes
      flushes.push(...verified.value.flushes)
      heads = verified.value.heads
      lastSeq = Math.max(lastSeq, piece.lastSeq)
    }
    if (flushes.length > 0) {
      const replicas = await this.#parts.replicas()
      await replicas.append(
        session,
        flushes.map(({ batch }) => copyOf(batch)),
        headsOf(flushes),
      )
      if (generation !== this.#generation) return
      this.#heads = heads
      this.#verifiedSeq = lastSeq
      this.#parts.show(this.#info, flushes)
    }
    if (bytes > 0) this.#send({ is: 'stored', seq: lastSeq, bytes })
    if (refusal !== null) {
      this.#queue = []
      this.#send({ is: 'refused', why: stopReason(refusal), final: true })
    }
  }

  async #end(): Promise<void> {
    const { session, end } = this.#info
    if (end === null) return
    try {
      const { endedMs, clean, heads } = end
      const replicas = await this.#parts.replicas()
      await replicas.end(session, { endedMs, clean, heads })
      this.#send({ is: 'copy-ended' })
    } catch (thrown) {
      this.#refuse(thrown)
    }
  }

  #refuse(thrown: unknown): void {
    this.#queue = []
    const why = reasonOf(thrown)
    // Chains that differ, or another session under this id: trying again can't help.
    this.#send({ is: 'refused', why, final: why.code === 'store-damaged' || why.code === 'not-allowed' })
  }

  #reportPhase({ phase }: SessionState): void {
    const { session } = this.#info
    if (phase.is === 'stopped')
      this.#parts.report('error', `Stopped following session ${session}: ${phase.why.message}`, phase.why.hint) // prettier-ignore
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
