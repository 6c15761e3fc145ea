import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { commandContext } from './context.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer } from '../../../../kit/nats-server.ts'

let home: string
beforeEach(async () => {
  home = makeFolder('serve')
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

/** Shows the token of an address as a page does; answers the kind of greeting that came. */
async function showToken(url: string): Promise<string> {
  const { host, hash } = new URL(url)
  const socket = new WebSocket(`ws://${host}/ws`, { origin: `http://${host}` })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ t: 'token', token: hash.replace('#token=', '') }))
  const [data] = await new Promise<[Buffer]>((resolve) => socket.once('message', (...all) => resolve(all as never)))
  // Said something: from here on the token is spent for good.
  socket.send(JSON.stringify({ t: 'credit', ids: [] }))
  return (JSON.parse(data.toString('utf8')) as { t: string }).t
}

// The stand-in for the opener is a shell script by the name that Linux desktops use.
describe.runIf(process.platform === 'linux')('serve --open [needs linux]', () => {
  it('keeps the token out of the arguments of other programs, and says when an address is used twice', async () => {
    const window = join(home, 'window')
    const bin = join(home, 'bin')
    const data = join(home, 'data')
    await Promise.all([mkdir(window), mkdir(bin)])
    await writeFile(join(window, 'index.html'), '<!doctype html><title>Tapedeck</title>')
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${home}/args'\n`)
    await chmod(join(bin, 'xdg-open'), 0o755)
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    vi.stubEnv('DISPLAY', ':0')
    const stop = new AbortController()
    const context = commandContext({ dataDir: data, rendererDir: window, signal: stop.signal })
    const ended = runCommandLine(['serve', '--demo', '--open', '--json'], context)
    await vi.waitFor(async () => expect(await readFile(join(home, 'args'), 'utf8')).not.toBe(''), { timeout: 20_000 })
    const { url } = JSON.parse(context.output()) as { url: string }
    const token = new URL(url).hash.replace('#token=', '')
    expect(await readFile(join(home, 'args'), 'utf8')).not.toContain(token)
    const pages = (): Promise<string[]> => readdir(data).then((names) => names.filter((name) => name.endsWith('.html')))
    expect(await readFile(join(data, (await pages())[0] ?? ''), 'utf8')).toContain(url)

    expect(await showToken(url)).toBe('welcome')
    expect(context.errors()).not.toMatch(/already used|"level":[45]0/)
    expect(await showToken(url)).toBe('refused')
    expect(context.errors()).toContain('already used')

    stop.abort()
    expect(await ended).toBe(130)
    expect(await pages()).toEqual([])
  })
})

describe('serve --team', () => {
  it.each([
    [['--team', 'eu'], 'name the team’s NATS servers with --upstream nats://HOST'],
    [['--history', 'postgres://me@db/td'], '--history needs --team and --upstream'],
    [['--team', 'eu', '--upstream', 'nats://a', '--demo'], '--upstream can’t be combined with --demo'],
    [['--team', 'eu', '--upstream', 'nats://me:secret@a'], 'leave the password out of the NATS URL'],
    [
      ['--team', 'eu', '--upstream', 'nats://a', '--history', 'postgres://me:secret@db/td'],
      'leave the password out of the PostgreSQL URL',
    ],
  ])('refuses %j before anything is opened', async (args, message) => {
    const data = join(home, 'data')
    const context = commandContext({ dataDir: data })
    expect(await runCommandLine(['serve', ...args], context)).toBe(2)
    expect(context.errors()).toContain(message)
    expect(context.errors()).not.toContain('secret')
    await expect(readdir(data)).rejects.toThrow('ENOENT')
  })

  it.skipIf(!hasNatsServer)('refuses when the servers refuse it, and stores nothing [needs nats-server]', async () => {
    const server = await startNatsServer({ config: 'authorization { user: me, password: hidden }' })
    const data = join(home, 'data')
    const context = commandContext({ dataDir: data })
    const args = ['serve', '--team', 'eu', '--upstream', server.url, '--allow-old-nats']
    expect(await runCommandLine(args, context)).toBe(1)
    expect(context.errors()).toContain('refused the credentials')
    await expect(readdir(data)).rejects.toThrow('ENOENT')
  })
})
