import { describe, expect, test } from 'vitest'
import { openKeychain, KEYCHAIN_SERVICE, type Keytar } from '../../../../../src/main/core/account/keychain.ts'

class FakeKeytar implements Keytar {
  readonly kept = new Map<string, string>()
  readonly services = new Set<string>()
  getPassword = async (service: string, account: string): Promise<string | null> => {
    this.services.add(service)
    return this.kept.get(account) ?? null
  }
  setPassword = async (service: string, account: string, password: string): Promise<void> => {
    this.services.add(service)
    this.kept.set(account, password)
  }
  deletePassword = async (_service: string, account: string): Promise<boolean> => this.kept.delete(account)
}

describe('the keychain', () => {
  test('is trusted after a canary went in, came back and went away', async () => {
    const keytar = new FakeKeytar()
    const chain = await openKeychain({ load: async () => keytar })
    expect(chain).toMatchObject({ kind: 'os', why: null })
    expect(keytar.kept.size).toBe(0)
    await chain.set('a', 'secret')
    expect(await chain.get('a')).toBe('secret')
    await chain.delete('a')
    expect(await chain.get('a')).toBeNull()
    expect([...keytar.services]).toEqual([KEYCHAIN_SERVICE])
  })

  const broken: readonly (readonly [string, () => Promise<Keytar>])[] = [
    ['cannot be loaded', () => Promise.reject(new Error('no such module'))],
    [
      'rejects',
      async () =>
        Object.assign(new FakeKeytar(), { setPassword: () => Promise.reject(new Error('no secret service')) }),
    ],
    [
      'swallows what it is given (locked)',
      async () => Object.assign(new FakeKeytar(), { setPassword: async () => undefined }),
    ],
    ['says it deleted and did not', async () => Object.assign(new FakeKeytar(), { deletePassword: async () => true })],
    [
      'never answers',
      async () => Object.assign(new FakeKeytar(), { setPassword: () => new Promise<void>(() => undefined) }),
    ],
  ]
  test.each(broken)('that %s: secrets stay in memory, with the reason', async (_name, load) => {
    const chain = await openKeychain({ load, probeMs: 50 })
    expect(chain.kind).toBe('memory')
    expect(chain.why).toMatch(/./)
    await chain.set('a', 'secret')
    expect(await chain.get('a')).toBe('secret')
    await chain.delete('a')
    expect(await chain.get('a')).toBeNull()
  })

  test('that is locked after the probe fails loudly instead of forgetting the secret', async () => {
    const keytar = new FakeKeytar()
    const chain = await openKeychain({ load: async () => keytar })
    keytar.setPassword = async () => undefined
    await expect(chain.set('a', 'CANARY')).rejects.toMatchObject({ code: 'keychain' })
    keytar.getPassword = () => Promise.reject(new Error('locked'))
    await expect(chain.get('a')).rejects.toMatchObject({ code: 'keychain', hint: expect.any(String) as string })
  })

  const never = () => new Promise<never>(() => undefined)
  const hanging: readonly (readonly [string, (keytar: FakeKeytar) => void])[] = [
    ['reading', (keytar) => (keytar.getPassword = never)],
    ['writing', (keytar) => (keytar.setPassword = never)],
    ['writing, where it takes what it then does not give back', (keytar) => (keytar.getPassword = never)],
  ]
  test.each(hanging)('that hangs after the probe when %s is memory from then on, and says so once', async (_, hang) => {
    const keytar = new FakeKeytar()
    const told: string[] = []
    const chain = await openKeychain({ load: async () => keytar, answerMs: 20, fell: (why) => told.push(why) })
    await chain.set('old', 'kept')
    expect(chain).toMatchObject({ kind: 'os', why: null })
    hang(keytar)
    await chain.set('a', 'secret')
    expect(await chain.get('a')).toBe('secret')
    expect(await chain.get('old')).toBeNull()
    expect(chain).toMatchObject({ kind: 'memory', why: 'it stopped responding' })
    expect(told).toEqual(['it stopped responding'])
  })

  test('that hangs when asked to read answers that nothing is known, within its time', async () => {
    const keytar = new FakeKeytar()
    const chain = await openKeychain({ load: async () => keytar, answerMs: 20 })
    keytar.getPassword = never
    expect(await chain.get('a')).toBeNull()
    expect(chain.kind).toBe('memory')
  })

  test('that hangs when asked to delete does not say that it did', async () => {
    const keytar = new FakeKeytar()
    const chain = await openKeychain({ load: async () => keytar, answerMs: 20 })
    await chain.set('a', 'secret')
    keytar.deletePassword = never
    await expect(chain.delete('a')).rejects.toMatchObject({ code: 'keychain' })
    expect(chain.kind).toBe('memory')
  })

  test('the real one of this machine either holds a secret or says why it is not used', async () => {
    const chain = await openKeychain({ probeMs: 5_000 })
    // Where a test run brings its own unlocked keyring, falling back to memory is a failure.
    if (process.env['TAPEDECK_EXPECT_KEYCHAIN'] === 'os') expect(chain).toMatchObject({ kind: 'os' })
    const account = `unit-test-${process.pid}`
    await chain.set(account, 'value')
    expect(await chain.get(account)).toBe('value')
    await chain.delete(account)
    expect(await chain.get(account)).toBeNull()
    expect(chain.why === null).toBe(chain.kind === 'os')
  })
})
