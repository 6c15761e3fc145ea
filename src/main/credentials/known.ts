/** The secrets that went through this process, so that no text it writes can hold one, however it was spelt. */

export interface KnownSecrets {
  note(secret: string | null | undefined): void
  /** Each in every spelling that a text could have it in, longest first. */
  spellings(): readonly string[]
}

/** More than an account has; tokens follow one another all day. */
const KEPT = 64
/** What is shorter would blot out words. */
const LEAST = 6

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>()
  let spelt: readonly string[] | null = null
  return {
    note(secret) {
      if (secret === null || secret === undefined || secret.length < LEAST || known.has(secret)) return
      known.add(secret)
      const [oldest] = known
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest)
      spelt = null
    },
    spellings() {
      spelt ??= [
        ...new Set(
          [...known].flatMap((one) => [
            one,
            JSON.stringify(one).slice(1, -1),
            encodeURIComponent(one.toWellFormed()),
            Buffer.from(one).toString('base64').replace(/=+$/, ''),
          ]),
        ),
      ].sort((a, b) => b.length - a.length)
      return spelt
    },
  }
}
