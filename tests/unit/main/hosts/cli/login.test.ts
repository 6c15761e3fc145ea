import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../../../../../src/main/command-line/command.ts'
import { createSettingsStore, settingsFile } from '../../../../../src/main/core/settings/settings.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { startSimulator, type Simulator } from '../../../../../src/simulator/simulator.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { commandContext } from './context.ts'

const demoData = new URL('../../../../../resources/demo/', import.meta.url)

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ dataDir: demoData, market: { kind: 'load', messagesPerSecond: 200 } })
})
afterAll(() => simulator.close())

let home: string
let account: string[]
beforeEach(() => {
  home = makeFolder('login')
  account = ['--base-url', simulator.baseUrl, '--user', simulator.username]
})

async function run(args: readonly string[], part: Partial<Context> = {}) {
  const context = commandContext({ dataDir: home, portable: true, ...part })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}
const typed = (...lines: string[]) => ({ input: Readable.from([Buffer.from(`${lines.join('\n')}\n`)]) })
const settings = () => createSettingsStore(settingsFile(home)).get().account
const secretsFile = () => join(home, 'credentials.json')

describe('login', () => {
  it('signs in, saves the account in a file that was asked for, and record and fetch use it', async () => {
    const { code, out } = await run(
      ['login', ...account, '--credentials-file'],
      typed(simulator.password, simulator.apiKey),
    )
    expect([code, out]).toEqual([
      0,
      `Signed in as ${simulator.username} at ${simulator.baseUrl}. The secrets are in ${secretsFile()}, which only you can read.\n`,
    ])
    expect(settings()).toMatchObject({ source: 'service', baseUrl: simulator.baseUrl, user: simulator.username })
    const recorded = await run(['record', '--feed', 'crypto/XT:BTC-USD', '--duration', '1s', '--json'])
    expect(recorded.code).toBe(0)
    expect(JSON.parse(recorded.out)).toMatchObject({ source: expect.stringContaining(simulator.username) as string })
    expect(recorded.err).not.toContain(simulator.password)
    const fetched = await run(['fetch', '/commodities/metals', '--json'])
    expect([fetched.code, fetched.err]).toEqual([0, ''])
  })

  it.each([
    ['http://data.example.com', 'isn’t encrypted'],
    ['data.example.com', 'isn’t a web address'],
    ['https://ann:CANARY@data.example.com', 'contains a user name or password'],
  ])('refuses %s as wrong usage, as record does', async (baseUrl, message) => {
    const args = ['--base-url', baseUrl, '--user', 'ann']
    for (const command of [
      ['login', '--credentials-file'],
      ['record', '--feed', 'crypto/XT:BTC-USD'],
    ]) {
      const { code, err } = await run([...command, ...args], typed('secret'))
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
      expect(err).not.toContain('CANARY')
    }
    expect(existsSync(secretsFile())).toBe(false)
  })

  it('saves nothing where the service refuses the password', async () => {
    const { code, err } = await run(['login', ...account, '--credentials-file'], typed('wrong-one'))
    expect([code, existsSync(secretsFile()), settings().source]).toEqual([1, false, 'demo'])
    expect(err).toContain('password')
    expect(err).not.toContain('wrong-one')
  })

  it('saves nothing where the service can’t be reached, and names --no-check, which saves it', async () => {
    const args = ['login', '--base-url', 'http://127.0.0.1:1', '--user', 'joe', '--credentials-file']
    const refused = await run(args, typed('x'))
    expect([refused.code, existsSync(secretsFile())]).toEqual([1, false])
    expect(refused.err).toContain('--no-check')
    const saved = await run([...args, '--no-check', '--json'], typed('x'))
    expect([saved.code, JSON.parse(saved.out)]).toEqual([
      0,
      {
        schema: 'tapedeck/login/1',
        base_url: 'http://127.0.0.1:1',
        user: 'joe',
        checked: false,
        api_key: false,
        file: secretsFile(),
      },
    ])
  })

  it('asks at a terminal for what is missing, and shows no secret', async () => {
    const asked: [string, boolean][] = []
    const answers = [simulator.baseUrl, simulator.username, simulator.password, '']
    const ask = (question: string, hidden: boolean): Promise<string> => {
      asked.push([question, hidden])
      return Promise.resolve(answers[asked.length - 1])
    }
    const { code, out } = await run(['login', '--credentials-file'], { ask })
    expect(code).toBe(0)
    expect(out).not.toContain(simulator.password)
    expect(asked.map(([, hidden]) => hidden)).toEqual([false, false, true, true])
  })

  it.each([
    [['login', '--user', 'joe', '--base-url', 'http://127.0.0.1:1'], 'add --credentials-file'],
    [['login', '--user', 'joe', '--credentials-file'], 'login needs --base-url'],
    [['login', '--user', 'joe', '--base-url', 'http://127.0.0.1:1', '--credentials-file'], 'login needs a password'],
    [['login', '--user', 'joe', '--password', 'x'], 'can’t be passed as arguments'],
  ])('%j is refused', async (args, message) => {
    const { code, err } = await run(args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(secretsFile())).toBe(false)
  })

  it('takes secrets from the environment, and keeps using the file once there is one', async () => {
    const env = { TAPEDECK_PASSWORD: simulator.password }
    expect((await run(['login', ...account, '--credentials-file'], { env })).code).toBe(0)
    const again = await run(['login', ...account, '--json'], { env: { ...env, TAPEDECK_API_KEY: simulator.apiKey } })
    expect(JSON.parse(again.out)).toMatchObject({ file: secretsFile(), api_key: true })
    expect(Object.keys((JSON.parse(readFileSync(secretsFile(), 'utf8')) as { secrets: object }).secrets)).toHaveLength(
      2,
    )
  })
})

describe('logout', () => {
  it('forgets the account and its secrets, and says so where there is none', async () => {
    await run(['login', ...account, '--credentials-file'], typed(simulator.password))
    expect(await run(['logout'])).toMatchObject({
      code: 0,
      out: `Forgot ${simulator.username} at ${simulator.baseUrl}.\n`,
    })
    expect([existsSync(secretsFile()), settings().source, settings().baseUrl]).toEqual([false, 'demo', ''])
    expect(await run(['logout'])).toMatchObject({ code: 0, out: 'No account is saved.\n' })
    expect((await run(['record', '--feed', 'crypto/XT:BTC-USD'])).code).toBe(2)
  })
})
