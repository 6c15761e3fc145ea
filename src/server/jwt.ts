/** Access tokens: JSON Web Tokens signed with HMAC-SHA256. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isObject, parseJson } from '../service/control.ts'

export interface Claims {
  readonly token_type: 'access' | 'refresh'
  /** Seconds since 1970, as the standard requires. */
  readonly exp: number
  readonly iat: number
  readonly jti: string
  readonly username: string
}

const base64url = (text: string) => Buffer.from(text).toString('base64url')
const signature = (secret: string, signed: string) => createHmac('sha256', secret).update(signed).digest()

export function signToken(secret: string, claims: Claims): string {
  const signed = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(JSON.stringify(claims))}`
  return `${signed}.${signature(secret, signed).toString('base64url')}`
}

/** The claims of a token with a valid signature, or undefined. The caller checks the expiry. */
export function readToken(secret: string, token: string): Claims | undefined {
  const [head, body, mac, ...more] = token.split('.')
  if (head === undefined || body === undefined || mac === undefined || more.length > 0) return undefined
  const given = Buffer.from(mac, 'base64url')
  const right = signature(secret, `${head}.${body}`)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const claims = parseJson(Buffer.from(body, 'base64url').toString('utf8'))
  if (!isObject(claims) || typeof claims.exp !== 'number' || typeof claims.iat !== 'number') return undefined
  // The signature proves that signToken wrote it.
  return claims as unknown as Claims
}
