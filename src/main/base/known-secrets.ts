/** The secrets that went through this process, so that no text it writes can hold one, however it is encoded. */
import { encodingsOf, SHORTEST } from './redaction.ts'

export interface KnownSecrets {
  note(secret: string | null | undefined): void
  /** Each in every encoding that a text could have it in, longest first. */
  variants(): readonly string[]
}

/** More than an account has; tokens follow one another all day. */
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
