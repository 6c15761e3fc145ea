/** A recorder, an archiver and a second machine, each a process with a home of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer } from '../../../../../kit/nats-server.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { testServer } from './kit.ts'

const CLI = fileURLToPath(new URL('../../../../../../src/main/cli.ts', import.meta.url))
const running = new Set<ReturnType<typeof spawn>>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

function start(...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const printed = { out: '', err: '' }
  child.stdout.on('data', (text: Buffer) => (printed.out += text.toString()))
  child.stderr.on('data', (text: Buffer) => (printed.err += text.toString()))
  const ended = once(child, 'close').then(() => {
    running.delete(child)
    return { code: child.exitCode, ...printed }
  })
  return { child, printed, ended }
}
const run = async (...args: string[]) => start(...args).ended

describe.skipIf(!hasNatsServer || !hasPostgres)(
  'a session recorded on one machine [needs nats-server] [needs postgresql]',
  { timeout: 90_000 },
  () => {
    it('is archived and replays on another machine with equal digests', async () => {
      const [nats, postgres] = await Promise.all([startNatsServer(), testServer()])
      const [a, b] = [makeFolder('machine-a'), makeFolder('machine-b')]
      const upstream = ['--upstream', nats.url, '--team', 'desk', '--allow-old-nats']
      const history = ['--history', postgres.url(), '--team', 'desk']
      const archiver = start('archive', postgres.url(), ...upstream, '--migrate', '--home', makeFolder('archiver'))
      const recorded = await run(
        ...['record', '--demo', '--feed', 'crypto/XT:BTC-USD,ETH-USD', '--feed', 'stocks/T:AAPL', '--duration', '2s'],
        ...['--publish', nats.url, '--team', 'desk', '--allow-old-nats', '--home', a, '--json'],
      )
      expect([recorded.code, recorded.err]).toEqual([0, expect.any(String)])
      const listed = await run('sessions', '--json', '--home', a)
      const { session, messages } = JSON.parse(listed.out) as { session: string; messages: number } // as --json prints
      expect(messages).toBeGreaterThan(10)
      const until = Date.now() + 30_000
      let fetched = await run('fetch-session', session, ...history, '--home', b)
      while (fetched.code !== 0 && Date.now() < until)
        fetched = await run('fetch-session', session, ...history, '--home', b)
      expect([archiver.printed.err, fetched]).toEqual([
        expect.stringMatching(
          /"event":"started","team":"desk","history":"127\.0\.0\.1.*"msg":"Archiving team desk into [^]*Archiving shard 1\./,
        ),
        { code: 0, out: expect.stringContaining(`${session}: ${messages} messages, signed by U`) as string, err: '' },
      ])
      const signed = ['--trust', /signed by (U\w+)/.exec(fetched.out)?.[1] ?? '']
      const verified = await run('verify', ...history, '--home', b, ...signed)
      expect([verified.code, verified.out]).toEqual([
        0,
        `1 session, ${messages} messages: all as recorded\n${session}: signed by a trusted key, ${signed[1]}\n`,
      ])
      const digests = (home: string) => run('replay', '--session', session, '--digest', '--json', '--home', home)
      const [there, here] = await Promise.all([digests(a), digests(b)])
      expect(there.code).toBe(0)
      expect(JSON.parse(here.out)).toEqual(JSON.parse(there.out))
      expect(await run('verify', '--home', b)).toMatchObject({ code: 0 })
      archiver.child.kill('SIGTERM')
      expect((await archiver.ended).code).toBe(0)
    })
  },
)
