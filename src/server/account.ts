/** The only account of a server: its secrets, tokens and plan. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { FEEDS } from '../service/feeds.ts'
import type { FeedId } from '../shared/base/units.ts'
import type { AccountOptions, PlanRefusal } from './account-options.ts'
import { readToken, signToken } from './jwt.ts'

export interface Account {
  readonly username: string
  readonly password: string
  readonly apiKey: string
  plan: string
  refusal: PlanRefusal
  /** Returns an access and a refresh token, or undefined for wrong credentials. */
  logIn(username: unknown, password: unknown): { access: string; refresh: string } | undefined
  /** Why the `Authorization` header of an upgrade is refused, or undefined if it is valid. */
  refuseToken(authorization: string | undefined): string | undefined
  /** Whether a header has the API key. */
  holdsKey(authorization: string | undefined): boolean
  /** Whether the plan includes a feed. */
  covers(feed: FeedId): boolean
  /** Invalidates every token issued so far. */
  expireTokens(): void
}

/** Creates an account. Secrets that aren't given are random. */
export function createAccount(options: AccountOptions, clock: { wallMs(): number }): Account {
  const secret = randomBytes(32).toString('hex')
  const username = options.username ?? `demo-${randomBytes(3).toString('hex')}`
  const password = options.password ?? randomBytes(12).toString('base64url')
  const apiKey = options.apiKey ?? randomBytes(16).toString('base64url')
  const lifetime = options.tokenLifetimeMs ?? 3_600_000
  let valid = new Set<string>()
  let serial = 0

  const issue = (type: 'access' | 'refresh') => {
    const jti = `${type}-${++serial}`
    const iat = clock.wallMs() / 1000
    if (type === 'access') valid.add(jti)
    // Fractions of a second are valid and let tests expire a token soon.
    const exp = iat + (lifetime / 1000) * (type === 'access' ? 1 : 24)
    return signToken(secret, { token_type: type, exp, iat, jti, username })
  }
  const bearer = (authorization: string | undefined) => /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]

  return {
    username,
    password,
    apiKey,
    plan: options.plan ?? 'Premium',
    refusal: options.planRefusal ?? 'close',
    logIn(user, word) {
      if (user !== username || typeof word !== 'string' || !equal(word, password)) return undefined
      return { access: issue('access'), refresh: issue('refresh') }
    },
    refuseToken(authorization) {
      const token = bearer(authorization)
      if (token === undefined) return 'no bearer token'
      const claims = readToken(secret, token)
      if (claims === undefined || claims.token_type !== 'access') return 'token is invalid'
      return claims.exp * 1000 <= clock.wallMs() || !valid.has(claims.jti) ? 'token is expired' : undefined
    },
    holdsKey(authorization) {
      const key = bearer(authorization)
      return key !== undefined && equal(key, apiKey)
    },
    covers(feed) {
      const { minimumPlan } = FEEDS[feed]
      return minimumPlan === null || minimumPlan === this.plan
    },
    expireTokens() {
      valid = new Set()
    },
  }
}

function equal(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
