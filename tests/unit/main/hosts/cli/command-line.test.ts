import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../../../../src/service/endpoints.ts'
import { startSimulator } from '../../../../../src/simulator/simulator.ts'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import type { Context } from '../../../../../src/main/command-line/command.ts'
import { COMMANDS, COMMON_OPTIONS } from '../../../../../src/main/hosts/cli/table.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const sources = new URL('../../../../../src/main/', import.meta.url)
const CLI = fileURLToPath(new URL('cli.ts', sources))

const demoData = new URL('../../../../../resources/demo/', import.meta.url)

let home: string
beforeAll(() => {
  home = makeFolder('cli')
})

function start(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, TAPEDECK_HOME: home, TAPEDECK_PASSWORD: '', TAPEDECK_API_KEY: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly lines: readonly string[]
}

/** The whole program, as a user starts it. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = start(args, env)
  let out = ''
  let err = ''
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err, lines: out.split('\n').filter(Boolean) }
}

/** The same without a process, for what needs none. */
async function runHere(args: readonly string[], part: Partial<Context> = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await runCommandLine(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    interactive: false,
    signal: new AbortController().signal,
    env: {},
    clock: systemClock,
    dataDir: home,
    version: '1.2.3',
    workers: {
      store: new URL('store-worker.ts', sources),
      reader: new URL('reader-worker.ts', sources),
      imports: undefined,
      simulator: new URL('../simulator/worker.ts', sources),
    },
    demoData,
    rendererDir: join(home, 'no-window'),
    ...part,
  })
  return { code, out, err, lines: out.split('\n').filter(Boolean) }
}

describe('help and usage', () => {
  it('lists every command, and each command every option of its own', async () => {
    const { code, out } = await runHere(['--help'])
    expect(code).toBe(0)
    for (const { name } of COMMANDS) expect(out).toContain(`  ${name} `)
    for (const command of COMMANDS) {
      const help = await runHere([command.name, '--help'])
      expect(help.code).toBe(0)
      for (const option of Object.keys({ ...(await command.load()).options, ...COMMON_OPTIONS }))
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
    ['an instant that is none', ['export', '--feed', 'crypto/XT', '--out', 'x', '--from', 'noon']],
    ['a port out of range', ['simulate', '--port', '70000']],
    ['no session', ['replay']],
    ['a speed out of range', ['replay', '--session', 'x', '--speed', '0.1']],
    ['a surplus word', ['verify', 'everything']],
    ['no endpoint', ['fetch', '--demo']],
    ['a path that is not documented', ['fetch', '/orders', '--demo']],
    ['an endpoint without its symbol', ['fetch', '/news/{symbol}', '--demo']],
    ['a symbol for an endpoint without one', ['fetch', '/commodities/metals', '--symbol', 'A', '--demo']],
    ['two symbols', ['fetch', '/news/AAPL', '--symbol', 'MSFT', '--demo']],
    ['an endpoint to be listed', ['fetch', '/news/AAPL', '--list']],
    ['a parameter without a value', ['fetch', '/commodities/metals', '--param', 'limit', '--demo']],
  ])('%s: code 2, one sentence on standard error, nothing on standard output', async (_name, args) => {
    const { code, out, err } = await runHere(args)
    expect(code).toBe(2)
    if (args.length === 0) return
    expect(out).toBe('')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(err).toMatch(/^tapedeck: /)
  })

  it.each([['--password', 'x'], ['--password=x'], ['--api-key', 'x'], ['--token=x']])(
    'refuses a secret as an argument: %s',
    async (...secret) => {
      const { code, err } = await runHere(['record', '--demo', '--feed', 'crypto/XT:BTC-USD', ...secret])
      expect(code).toBe(2)
      expect(err).toContain('TAPEDECK_PASSWORD')
    },
  )

  it.each(['sessions', 'verify', 'export'])('%s says when there is no store', async (name) => {
    const more = name === 'export' ? ['--feed', 'crypto/XT', '--out', join(home, 'x.csv')] : []
    const { code, err } = await runHere([name, '--store', join(home, 'none.db'), '--json', ...more])
    expect(code).toBe(1)
    expect(err).toContain('There is no store')
  })
})

describe('standard output', () => {
  it.skipIf(!existsSync('/dev/full'))('that cannot be written is a failure [needs linux]', async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [CLI, 'help'], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    let err = ''
    child.stderr?.on('data', (data: Buffer) => (err += data.toString()))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(err).toMatch(/^tapedeck: couldn’t write to standard output: ENOSPC/)
  })
})

