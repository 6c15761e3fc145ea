/** When a recorder signs a session that it publishes. */
import type { SessionId } from '../../../../shared/base/units.ts'

/** How often a session is signed while it is being recorded, ms. Its end is signed, too. */
export const SIGN_EVERY_MS = 60_000
/**
 * The most that is published without a signature, bytes of content: a backlog passes in less than a minute, and terminals
 * with trusted keys keep in memory what they receive until it is signed.
 */
export const SIGN_EVERY_BYTES = 8 << 20

export class SigningSchedule {
  readonly #signed = new Map<SessionId, { readonly atMs: number; bytesSince: number }>()

  /** Whether what is published next has to be signed: the start of a session always is. `nowMs`: monotonic. */
  isDue(session: SessionId, nowMs: number): boolean {
    const last = this.#signed.get(session)
    return last === undefined || nowMs - last.atMs >= SIGN_EVERY_MS || last.bytesSince >= SIGN_EVERY_BYTES
  }

  /** All of what is published next is signed. */
  signed(session: SessionId, nowMs: number): void {
    this.#signed.set(session, { atMs: nowMs, bytesSince: 0 })
  }

  /** It isn't. `bytes`: of its content. */
  unsigned(session: SessionId, bytes: number): void {
    const last = this.#signed.get(session)
    if (last !== undefined) last.bytesSince += bytes
  }

  /** The log may not have what was signed, or the session is over. */
  forget(session: SessionId): void {
    this.#signed.delete(session)
  }
}
