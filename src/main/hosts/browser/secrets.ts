/**
 * Who may talk to the browser host: one-time tokens, and the in-memory secrets they are exchanged for.
 * Only digests are stored and compared, so neither timing nor a memory dump reveals a secret. Pure except
 * for the random source and clock passed in.
 */
import { createHash } from 'node:crypto'

export interface SecretsOptions {
  /** Cryptographically random bytes as URL-safe text. */
  readonly random: () => string
  /** Monotonic milliseconds. */
  readonly nowMs: () => number
  /** How long an unused token works, ms; default: as long as the host. */
  readonly tokenLifeMs?: number
}

/** What became of a token or secret. */
export type Admission =
  | { readonly is: 'admitted'; readonly secret: string }
  | { readonly is: 'used' }
  | { readonly is: 'expired' }
  | { readonly is: 'unknown' }

export interface Secrets {
  /** Creates a token for one address. */
  mint(): string
  /** Exchanges a token for a secret, once. The only second exchange is the one `giveBack` allows. */
  exchange(token: string): Admission
  /**
   * The page that exchanged the token left before it sent anything, so it may have been reloaded before it stored
   * its secret. Allows one more exchange within `GIVE_BACK_WITHIN_MS` of the first. That exchange revokes the first
   * secret: a token never has two valid ones.
   */
  giveBack(token: string): void
  /** Admits a secret issued earlier. Its holder already has it, so the token can't be exchanged again. */
  recall(secret: string): Admission
}

const MAX_KEPT = 256
/** A reload gets here within a second or two; later, nobody needs a second exchange. */
export const GIVE_BACK_WITHIN_MS = 10_000

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

interface Token {
  readonly untilMs: number
  /** Set by the first exchange; `secret` is the digest of the one secret that is valid. */
  issued?: { secret: string; readonly atMs: number }
  givenBack: 'not yet' | 'open' | 'over'
}

/** Stores an entry and drops the oldest one beyond the bound: a Map keeps insertion order. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest)
}

/** Starts without any token: `mint` creates the first. */
export function createSecrets({ random, nowMs, tokenLifeMs = Infinity }: SecretsOptions): Secrets {
  const tokens = new Map<string, Token>()
  /** Each valid secret's digest, with the token it came from. */
  const secrets = new Map<string, Token>()

  function issue(token: Token): Admission {
    const secret = random()
    token.issued = { secret: digest(secret), atMs: nowMs() }
    keep(secrets, token.issued.secret, token)
    return { is: 'admitted', secret }
  }

  return {
    mint() {
      const token = random()
      keep(tokens, digest(token), { untilMs: nowMs() + tokenLifeMs, givenBack: 'not yet' })
      return token
    },
    exchange(shown) {
      const token = tokens.get(digest(shown))
      if (!token) return { is: 'unknown' }
      if (token.issued) {
        const inTime = nowMs() - token.issued.atMs <= GIVE_BACK_WITHIN_MS
        if (token.givenBack !== 'open' || !inTime) return { is: 'used' }
        token.givenBack = 'over'
        secrets.delete(token.issued.secret)
        return issue(token)
      }
      if (nowMs() > token.untilMs) return { is: 'expired' }
      return issue(token)
    },
    giveBack(shown) {
      const token = tokens.get(digest(shown))
      if (token?.givenBack === 'not yet') token.givenBack = 'open'
    },
    recall(secret) {
      const token = secrets.get(digest(secret))
      if (!token) return { is: 'unknown' }
      token.givenBack = 'over'
      return { is: 'admitted', secret }
    },
  }
}
