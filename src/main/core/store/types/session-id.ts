import { randomBytes } from 'node:crypto'
import { sessionId, type SessionId } from '../../../../shared/base/units.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Returns a new session id: 10 characters of time and 16 random ones. Ids sort by start. `startedMs`: UTC ms. */
export function newSessionId(startedMs: number): SessionId {
  let time = Math.max(0, Math.floor(startedMs))
  let text = ''
  for (let i = 0; i < 10; i++) {
    text = ALPHABET[time % 32] + text
    time = Math.floor(time / 32)
  }
  for (const byte of randomBytes(16)) text += ALPHABET[byte % 32]
  return sessionId(text)
}
