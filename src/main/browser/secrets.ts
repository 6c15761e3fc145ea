/**
 * Who may speak to the browser host: one-time tokens, and the in-memory secrets they are exchanged
 * for. Only digests are kept and compared, so neither time nor a dump tells a secret. Pure but for
 * the random bytes and clock handed in.
 */
import { createHash } from 'node:crypto'

export interface SecretsOptions {
  /** Cryptographically random bytes as URL-safe text. */
  readonly random: () => string
  readonly nowMs: () => number
  /** How long an unused token lives; default: as long as the host. */
  readonly tokenLifeMs?: number
}

/** What became of a token or secret. */
export type Admission =
  | { readonly is: 'admitted'; readonly secret: string }
  | { readonly is: 'used' }
  | { readonly is: 'expired' }
  | { readonly is: 'unknown' }

export interface Secrets {
  /** A fresh token for one address. */
  mint(): string
  /** Exchanges a token, once. */
  exchange(token: string): Admission
  /** The page that exchanged it has gone before it said anything: it may never have got its secret, and shows it again. */
  giveBack(token: string): void
  /** Knows a secret again. */
  recall(secret: string): Admission
}

const MAX_KEPT = 256

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Forgets the oldest beyond the bound: a Map keeps insertion order. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest)
}

/** Starts with no token at all: `mint` makes the first. */
export function createSecrets({ random, nowMs, tokenLifeMs = Infinity }: SecretsOptions): Secrets {
  const tokens = new Map<string, { readonly untilMs: number; used: boolean }>()
  const secrets = new Map<string, true>()
  return {
    mint() {
      const token = random()
      keep(tokens, digest(token), { untilMs: nowMs() + tokenLifeMs, used: false })
      return token
    },
    exchange(token) {
      const known = tokens.get(digest(token))
      if (!known) return { is: 'unknown' }
      if (known.used) return { is: 'used' }
      if (nowMs() > known.untilMs) return { is: 'expired' }
      known.used = true
      const secret = random()
      keep(secrets, digest(secret), true)
      return { is: 'admitted', secret }
    },
    giveBack(token) {
      const known = tokens.get(digest(token))
      if (known) known.used = false
    },
    recall(secret) {
      return secrets.has(digest(secret)) ? { is: 'admitted', secret } : { is: 'unknown' }
    },
  }
}
