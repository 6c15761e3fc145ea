/** Why a receiver refuses a frame. Frames come from a network, so every fault is an outcome, never an exception. */
import { CodedError } from '../../../../shared/base/errors.ts'

export type RefusalCode =
  /** No frame or part at all. */
  | 'not-a-frame'
  /** Written by a newer Tapedeck. */
  | 'newer'
  /** This Node can't decompress it. */
  | 'no-zstd'
  /** Longer or shorter than its header says. */
  | 'wrong-length'
  /** The bytes don't match their checksum. */
  | 'checksum'
  | 'too-large'
  /** Its content doesn't decode. */
  | 'malformed'
  /** Its messages and entries don't cover its seqs, each once. */
  | 'wrong-order'
  /** Its messages or entries don't match its hash chain. */
  | 'chain-mismatch'
  /** Its signature doesn't match its heads. */
  | 'bad-signature'
  /** It doesn't follow what the receiver has of the session. */
  | 'not-next'
  /** A part that differs from one with the same place in the same frame. */
  | 'conflicting-part'

export interface Refusal {
  readonly code: RefusalCode
  /** One sentence. */
  readonly message: string
  /** What to do about it, where there is something to do. */
  readonly hint?: string
}

export type FrameResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal }

/** Carries a refusal out of nested decoding. It never leaves this folder. */
export class FrameError extends Error {
  readonly refusal: Refusal

  constructor(code: RefusalCode, message: string, hint?: string) {
    super(message)
    this.refusal = hint === undefined ? { code, message } : { code, message, hint }
  }
}

export const malformed = (what: string): FrameError =>
  new FrameError('malformed', `The frame is corrupt: its ${what} can't be read.`)

export const newer = (what: string): FrameError =>
  new FrameError('newer', `The frame was written by a newer Tapedeck: ${what}.`, 'Update Tapedeck on this machine.')

/** Runs a decoder. Bytes that end too early refuse as malformed; any other error is a bug and is thrown on. */
export function asResult<T>(decode: () => T): FrameResult<T> {
  try {
    return { ok: true, value: decode() }
  } catch (thrown) {
    if (thrown instanceof FrameError) return { ok: false, refusal: thrown.refusal }
    if (thrown instanceof CodedError && thrown.code === 'store-damaged')
      return { ok: false, refusal: malformed('content').refusal }
    throw thrown
  }
}