describe('simulate', () => {
  it('prints where and how to sign in, serves, and ends on Ctrl+C with 130', async () => {
    const child = start(['simulate', '--json', '--seed', '7'])
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const account = JSON.parse(line) as Record<string, string>
    expect(Object.keys(account)).toEqual(['schema', 'base_url', 'username', 'password', 'api_key'])
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

describe('serve', () => {
  it('prints a one-time address on loopback, serves the window there, and ends on Ctrl+C', async () => {
    const rendererDir = join(home, 'window')
    mkdirSync(rendererDir)
    writeFileSync(join(rendererDir, 'index.html'), '<!doctype html><title>Tapedeck</title>')
    const stop = new AbortController()
    const printed = Promise.withResolvers<string>()
    const served = runHere(['serve', '--demo', '--json', '--store', join(home, 'served.db')], {
      rendererDir,
      signal: stop.signal,
      out: printed.resolve,
    })
    const { url, source } = JSON.parse(await Promise.race([printed.promise, served.then(({ err }) => err)])) as {
      url: string
      source: string
    }
    expect(source).toBe('demo')
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(await (await fetch(url)).text()).toContain('Tapedeck')
    stop.abort()
    expect((await served).code).toBe(130)
  })

  it('says that the window is not built, and leaves nothing running', async () => {
    const { code, err } = await runHere(['serve', '--demo', '--store', join(home, 'served.db')])
    expect(code).toBe(1)
    expect(err).toContain('"code":"not-found","msg":"The window hasn’t been built. Run `npm run build` first."}\n')
  })
})

describe('record, sessions, verify, export', { timeout: 60_000 }, () => {
  it('keep what a service sent, to the message, and give it back', async () => {
    const service = await startSimulator({ dataDir: demoData, market: { kind: 'load', messagesPerSecond: 500 } })
    const store = join(home, 'recorded.db')
    const env = { TAPEDECK_PASSWORD: service.password }
    const account = ['--base-url', service.baseUrl, '--user', service.username]
    const recorded = await run(
      ['record', '--json', '--store', store, ...account, '--feed', 'crypto/XT:BTC-USD,ETH-USD', '--duration', '2s'],
      env,
    )
    expect(recorded.err).not.toMatch(/"level":[45]0/)
    expect(recorded.code).toBe(0)
    expect(recorded.lines).toHaveLength(1)
    const report = JSON.parse(recorded.lines[0]) as {
      session: string
      feeds: Record<string, unknown>[]
      bytes: number
      lag_ms: object
    }
    const sent = service.sent().feeds['crypto/XT']!
    await service.close()
    expect(report.feeds).toMatchObject([
      {
        feed: 'crypto/XT',
        decoded: sent.market,
        received: sent.frames,
        undecodable: 0,
        stored: sent.frames,
        gap_count: 0,
      },
    ])
    expect(Object.keys(report.lag_ms)).toEqual(['p50', 'p99', 'max'])
    expect(report.bytes).toBeGreaterThan(0)

    const listed = await run(['sessions', '--json', '--store', store])
    expect(listed.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { session: report.session, clean: true, messages: sent.frames },
    ])
    const table = await run(['sessions', '--store', store])
    const [labels, row] = table.out.split('\n').map((line) => line.split(/ {2,}/))
    expect(labels?.slice(0, 7)).toEqual(['session', 'source', 'from', 'to', 'messages', 'gaps', 'feeds'])
    expect([row?.[0], ...(row?.slice(4, 7) ?? [])]).toEqual([
      report.session,
      String(sent.frames),
      '0',
      `crypto/XT ${sent.frames}`,
    ])
    const verified = await run(['verify', '--json', '--store', store])
    expect([verified.code, JSON.parse(verified.out)]).toEqual([
      0,
      { schema: 'tapedeck/verify/1', sessions: 1, messages: sent.frames, ok: true, problems: [] },
    ])

    const file = join(home, 'ticks.csv')
    const ticks = await run([
      'export',
      '--json',
      '--store',
      store,
      '--feed',
      'crypto/XT',
      '--symbol',
      'BTC-USD',
      '--out',
      file,
    ])
    expect([ticks.code, ticks.err]).toEqual([0, ''])
    const answer = JSON.parse(ticks.out) as { rows: number; sha256: string; bytes: number; manifest: string }
    const bytes = readFileSync(file)
    expect(answer.rows).toBe(sent.symbols['BTC-USD'])
    expect(bytes.toString().trimEnd().split('\n')).toHaveLength(answer.rows + 1)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(answer.sha256)
    expect(JSON.parse(readFileSync(answer.manifest, 'utf8'))).toMatchObject({
      rows: answer.rows,
      sha256: answer.sha256,
    })
    const bars = ['--what', 'bars', '--interval', '1s', '--symbol', 'BTC-USD', '--out', join(home, 'bars.csv')]
    expect((await run(['export', '--json', '--store', store, '--feed', 'crypto/XT', ...bars])).code).toBe(0)
  })

  it('end cleanly on Ctrl+C with 130 and the report', async () => {
    const store = join(home, 'stopped.db')
    const child = start(['record', '--demo', '--json', '--store', store, '--feed', 'crypto/XT:BTC-USD'])
    let out = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    while (!(existsSync(store) && (await stored(store)) > 0)) await new Promise((resolve) => setTimeout(resolve, 100))
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
    const report = JSON.parse(out) as { session: string; feeds: { received: number; stored: number }[] }
    expect(report.feeds[0].received).toBe(report.feeds[0].stored)
    const listed = await run(['sessions', '--json', '--store', store])
    expect(JSON.parse(listed.out)).toMatchObject({ session: report.session, clean: true })
  })

  it('close the recording after an error that nobody caught, write the report, and end with 1', async () => {
    const store = join(home, 'crashed.db')
    const stray = `process.on('SIGUSR2', () => { throw new Error('stray of sesame-42') })`
    const args = ['record', '--demo', '--json', '--store', store, '--feed', 'crypto/XT:BTC-USD']
    const child = spawn(process.execPath, ['--import', `data:text/javascript,${stray}`, CLI, ...args], {
      env: { ...process.env, TAPEDECK_HOME: home, TAPEDECK_PASSWORD: 'sesame-42', TAPEDECK_API_KEY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (data: Buffer) => (out += data.toString()))
    child.stderr.on('data', (data: Buffer) => (err += data.toString()))
    while (!(existsSync(store) && (await stored(store)) > 0)) await new Promise((resolve) => setTimeout(resolve, 100))
    child.kill('SIGUSR2')
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(err).toContain('an unexpected error ended this command: stray of ***')
    const report = JSON.parse(out) as { session: string; feeds: { received: number; stored: number }[] }
    expect(report.feeds[0].received).toBe(report.feeds[0].stored)
    const listed = await runHere(['sessions', '--json', '--store', store])
    expect(JSON.parse(listed.out)).toMatchObject({ session: report.session, clean: true })
    const [crash = ''] = readdirSync(join(home, 'crashes'))
    const kept = readFileSync(join(home, 'crashes', crash), 'utf8')
    expect(kept).toContain('stray of ***')
    expect(kept).not.toContain('sesame-42')
  })

  it('say in one sentence that another program records into the store', async () => {
    const store = join(home, 'locked.db')
    const child = start(['record', '--demo', '--store', store, '--feed', 'crypto/XT:BTC-USD'])
    while (!existsSync(store) || (await stored(store)) === 0) await new Promise((resolve) => setTimeout(resolve, 100))
    const second = await run(['record', '--demo', '--store', store, '--feed', 'crypto/XT:BTC-USD', '--duration', '1s'])
    expect(second.code).toBe(1)
    expect(second.err.match(/"level":50,.*"event":"failed"/g)).toHaveLength(1)
    child.kill('SIGTERM')
    expect((await once(child, 'close'))[0]).toBe(0)
  })

  it('say what is wrong with a password, and end with 1', async () => {
    const service = await startSimulator({ dataDir: demoData, market: { kind: 'none' } })
    const account = ['--base-url', service.baseUrl, '--user', service.username]
    const common = ['--json', '--store', join(home, 'refused.db'), '--feed', 'crypto/XT:BTC-USD', '--duration', '1s']
    const { code, err } = await run(['record', ...account, ...common], { TAPEDECK_PASSWORD: 'wrong-one' })
    await service.close()
    expect(code).toBe(1)
    expect(err).toContain('password')
    expect(err).not.toContain('wrong-one')
  })
})

/** Messages in a store, 0 while it cannot be read yet. */
async function stored(store: string): Promise<number> {
  const { code, lines } = await runHere(['sessions', '--json', '--store', store])
  if (code !== 0) return 0
  return lines.reduce((sum, line) => sum + (JSON.parse(line) as { messages: number }).messages, 0)
}

describe('fetch', () => {
  it('prints the answer of the demo market, keeps it, and tells it again without a call', async () => {
    const asked = ['fetch', '/commodities/metals', '--demo', '--json']
    const nothing = await runHere([...asked, '--param', 'x=1', '--cached'])
    expect([nothing.code, nothing.out]).toEqual([1, ''])
    expect(nothing.err).toContain('No response to this request is saved')
    const first = await runHere(asked)
    expect(first.err).toBe('')
    expect(first.lines).toHaveLength(1)
    expect(JSON.parse(first.out)).toMatchObject({ status: 'success' })
    const again = await runHere([...asked, '--cached'])
    expect(again.out).toBe(first.out)
  })

  it('takes a path as it is requested, and the name that --list tells', async () => {
    const typed = await runHere(['fetch', '/news/AAPL', '--demo', '--json'])
    expect([typed.code, typed.err]).toEqual([0, ''])
    const { lines } = await runHere(['fetch', '--list', '--json'])
    const listed = lines.map((line) => JSON.parse(line) as { endpoint: string; path: string })
    expect(listed).toHaveLength(ENDPOINTS.length)
    const { endpoint = '' } = listed.find(({ path }) => path === '/news/{symbol}') ?? {}
    const named = await runHere(['fetch', endpoint, '--symbol', 'AAPL', '--demo', '--json', '--cached'])
    expect(named.out).toBe(typed.out)
    expect((await runHere(['fetch', '--list'])).lines).toHaveLength(ENDPOINTS.length + 1)
  })

  it('suggests the endpoint that was meant', async () => {
    expect((await runHere(['fetch', 'incom-statement'])).err).toContain('did you mean income-statement?')
    expect((await runHere(['fetch', '/orders'])).err).toContain('fetch --list')
  })
})
