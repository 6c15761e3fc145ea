/** The secrets that this process has used, so that they can be redacted from every text it writes, in any encoding. */
import { encodingsOf, SHORTEST } from './redaction.ts'

export interface KnownSecrets {
  note(secret: string | null | undefined): void
  /** Each secret in every encoding that a text may contain, longest first. */
  variants(): readonly string[]
}

/** More secrets than an account has at a time; a long run uses many tokens. */
const KEPT = 64

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>()
  let variants: readonly string[] | null = null
  return {
    note(secret) {
      if (secret === null || secret === undefined || secret.length < SHORTEST || known.has(secret)) return
      known.add(secret)
      const [oldest] = known
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest)
      variants = null
    },
    variants() {
      variants ??= [...new Set([...known].flatMap(encodingsOf))].sort((a, b) => b.length - a.length)
      return variants
    },
  }
}
