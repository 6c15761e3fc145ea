/**
 * The page about teams, command by command, on real servers: two recorders of the demo market, an archiver, two terminals.
 * Then the examples of the help that need them.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { COMMANDS } from '../../../src/main/hosts/cli/table.ts'
import { atEnd } from '../../kit/at-end.ts'
import { makeFolder } from '../../kit/folder.ts'
import { freePorts, hasNatsServer, isOldNatsServer, natsProgram } from '../../kit/nats-server.ts'
import { postgresPrograms } from '../../kit/postgres-process.ts'
import { hasPostgres, startPostgres } from '../../kit/postgres-server.ts'
import { blocksOf, commandsOf, isOfTeam, NOT_RUN } from './blocks.ts'
import { runLine, startLine, type Ran, type Running } from './command-lines.ts'

const PAGE = 'docs/guide/team.md'
const commands = commandsOf(PAGE)
/** Commands that run until they are stopped, and what each says once it works. */
const STARTED: readonly (readonly [command: RegExp, says: RegExp])[] = [
  [/^archive .*--upstream/, /"event":"started","team":"eu"/],
  [/^record /, /"event":"connected"/],
  [/^serve /, /Watching team eu/],
  [/^replay --serve /, /http:/],
]
const HOUR_MS = 3_600_000

/** What a table says, whatever the numbers, keys, recorders and hosts are. */
const shapeOf = (text: string): string =>
  text
    .replace(/\bU[A-Z2-7]{55}\b/g, 'KEY')
    .replace(/\b[0-9a-z]{26}\b/g, 'SESSION')
    .replace(/\br[12]\b/g, 'RECORDER')
    .replace(/[\d,]+(?:\.\d+)?/g, 'N')
    .replace(/N (?:bytes?|[kMG]B)/g, 'N SIZE')
    .replace(/^Archiving: .*$/m, 'Archiving: HOST.')
    .replace(/ +/g, ' ')
    .trim()

