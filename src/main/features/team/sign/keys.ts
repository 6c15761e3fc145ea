/**
 * Keys that sign sessions: NKeys of users, as NATS has them. Their library checks and makes them; Node signs and verifies,
 * because the library takes 20 ms for it. It is loaded with this file.
 */
import { createUser, fromPublic, fromSeed } from '@nats-io/nkeys'
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { CodedError } from '../../../../shared/base/errors.ts'
import { PUBLIC_KEY, SEED } from './key-format.ts'

export interface SigningKey {
  readonly publicKey: string
  sign(bytes: Uint8Array): Uint8Array
}

const encoder = new TextEncoder()

/** Reads a seed. Throws `bad-arguments`, without the seed in its text. */
export function readSigningKey(seed: string): SigningKey {
  let publicKey: string
  let key: KeyObject
  try {
    if (!SEED.test(seed)) throw new TypeError('not the seed of a user')
    publicKey = fromSeed(encoder.encode(seed)).getPublicKey()
    const d = rawOf(seed, SEED_AT).toString('base64url')
    key = createPrivateKey({ key: { ...jwkOf(publicKey), d }, format: 'jwk' })
  } catch {
    // The cause is left out: it may repeat the seed.
    throw new CodedError('bad-arguments', 'The seed of the signing key isn’t the seed of an NKey.', {
      hint: 'It starts with SU. Make one with: nats auth nkey gen user',
    })
  }
  return { publicKey, sign: (bytes) => sign(null, bytes, key) }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** Where the 32 bytes begin in a decoded public key and in a seed, behind what kind it is. */
const KEY_AT = 1
const SEED_AT = 2
const RAW_BYTES = 32

/** The bytes of a key or seed whose form was checked. */
function rawOf(text: string, at: number): Buffer {
  let bits = ''
  for (const letter of text) bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  const bytes = Array.from({ length: RAW_BYTES }, (_, i) => parseInt(bits.slice((at + i) * 8, (at + i + 1) * 8), 2))
  return Buffer.from(bytes)
}

const jwkOf = (publicKey: string) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: rawOf(publicKey, KEY_AT).toString('base64url'),
})

export const makeSeed = (): string => new TextDecoder().decode(createUser().getSeed())

/** The seed in the text of a credentials file; null if it has none. */
export const seedOfCreds = (creds: string): string | null => /^\s*(SU[A-Z2-7]{56})\s*$/m.exec(creds)?.[1] ?? null

/** Public keys that were read: a history has few keys and many signatures. */
const known = new Map<string, KeyObject>()
const MOST_KNOWN = 256

/** Whether `signature` over `bytes` was made with this key. False for what isn't a key. */
export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    if (!PUBLIC_KEY.test(publicKey)) return false
    let key = known.get(publicKey)
    if (key === undefined) {
      fromPublic(publicKey)
      key = createPublicKey({ key: jwkOf(publicKey), format: 'jwk' })
      if (known.size === MOST_KNOWN) known.clear()
      known.set(publicKey, key)
    }
    return verify(null, bytes, key, signature)
  } catch {
    return false
  }
}
