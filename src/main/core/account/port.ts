/** What the feeds need of the credentials: a token, and another one when it was refused. */
import type { UnixMs } from '../../../shared/base/units.ts'

export interface Token {
  /** Goes into the Authorization header and nowhere else. */
  readonly access: string
  /** Local wall time of its end; null where the token does not say. */
  readonly expiresMs: UnixMs | null
}

export interface TokenSource {
  /** A token that has not expired. Rejects with a `CodedError`. */
  get(): Promise<Token>
  /**
   * The service refused `refused`: asks for another. Many callers share one request, and a caller
   * whose token was already replaced gets the newer one. Rejects with a `CodedError`.
   */
  renew(refused: Token): Promise<Token>
}
