/** Checks a session's signatures while its flushes are read, and says who signed what. */
import { countText } from '../../../../shared/base/count-text.ts'
import type { Authorship } from '../../../../shared/core/recording/session.ts'
import type { ChainHead, ChainHeads, CommittedFlush } from '../frame/frame.ts'
import { firstSeq, lastSeqOf } from '../frame/seqs.ts'
import type { SessionEnd } from '../session-info.ts'
import { checkSignature, decodeEndSignature, type SignedSession, type SignedState } from './signature.ts'

export interface StoredSignature {
  readonly seq: number
  readonly bytes: Uint8Array
}

/** Public keys that count as the team's, each with the name it is shown by. */
export type TrustedKeys = ReadonlyMap<string, string>

export class AuthorshipCheck {
  readonly #session: SignedSession
  #heads: Map<number, ChainHead> = new Map()
  #seq = 0
  #waiting: readonly StoredSignature[]
  readonly #keys = new Set<string>()
  #signedSeq = 0
  #isEndSigned = false
  /** What is wrong with signatures, a sentence each without its start and end. */
  readonly faults: string[] = []

  constructor(session: SignedSession, signatures: readonly StoredSignature[]) {
    this.#session = session
    this.#waiting = signatures.toSorted((a, b) => a.seq - b.seq)
  }

  /** Takes verified flushes, in order. */
  take(flushes: readonly CommittedFlush[]): void {
    for (const { batch, leaves } of flushes) {
      if (firstSeq(batch) === null) continue
      for (const { conn, count, head } of leaves)
        this.#heads.set(conn, { head, messages: conn === 0 ? 0 : (this.#heads.get(conn)?.messages ?? 0) + count })
      this.#seq = lastSeqOf(batch)
      this.#checkUpTo(this.#seq)
    }
  }

  /** What lies before this can't be read: its signatures can't be checked. */
  skipTo(seq: number, heads: ChainHeads): void {
    this.#heads = new Map(heads)
    this.#seq = seq
    this.#waiting = this.#waiting.filter((one) => one.seq > seq)
  }

  /** Everything was taken. Checks the signature of the end. */
  finish(end: SessionEnd | null): void {
    for (const { seq } of this.#waiting)
      this.faults.push(`it was signed up to seq ${seq}, and ends at seq ${this.#seq}`)
    this.#waiting = []
    if (end?.signature === undefined) return
    const bytes = decodeEndSignature(end.signature)
    this.#isEndSigned = this.#check(bytes, { seq: end.lastSeq, heads: this.#heads, end }, 'the signature of its end')
  }

  /** Who signed the session, as far as was checked. */
  authorship(trusted: TrustedKeys | null, isEnded: boolean): Authorship {
    return {
      session: this.#session.session,
      keys: [...this.#keys].map((key) => ({ key, name: trusted?.get(key) ?? null })),
      signedSeq: this.#signedSeq,
      lastSeq: this.#seq,
      isEnded,
      isEndSigned: this.#isEndSigned,
    }
  }

  #checkUpTo(seq: number): void {
    while (this.#waiting.length > 0 && this.#waiting[0].seq <= seq) {
      const [next] = this.#waiting
      this.#waiting = this.#waiting.slice(1)
      const what = `the signature at seq ${next.seq}`
      if (next.seq === seq) this.#check(next.bytes, { seq, heads: this.#heads }, what)
      else this.faults.push(`${what} isn’t at the end of a flush`)
    }
  }

  #check(bytes: Uint8Array, state: SignedState, what: string): boolean {
    const check = checkSignature(bytes, this.#session, state)
    if (check.is === 'wrong') this.faults.push(`${what} ${check.why}`)
    if (check.is !== 'good') return false
    this.#keys.add(check.key)
    this.#signedSeq = state.seq
    return true
  }
}

/**
 * Why a session isn't proven to be of the team: what of it isn't signed with a trusted key; null: nothing. Of a session
 * that is still being recorded, the newest messages needn't be signed.
 */
export function findUnproven({ keys, ...at }: Authorship): string | null {
  const unknown = keys.find(({ name }) => name === null)
  if (unknown !== undefined) return `signed by an unknown key, ${unknown.key}`
  if (!at.isEnded || at.isEndSigned) return null
  if (at.signedSeq === 0) return 'unsigned'
  return at.signedSeq < at.lastSeq ? `unsigned after seq ${at.signedSeq}` : 'its end isn’t signed'
}

/** Who signed a session, such as "signed by r1 (U…)". `isTrusting`: keys were compared with trusted ones. */
export function authorshipText({ keys, ...at }: Authorship, isTrusting: boolean): string {
  const open = at.isEnded ? '' : ', open'
  if (keys.length === 0) return `unsigned${open}`
  const names = keys.map(({ key, name }) => (name !== null ? `${name}, ${key}` : isTrusting ? `an unknown key, ${key}` : key)) // oxfmt-ignore
  const by = `signed by ${names.join(' and ')}`
  if (at.isEndSigned) return by
  if (at.signedSeq < at.lastSeq) return `${by}, unsigned after seq ${at.signedSeq}${open}`
  return at.isEnded ? `${by}, its end isn’t signed` : `${by}${open}`
}

/** Most sessions that are named with one sentence about them. */
const MOST_NAMED = 5

/** Who signed the sessions of a history, a line for each different answer. */
export function describeAuthors(authors: readonly Authorship[], isTrusting: boolean): string[] {
  const sessions = new Map<string, string[]>()
  for (const author of authors) {
    const text = authorshipText(author, isTrusting)
    const same = sessions.get(text)
    if (same === undefined) sessions.set(text, [author.session])
    else same.push(author.session)
  }
  const lines = [...sessions].map(([text, ids]) =>
    ids.length <= MOST_NAMED ? `${ids.join(', ')}: ${text}` : `${countText(ids.length, 'session')}: ${text}`,
  )
  const isUncompared = !isTrusting && authors.some(({ keys }) => keys.length > 0)
  return isUncompared
    ? [...lines, 'To prove whose keys these are, name your recorders’ public keys with --trust.']
    : lines
}
