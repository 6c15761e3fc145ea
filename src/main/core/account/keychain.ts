/**
 * Stores secrets in the operating system's keychain, or in memory if there is none. The keychain is
 * loaded when first needed and probed with a canary, because it returns null both for an absent secret and for a
 * locked keychain, and may report deleting an entry that it never had.
 */
import { randomBytes } from 'node:crypto'
import { CodedError, messageOf } from '../../../shared/base/errors.ts'

export const KEYCHAIN_SERVICE = 'tapedeck'
/** How long the probe may take, ms: the user may have to unlock the keychain, but a hung one must not block the start. */
const PROBE_MS = 20_000
/** The same limit for a request after the probe, when the keychain is already unlocked. */
const ANSWER_MS = 5_000

export interface Keychain {
  /**
   * `file`: the user chose a credentials file. `memory`: secrets last until Tapedeck quits. An `os` keychain that stops
   * responding becomes `memory`.
   */
  readonly kind: 'os' | 'file' | 'memory'
  /** Why there is no keychain; null if there is one. */
  readonly why: string | null
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  delete(account: string): Promise<void>
}

/** The three functions of `keytar` that are used. Never call `findCredentials`: it unlocks the keychain and may hang. */
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

export interface OpenKeychainOptions {
  readonly load?: () => Promise<Keytar>
  readonly probeMs?: number
  readonly answerMs?: number
  /** Called once, with the reason, when the keychain stops responding. From then on secrets are stored in memory. */
  readonly fell?: (why: string) => void
}

/** Loads and probes the system's keychain; falls back to memory. Never rejects. */
export async function openKeychain(options: OpenKeychainOptions = {}): Promise<Keychain> {
  const { load = loadKeytar, probeMs = PROBE_MS, answerMs = ANSWER_MS, fell = () => undefined } = options
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it didn’t respond in time')), probeMs)
  })
  try {
    const keytar = await Promise.race([load(), tooLate])
    await Promise.race([probe(keytar), tooLate])
    return osKeychain(keytar, answerMs, fell)
  } catch (thrown) {
    return memoryKeychain(messageOf(thrown))
  } finally {
    clearTimeout(timer)
  }
}

async function loadKeytar(): Promise<Keytar> {
  // CommonJS: its functions are on the default export under Node, and on the module itself once bundled.
  const module = (await import('keytar/keytar.js')) as unknown as Keytar & { default?: Keytar }
  return module.default ?? module
}

async function probe(keytar: Keytar): Promise<void> {
  const account = `canary-${randomBytes(8).toString('hex')}`
  const secret = randomBytes(16).toString('hex')
  await keytar.setPassword(KEYCHAIN_SERVICE, account, secret)
  const back = await keytar.getPassword(KEYCHAIN_SERVICE, account)
  await keytar.deletePassword(KEYCHAIN_SERVICE, account)
  if (back !== secret) throw new Error('it returned something other than what was stored')
  if ((await keytar.getPassword(KEYCHAIN_SERVICE, account)) !== null) throw new Error('it didn’t delete an entry')
}

/** Once the keychain stops responding, memory is used instead. */
function osKeychain(keytar: Keytar, answerMs: number, fell: (why: string) => void): Keychain {
  let memory: Keychain | null = null
  const failed = (cause: unknown): never => {
    throw new CodedError('keychain', 'The system keychain didn’t respond.', {
      hint: 'Unlock it, then try again.',
      cause,
    })
  }
  const fall = (): Keychain => {
    if (memory === null) {
      memory = memoryKeychain('it stopped responding')
      fell('it stopped responding')
    }
    return memory
  }
  /** Returns the response, or LATE after `answerMs`. Throws a `keychain` error if the keychain rejects. */
  const within = async <T>(request: Promise<T>): Promise<T | typeof LATE> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(() => resolve(LATE), answerMs)
    })
    try {
      return await Promise.race([request.catch(failed), late])
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    get kind() {
      return memory === null ? 'os' : 'memory'
    },
    get why() {
      return memory?.why ?? null
    },
    async get(account) {
      if (memory !== null) return memory.get(account)
      const secret = await within(keytar.getPassword(KEYCHAIN_SERVICE, account))
      return secret === LATE ? fall().get(account) : secret
    },
    async set(account, secret) {
      if (memory !== null) return memory.set(account, secret)
      const set = await within(keytar.setPassword(KEYCHAIN_SERVICE, account, secret))
      const back = set === LATE ? LATE : await within(keytar.getPassword(KEYCHAIN_SERVICE, account))
      if (back === LATE) return fall().set(account, secret)
      // A keychain that was locked since the probe may drop the secret silently.
      if (back !== secret) failed(undefined)
    },
    async delete(account) {
      await memory?.delete(account)
      // Throw even when secrets are in memory: the keychain still holds this one.
      if ((await within(keytar.deletePassword(KEYCHAIN_SERVICE, account))) !== LATE) return
      fall()
      failed(undefined)
    },
  }
}

const LATE = Symbol('late')