describe.skipIf(!hasNatsServer || !hasPostgres)('the page about teams [needs nats-server] [needs postgresql]', () => {
  it('works from the first command to the last, and so do the examples of the help', { timeout: 180_000 }, async () => {
    const [port = 0] = await freePorts(1)
    const postgres = await startPostgres()
    const folder = makeFolder('team')
    const page = makeFolder('page')
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>Tapedeck</title>')
    const running = new Map<string, Running>()
    let session = ''
    const [before, after] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS].map((ms) => new Date(ms).toISOString())

    /** With addresses, folders, sessions and times of this test. */
    const withOwn = (line: string): string =>
      line
        .replace(/nats:\/\/(?:127\.0\.0\.1(?::4222)?|nats-1|nats\.example\.com)(?=\s|$)/g, `nats://127.0.0.1:${port}`)
        .replace(/postgres:\/\/(\w+)@(?:127\.0\.0\.1|db-1)\/td/g, (_, user: string) =>
          postgres.url('td', { owner: 'td', me: 'reader' }[user] ?? user),
        )
        .replaceAll('/tmp/team', folder)
        .replace(/(?<=--session |fetch-session )(?:ID|01k…)/, session)
        .replace('2026-01-05T09:00Z', before ?? '')
        .replace('2026-01-05T10:00Z', after ?? '')
        .replace('--serve 8017', '--serve 0')

    /** Runs a command of Tapedeck. What runs until it is stopped has started when this resolves; it gives nothing. */
    async function tapedeck(line: string, name = line): Promise<Ran | undefined> {
      const home = / --home (\S+)/.exec(withOwn(line))?.[1] ?? join(folder, 'home')
      mkdirSync(home, { recursive: true })
      const old = isOldNatsServer && / (?:--upstream|--publish) /.test(line) && !line.includes('--allow-old-nats')
      const own = withOwn(line).replace(/ --home \S+/, '') + (old ? ' --allow-old-nats' : '')
      const [, says] = STARTED.find(([command]) => command.test(line)) ?? []
      if (says === undefined) return runLine(own, { folder: home, page })
      const started = startLine(own, { folder: home, page })
      running.set(name, started)
      const isStarted = waitFor(() => expect(`${started.out()}${started.err()}`).toMatch(says)).then(() => undefined)
      return Promise.race([isStarted, started.ended])
    }
    const good = async (line: string): Promise<string> => {
      const ran = await tapedeck(line)
      expect([line, ran?.code ?? 0, ran?.err ?? '']).toEqual([line, 0, ran?.err ?? ''])
      return ran?.out ?? ''
    }
    /** Ends what is running of the commands that start so. */
    async function end(start: string): Promise<void> {
      for (const [name, one] of running) {
        if (!name.startsWith(start)) continue
        running.delete(name)
        expect(await one.end()).toMatchObject({ code: 0 })
      }
    }
    const database = (command: string): void => {
      const { status, stderr } = spawnSync('bash', ['-c', command], {
        env: {
          ...process.env,
          PATH: `${postgresPrograms}:${process.env['PATH']}`,
          PGHOST: '127.0.0.1',
          PGPORT: String(postgres.port),
          PGUSER: 'postgres',
        },
        encoding: 'utf8',
      })
      expect([command, status, stderr]).toEqual([command, 0, ''])
    }

    const shown = blocksOf(PAGE).filter(({ language }) => language === '')
    const [table, , keys] = shown.map(({ code }) => code)
    expect(shown).toHaveLength(3)
    for (const command of commands.filter((line) => !(line in NOT_RUN))) {
      const [program = '', ...args] = command.split(' ')
      const line = args.join(' ')
      if (program === 'nats-server') await startNats(withOwn(line), port)
      else if (program === 'psql') database(withOwn(command))
      // The server of this test lets everyone in, so it has no password to ask for.
      else if (program === 'sudo') database(line.replace('-u postgres ', '').replace(' --pwprompt', ''))
      else if (program === 'export') expect(line).toBe('PGPASSWORD=…')
      else if (line.startsWith('team ')) {
        let text = ''
        await waitFor(async () => {
          text = await good(line)
          expect(shapeOf(text)).toBe(shapeOf(table ?? ''))
        })
        session = /\b[0-9a-z]{26}\b/.exec(text)?.[0] ?? ''
        const own = [...text.matchAll(/^U\w+/gm)].map(([key]) => key)
        const names = [...(keys ?? '').matchAll(/^U\w+ (\w+)$/gm)].map(([, name]) => name)
        expect([own.length, names.length]).toEqual([2, 2])
        writeFileSync(join(folder, 'recorders.txt'), own.map((key, i) => `${key} ${names[i]}\n`).join(''))
      } else if (line.startsWith('verify ') && session !== '' && running.size > 0) {
        await end('record ')
        // The archiver says when the history has the end of the session.
        await waitFor(async () => expect(await good(line)).toMatch(/^2 sessions, \d+ messages: all as recorded\n/))
        const table = (): Promise<string> =>
          good(commands.find((one) => one.includes('tapedeck team '))?.slice(9) ?? '')
        await waitFor(async () => expect(await table()).not.toContain(session))
        await end('')
      } else {
        const trusting = line.replace('recorders.txt', join(folder, 'recorders.txt'))
        const out = await good(trusting)
        if (line.startsWith('fetch-session ')) expect(out).toMatch(new RegExp(`^${session}: \\d+ messages, signed by `))
        // A line for each whole minute comes first, when the recording reached one.
        if (line.startsWith('replay '))
          expect(out).toMatch(/^(?:\S+Z {2}\d+ {2}[\da-f]{64}\n)*messages \d+\ndigest [\da-f]{64}\n/)
        if (line.startsWith('verify ')) expect(out).toMatch(/signed by (?:paris|tokyo), U/)
      }
    }

    writeFileSync(join(folder, 'symbols.txt'), 'crypto/XT:BTC-USD,ETH-USD\nforex/C:EURUSD\n')
    const examples = (
      await Promise.all(
        COMMANDS.map(async ({ name, load }) => ((await load()).examples ?? []).map(([, args]) => `${name} ${args}`)),
      )
    ).flat()
    const ofTeam = examples.filter(isOfTeam)
    expect(ofTeam.length).toBeGreaterThan(10)
    for (const line of ofTeam) {
      const home = line.startsWith('replay ') ? 't1' : `example-${ofTeam.indexOf(line)}`
      const own = line.replace(/(recorders|symbols)\.txt/, `${folder}/$&`)
      await good(`${own} --home ${join(folder, home)}`)
      await end('')
    }
  })
})

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 100 })

const servers: ChildProcess[] = []
atEnd(async () => {
  for (const child of servers) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
})

/** Runs nats-server with these arguments on a port, until the end of the file. */
async function startNats(args: string, port: number): Promise<void> {
  const child = spawn(natsProgram, [...args.split(' '), '-p', String(port)], { stdio: 'ignore' })
  servers.push(child)
  await waitFor(
    () =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('data', () => socket.destroy()).once('close', (failed) => (failed ? undefined : resolve()))
        socket.once('error', reject)
      }),
  )
}
