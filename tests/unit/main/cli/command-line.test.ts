import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS, COMMON_OPTIONS } from '../../../../src/main/cli/table.ts'

const CLI = fileURLToPath(new URL('../../../../src/main/cli.ts', import.meta.url))

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tapedeck-cli-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

function start(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, TAPEDECK_HOME: home, TAPEDECK_PASSWORD: '', TAPEDECK_API_KEY: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, env)
  let out = ''
  let err = ''
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err, lines: out.split('\n').filter(Boolean) }
}

describe('help and usage', () => {
  it('lists every command, and each command every option of its own', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const { name } of COMMANDS) expect(out).toContain(`  ${name} `)
    for (const command of COMMANDS) {
      const help = await run([command.name, '--help'])
      expect(help.code).toBe(0)
      for (const option of Object.keys({ ...command.options, ...COMMON_OPTIONS }))
        expect(help.out).toContain(`--${option}`)
    }
  })

  it.each([
    ['no command', []],
    ['an unknown command', ['dance']],
    ['an unknown option', ['sessions', '--nope']],
    ['a missing value', ['sessions', '--store']],
    ['no feed', ['record', '--demo']],
    ['a feed that is none', ['record', '--demo', '--feed', 'crypto/ZZ:A']],
    ['a feed without symbols', ['record', '--demo', '--feed', 'crypto/XT']],
    ['a time that is none', ['record', '--demo', '--feed', 'crypto/XT:A', '--duration', 'soon']],
    ['demo and an account', ['record', '--demo', '--user', 'x', '--feed', 'crypto/XT:A']],
    ['an instant without a zone', ['export', '--feed', 'crypto/XT', '--out', 'x', '--from', '2026-01-01T00:00']],
    ['a port out of range', ['simulate', '--port', '70000']],
    ['a surplus word', ['verify', 'everything']],
  ])('%s: code 2, one sentence on standard error, nothing on standard output', async (_name, args) => {
    const { code, out, err } = await run(args)
    expect(code).toBe(2)
    if (args.length === 0) return
    expect(out).toBe('')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(err).toMatch(/^tapedeck: /)
  })

  it.each([['--password', 'x'], ['--password=x'], ['--api-key', 'x'], ['--token=x']])(
    'refuses a secret as an argument: %s',
    async (...secret) => {
      const { code, err } = await run(['record', '--demo', '--feed', 'crypto/XT:BTC-USD', ...secret])
      expect(code).toBe(2)
      expect(err).toContain('TAPEDECK_PASSWORD')
    },
  )

  it.each(['replay', 'import', 'fetch'])('%s is listed and says that it is not there yet', async (name) => {
    const { code, out, err } = await run([name])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('not yet in this version')
  })

  it.each(['sessions', 'verify', 'export'])('%s says when there is no store', async (name) => {
    const more = name === 'export' ? ['--feed', 'crypto/XT', '--out', join(home, 'x.csv')] : []
    const { code, err } = await run([name, '--store', join(home, 'none.db'), '--json', ...more])
    expect(code).toBe(1)
    expect(err).toContain('There is no store')
  })
})

describe('simulate', () => {
  it('prints where and how to sign in, serves, and ends on Ctrl+C with 130', async () => {
    const child = start(['simulate', '--json', '--seed', '7'])
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const account = JSON.parse(line) as Record<string, string>
    expect(Object.keys(account)).toEqual(['base_url', 'username', 'password', 'api_key'])
    const answer = await fetch(`${account.base_url}/api/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: account.username, password: account.password }),
    })
    expect(await answer.json()).toHaveProperty('access')
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
  })

  it('names the entry of a fault schedule that is wrong', async () => {
    const { code, err } = await run(['simulate', '--faults', CLI])
    expect(code).toBe(2)
    expect(err).toContain('fault schedule')
  })
})
