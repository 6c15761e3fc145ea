/** Checks the signatures of a followed session, and says why a session without a trusted signature isn't followed. */
import type { SessionEnd, SessionInfo } from '../session-info.ts'
import { contentBytes } from '../frame/encode.ts'
import type { ChainHeads, CommittedFlush } from '../frame/frame.ts'
import type { Refusal } from '../frame/refusal.ts'
import { AuthorshipCheck, type StoredSignature, type TrustedKeys } from '../sign/authorship.ts'
import { findForgedEnd, forgeryRefusal } from '../sign/forgery.ts'
import { checkSignature, decodeEndSignature, type SignedSession } from '../sign/signature.ts'
import { lastSeqOf } from '../frame/seqs.ts'
import type { PieceTime } from './session-model.ts'

/** Recorders sign every minute. After frames have come for this long without a signature, nothing more is stored, ms. */
export const UNSIGNED_MS = 300_000
/** The most that counts between two frames, ms. In a longer pause, this program may have slept or nothing was sent. */
const STEP_MS = 5_000
/**
 * The same in bytes, for a log whose clock stands still. Recorders sign every 8 MiB; those of earlier versions only every
 * minute, in which no server takes as much as this.
 */
const UNSIGNED_BYTES = 1 << 30
/** The most that waits in memory for a signature: several times what a recorder publishes without one, bytes. */
const MAX_HELD_BYTES = 64 << 20

/** Verified flushes that follow the copy. */
export interface ProvenPiece {
  /** Where they begin. */
  readonly before: { readonly lastSeq: number; readonly heads: ChainHeads }
  readonly flushes: readonly CommittedFlush[]
  /** Of chains in or after the flushes. */
  readonly signatures: readonly StoredSignature[]
  /** When they were published; null: they are of the history, and count only as far as they are signed. */
  readonly time: PieceTime | null
}

export type Verdict =
  | { readonly ok: false; readonly refusal: Refusal }
  /** The first `proven` flushes, and all before them, may be stored. What is left waits for a signature. */
  | { readonly ok: true; readonly proven: number }

/** Who signed a session, as far as this terminal has seen. */
export interface SessionSigner {
  readonly key: string
  /** The name of a trusted key; null: the key isn't trusted, or no trusted keys are set. */
  readonly name: string | null
  readonly signedSeq: number
}

export class SessionProof {
  readonly #trusted: TrustedKeys | null
  #signer: SessionSigner | null = null
  /** Whether nothing is stored before the next signature. */
  #isHolding = false
  #heldBytes = 0
  #unsignedMs = 0
  #unsignedBytes = 0
  #last: PieceTime | null = null

  /** `trusted` null: accepts everything that isn't forged. */
  constructor(trusted: TrustedKeys | null) {
    this.#trusted = trusted
  }

  /** The newest valid signature; null: none was seen. */
  get signer(): SessionSigner | null {
    return this.#signer
  }

