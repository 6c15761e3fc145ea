/** The key with which a recorder signs: one it was given, that of its NATS user, or its own, made once. */
import { toFailure } from '../../../../shared/base/errors.ts'
import type { Keychain } from '../../../core/account/keychain.ts'
import type { PublishOptions } from '../../../terminal/host.ts'
import { makeSeed, readSigningKey, seedOfCreds, type SigningKey } from '../sign/keys.ts'

export interface SigningKeyEvents {
  /** Gets the seed, so that it is redacted everywhere. */
  readonly note: (secret: string) => void
  readonly warn: (text: string, hint: string) => void
}

/**
 * Finds the key: TAPEDECK_TEAM_SEED, then the NKey of the NATS user, then the keychain, where a new one is stored if there
 * is none. Rejects with `bad-arguments` for a seed that isn't one. A keychain that can't be used doesn't stop a recorder:
 * it then signs with a key that lasts as long as its process.
 */
export async function findSigningKey(
  { signingSeed, target, recorder, team }: Pick<PublishOptions, 'signingSeed' | 'target' | 'recorder' | 'team'>,
  openKeychain: () => Promise<Keychain>,
  { note, warn }: SigningKeyEvents,
): Promise<SigningKey> {
  const read = (seed: string): SigningKey => {
    note(seed)
    return readSigningKey(seed)
  }
  const given = signingSeed ?? target.seed ?? (target.creds === null ? null : seedOfCreds(target.creds))
  if (given !== null) return read(given)
  const account = `team-signing:${recorder}@${team}`
  try {
    const keychain = await openKeychain()
    const stored = await keychain.get(account)
    if (stored !== null) return read(stored)
    const seed = makeSeed()
    note(seed)
    await keychain.set(account, seed)
    if (keychain.kind === 'memory') warn(LASTS_ONLY, GIVE_ONE)
    return read(seed)
  } catch (thrown) {
    warn(`The keychain has no signing key: ${toFailure(thrown).message} ${LASTS_ONLY}`, GIVE_ONE)
    return read(makeSeed())
  }
}

const LASTS_ONLY = 'This recorder signs with a key that lasts until it ends.'
const GIVE_ONE =
  'Put the seed of an NKey into TAPEDECK_TEAM_SEED, so that its sessions can be compared with one known key.'
