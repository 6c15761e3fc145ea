/** Compares what was received of a session with what its recorder signed. */
import type { SessionId } from '../../../../shared/base/units.ts'
import type { ChainHeads } from '../frame/frame.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { SessionEnd } from '../session-info.ts'
import { checkSignature, decodeEndSignature, type SignedSession } from './signature.ts'

/** What is wrong with the signature of the chains at a seq, such as "the signature at …"; null: nothing, or there is none. */
export function findForgery(
  of: SignedSession,
  signature: Uint8Array | null,
  seq: number,
  heads: ChainHeads,
): string | null {
  const check = signature === null ? null : checkSignature(signature, of, { seq, heads })
  return check?.is === 'wrong' ? `the signature at seq ${seq} ${check.why}` : null
}

/** The same for the end of a session. `heads`: its chains at the end. */
export function findForgedEnd(of: SignedSession, end: SessionEnd, heads: ChainHeads): string | null {
  if (end.signature === undefined) return null
  const check = checkSignature(decodeEndSignature(end.signature), of, { seq: end.lastSeq, heads, end })
  return check.is === 'wrong' ? `the signature of its end ${check.why}` : null
}

/** Why what was received is refused. `why`: of one of the above. */
export const forgeryRefusal = (session: SessionId, why: string): Refusal => ({
  code: 'bad-signature',
  message: `Session ${session} isn’t what its recorder signed: ${why}.`,
})
