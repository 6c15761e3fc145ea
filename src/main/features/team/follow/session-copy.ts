/** The local copy of a followed session: verifies what was received of it, stores it, then shows it. */
import { teamSource } from '../../../../shared/core/recording/session.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { StoreReplicas } from '../../../core/store/types/replica.ts'
import type { ChainHeads, CommittedFlush } from '../frame/frame.ts'
import { lastSeqOf } from '../frame/seqs.ts'
import type { SessionInfo } from '../session-info.ts'
import type { TrustedKeys } from '../sign/authorship.ts'
import type { SignedSession } from '../sign/signature.ts'
import { copyOf, headsOf, reasonOf, stopReason } from './pieces.ts'
import type { Piece, SessionEvent } from './session-model.ts'
import type { SessionProof } from './session-proof.ts'
import { canEnd, inAppends, inTurns, verifyBundle, type VerifiedCopy } from './verify-bundle.ts'

export interface CopyParts {
  readonly team: string
  /** Public keys of the team's recorders; only what they signed is stored. Null: store everything that isn't forged. */
  readonly trusted: TrustedKeys | null
  /** Rejects while the store can't be written. */
  readonly replicas: () => Promise<StoreReplicas>
  /** When the last message of the local copy was received, UTC ms; null if unknown. */
  readonly lastReceived: (session: SessionId, lastSeq: number) => Promise<UnixMs | null>
  /** Called in seq order with flushes that are durable in the local copy. */
  readonly show: (session: SessionInfo, flushes: readonly CommittedFlush[]) => void
}

interface SessionCopyParts extends CopyParts {
  /** The session as it is described now. */
  readonly info: () => SessionInfo
  /** Whether the session needs nothing more. */
  readonly isOver: () => boolean
  /** Takes `opened`, `stored`, `copy-ended` and `refused`. */
  readonly send: (event: SessionEvent) => void
  readonly proof: SessionProof
}

export class SessionCopy {
  readonly #parts: SessionCopyParts
  #copy: VerifiedCopy
  /** Last durable seq. */
  #storedSeq = 0
  #queue: Piece[] = []
  #isStoring = false
  /** Increases when the copy is opened again: what an earlier append reports no longer counts. */
  #generation = 0
  #isOpened = false
  #isClosed = false
  #receivedMs: UnixMs | null = null
  #stored = (): void => undefined

  constructor(parts: SessionCopyParts) {
    this.#parts = parts
    this.#copy = startAt(parts.info().session, 0, new Map())
  }

  /** Whether what was received waits for a signature. */
  get isHeld(): boolean {
    return this.#copy.held.length > 0
  }

  /** When the last message was received that it had when it was opened first, UTC ms; null: unknown. */
  get receivedMs(): UnixMs | null {
    return this.#receivedMs
  }

  async open(): Promise<void> {
    const { team, info, lastReceived, replicas, send } = this.#parts
    const { session, shard, startedMs, epoch, recorder } = info()
    const generation = ++this.#generation
    this.#queue = []
    const refusal = this.#parts.proof.refuseSession(info())
    if (refusal !== null) return send({ is: 'refused', why: stopReason(refusal), final: true })
    try {
      const from = `recorder ${recorder} of team ${team}`
      const store = await replicas()
      const copy = await store.open({ id: session, source: teamSource(team, shard), startedMs, epoch, from })
      if (!this.#isOpened && copy.lastSeq > 0) this.#receivedMs = await lastReceived(session, copy.lastSeq)
      if (generation !== this.#generation) return
      this.#isOpened = true
      const heads = new Map(
        [...copy.heads].map(([conn, { head, messages }]) => [conn, { head, messages: conn === 0 ? 0 : messages }]),
      )
      this.#copy = startAt(session, copy.lastSeq, heads)
      this.#storedSeq = copy.lastSeq
      this.#parts.proof.opened(copy.lastSeq)
      send({ is: 'opened', lastSeq: copy.lastSeq, isComplete: copy.isComplete })
    } catch (thrown) {
      if (generation === this.#generation) this.#refuse(thrown)
    }
  }

  /** Verifies, stores and shows a piece, and those that are taken meanwhile, a bundle at a time. */
  async take(piece: Piece): Promise<void> {
    this.#queue.push(piece)
    await this.#store()
  }

  /** The session has an end now, which proves what waits for a signature. */
  async ended(): Promise<void> {
    await this.#store()
  }

  async #store(): Promise<void> {
    if (this.#isStoring) return
    this.#isStoring = true
    const hasWork = (): boolean => this.#queue.length > 0 || canEnd(this.#parts.info().end, this.#copy)
    try {
      while (hasWork() && !this.#isClosed && !this.#parts.isOver()) {
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
    const { info, proof, replicas, send, show } = this.#parts
    const { session } = info()
    const isStale = (): boolean => generation !== this.#generation || this.#isClosed
    const bundle = await verifyBundle(this.#signed(), this.#copy, this.#queue, proof, isStale)
    if (bundle === null) return
    const { flushes, bytes, refusal } = bundle
    for (const some of inAppends(flushes)) {
      const store = await replicas()
      await store.append(
        session,
        some.map(({ batch }) => copyOf(batch)),
        headsOf(some),
      )
      if (generation !== this.#generation) return
      this.#storedSeq = some.reduce((last, { batch }) => Math.max(last, lastSeqOf(batch)), this.#storedSeq)
      for await (const turn of inTurns(some)) if (!this.#isClosed) show(info(), turn)
    }
    this.#copy = bundle.copy
    // What waits for a signature is counted by the proof.
    if (bytes > 0 || flushes.length > 0) send({ is: 'stored', seq: this.#storedSeq, bytes })
    if (refusal !== null) {
      this.#queue = []
      send({ is: 'refused', why: stopReason(refusal), final: true })
    }
  }

  /** Closes the copy as its original was closed. */
  async end(): Promise<void> {
    const { info, proof, replicas, send } = this.#parts
    const { session, end } = info()
    if (end === null) return
    const refusal = proof.refuseEnd(this.#signed(), end, this.#copy.heads)
    if (refusal !== null) return send({ is: 'refused', why: stopReason(refusal), final: true })
    try {
      const { endedMs, clean, heads } = end
      const store = await replicas()
      await store.end(session, { endedMs, clean, heads })
      send({ is: 'copy-ended' })
    } catch (thrown) {
      this.#refuse(thrown)
    }
  }

  /** Resolves once nothing is being stored. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue = []
    while (this.#isStoring) await new Promise<void>((resolve) => void (this.#stored = resolve))
  }

  /** What its signatures cover. */
  #signed(): SignedSession & SessionInfo {
    return { ...this.#parts.info(), team: this.#parts.team }
  }

  #refuse(thrown: unknown): void {
    this.#queue = []
    const why = reasonOf(thrown)
    // Chains that differ, or another session under this id: trying again can't help.
    this.#parts.send({ is: 'refused', why, final: why.code === 'store-damaged' || why.code === 'not-allowed' })
  }
}

const startAt = (session: SessionId, lastSeq: number, heads: ChainHeads): VerifiedCopy => ({
  session,
  lastSeq,
  heads,
  held: [],
})