  /** Why nothing of a session is stored; null: it may be. */
  refuseSession({ session, recorder, key }: SessionInfo): Refusal | null {
    if (this.#trusted === null) return null
    if (key === undefined) return notSigned(`Session ${session} of recorder ${recorder} isn’t signed.`)
    return this.#trusted.has(key) ? null : byStranger(`Session ${session} of recorder ${recorder}`, key)
  }

  /** The copy was opened. Nothing waits any more, and of a copy without content, nothing is proven. */
  opened(lastSeq: number): void {
    this.#isHolding = this.#trusted !== null && lastSeq === 0
    this.#heldBytes = 0
  }

  /** What of a piece may be stored. */
  take(of: SignedSession, { before, flushes, signatures, time }: ProvenPiece): Verdict {
    let covered = 0
    if (signatures.length > 0) {
      const check = new AuthorshipCheck(of, signatures)
      check.skipTo(before.lastSeq, before.heads)
      check.take(flushes)
      const [forged] = check.faults
      if (forged !== undefined) return { ok: false, refusal: forgeryRefusal(of.session, forged) }
      const { keys, signedSeq } = check.authorship(this.#trusted, false)
      for (const { key } of keys) {
        const refusal = this.#signed(of, key, signedSeq)
        if (refusal !== null) return { ok: false, refusal }
      }
      covered = flushes.findLastIndex(({ batch }) => lastSeqOf(batch) <= signedSeq) + 1
    }
    return this.#trusted === null ? { ok: true, proven: flushes.length } : this.#judge(of, flushes, covered, time)
  }

  /** Why a session's copy isn't closed; null: it may be. `heads`: its chains at the end. */
  refuseEnd(of: SignedSession, end: SessionEnd, heads: ChainHeads): Refusal | null {
    const forged = findForgedEnd(of, end, heads)
    if (forged !== null) return forgeryRefusal(of.session, forged)
    const { signature, lastSeq: seq } = end
    const check =
      signature === undefined ? null : checkSignature(decodeEndSignature(signature), of, { seq, heads, end })
    if (check?.is === 'good') return this.#signed(of, check.key, seq)
    if (this.#trusted === null) return null
    return { ...unsignedSince, message: `The end of session ${of.session} of recorder ${of.recorder} isn’t signed.` }
  }

  /** Judges verified flushes of which the first `covered` are signed. */
  #judge(of: SignedSession, flushes: readonly CommittedFlush[], covered: number, time: PieceTime | null): Verdict {
    const rest = flushes.slice(covered)
    if (rest.length === 0) return { ok: true, proven: covered }
    const bytes = contentBytes(rest)
    const isTooMuch = this.#isHolding ? this.#heldBytes > MAX_HELD_BYTES : this.#unsignedBytes > UNSIGNED_BYTES
    if (isTooMuch || this.#isTooLong(time)) return { ok: false, refusal: this.#unsigned(of) }
    this.#unsignedBytes += bytes
    // Those of the log follow at once what is proven, or nothing would be live.
    if (!this.#isHolding && time !== null) return { ok: true, proven: flushes.length }
    this.#isHolding = true
    this.#heldBytes += bytes
    return { ok: true, proven: covered }
  }

  /**
   * Counts how long frames have come without a signature: by the clock of the log for what is read from it, and by this
   * program's for what arrives, before it is verified. How long verifying takes doesn't count.
   */
  #isTooLong(time: PieceTime | null): boolean {
    const last = this.#last
    this.#last = time
    if (time === null || last?.clock !== time.clock) return false
    this.#unsignedMs += Math.min(STEP_MS, Math.max(0, time.ms - last.ms))
    return this.#unsignedMs > UNSIGNED_MS
  }

  #unsigned({ session, recorder }: SignedSession): Refusal {
    const what = `Session ${session} of recorder ${recorder}`
    return this.#signer === null
      ? notSigned(`${what} isn’t signed.`)
      : { ...unsignedSince, message: `${what} isn’t signed after seq ${this.#signer.signedSeq}.` }
  }

  #signed({ session, recorder }: SignedSession, key: string, signedSeq: number): Refusal | null {
    const name = this.#trusted?.get(key) ?? null
    if (this.#trusted !== null && name === null) return byStranger(`Session ${session} of recorder ${recorder}`, key)
    this.#signer = { key, name, signedSeq }
    this.#isHolding = false
    this.#heldBytes = 0
    this.#unsignedMs = 0
    this.#unsignedBytes = 0
    this.#last = null
    return null
  }
}

const notSigned = (message: string): Refusal => ({
  code: 'bad-signature',
  message,
  hint: 'Update its recorder. To follow unsigned sessions, remove the trusted keys (--trust, or Settings → Team).',
})

const byStranger = (what: string, key: string): Refusal => ({
  code: 'bad-signature',
  message: `${what} is signed by a stranger, ${key}.`,
  hint: 'A recorder prints its key when it starts. If it is this one, add it to the trusted keys (--trust, or Settings → Team).',
})

const unsignedSince = {
  code: 'bad-signature',
  hint: 'Its recorder signs every minute, so somebody else may publish in its name. Messages stored after its last signature aren’t proven. Ask the team’s operator.',
} as const satisfies Omit<Refusal, 'message'>
