/**
 * Where secrets live: the keychain of the operating system, else the memory of this process. Never a
 * file. The keychain is loaded when first needed and proven with a canary before it is trusted: it
 * answers null for absent and for locked alike, and may say that it deleted what it never had.
 */
import { randomBytes } from 'node:crypto'
import { CodedError } from '../../shared/errors.ts'

export const KEYCHAIN_SERVICE = 'tapedeck'
/** A keychain that asks its user to unlock it may take a while; one that hangs must not hold the start. */
const PROBE_MS = 20_000

export interface Keychain {
  /** `memory`: secrets last until Tapedeck quits. */
  readonly kind: 'os' | 'memory'
  /** Why there is no keychain, for the notice; null where there is one. */
  readonly why: string | null
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
}

/** The three functions that are used of the `keytar` API. `findCredentials` unlocks, lists and hangs: never. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/** Secrets in memory, for machines without a keychain and for tests. */
export function memoryKeychain(why: string): Keychain {
  const secrets = new Map<string, string>()
  return {
    kind: 'memory',
    why,
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => {
      secrets.set(account, secret)
    },
    delete: async (account) => {
      secrets.delete(account)
    },
  }
}

/** Loads and probes the system's keychain; falls back to memory, saying why. Never rejects. */
export async function openKeychain(load: () => Promise<Keytar> = loadKeytar, probeMs = PROBE_MS): Promise<Keychain> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not answer in time')), probeMs)
  })
  try {
    const keytar = await Promise.race([load(), tooLate])
    await Promise.race([probe(keytar), tooLate])
    return osKeychain(keytar)
  } catch (thrown) {
    return memoryKeychain(thrown instanceof Error ? thrown.message : String(thrown))
  } finally {
    clearTimeout(timer)
  }
}

async function loadKeytar(): Promise<Keytar> {
  // CommonJS: its functions are on the default export under Node, and beside it once bundled.
  const module = (await import('keytar/keytar.js')) as unknown as Keytar & { default?: Keytar }
  return module.default ?? module
}

async function probe(keytar: Keytar): Promise<void> {
  const account = `canary-${randomBytes(8).toString('hex')}`
  const secret = randomBytes(16).toString('hex')
  await keytar.setPassword(KEYCHAIN_SERVICE, account, secret)
  const back = await keytar.getPassword(KEYCHAIN_SERVICE, account)
  await keytar.deletePassword(KEYCHAIN_SERVICE, account)
  if (back !== secret) throw new Error('it did not give back what it was given')
  if ((await keytar.getPassword(KEYCHAIN_SERVICE, account)) !== null)
    throw new Error('it did not delete what it was told to')
}

function osKeychain(keytar: Keytar): Keychain {
  const failed = (cause: unknown): never => {
    throw new CodedError('keychain', 'The keychain of this computer did not answer.', {
      hint: 'Unlock it, then try again.',
      cause,
    })
  }
  return {
    kind: 'os',
    why: null,
    get: (account) => keytar.getPassword(KEYCHAIN_SERVICE, account).catch(failed),
    async set(account, secret) {
      await keytar.setPassword(KEYCHAIN_SERVICE, account, secret).catch(failed)
      // A keychain locked since the probe may swallow what it is given.
      if ((await keytar.getPassword(KEYCHAIN_SERVICE, account).catch(failed)) !== secret) failed(undefined)
    },
    async delete(account) {
      await keytar.deletePassword(KEYCHAIN_SERVICE, account).catch(failed)
    },
  }
}
