/** electron-updater itself against an update server: what it takes, and what it throws away. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AppImageUpdater } from 'electron-updater'
import { ElectronHttpExecutor } from 'electron-updater/out/electronHttpExecutor.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BOUNDS } from '../../../../../src/main/features/updates/bounds.ts'
import { isPlainList, releaseOf, updaterOf } from '../../../../../src/main/features/updates/electron-updater.ts'
import { createUpdates } from '../../../../../src/main/features/updates/updates.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

/** electron-updater's own downloads, over Node's network instead of Electron's, which is not here. */
class NodeRequests extends ElectronHttpExecutor {
  override createRequest(options: RequestOptions, callback: (response: IncomingMessage) => void): never {
    // The two kinds of request have in common what is used of them; only their types differ.
    return request(options, callback) as never
  }
}

const payload = Buffer.alloc(200_000, 'tapedeck ')
const sha512 = createHash('sha512').update(payload).digest('base64')
let folder: string
let server: Server
let served: (path: string) => Buffer | string | null
/** Answers in its own way, where it is set: true once it has. */
let odd: (path: string, outgoing: ServerResponse) => boolean
let asked: string[]

beforeEach(async () => {
  folder = makeFolder('update')
  asked = []
  odd = () => false
  server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url ?? '/', 'http://x').pathname
    asked.push(path)
    if (odd(path, outgoing)) return
    const body = served(path)
    if (body === null) return void outgoing.writeHead(404).end()
    const bytes = Buffer.from(body)
    outgoing.writeHead(200, { 'content-length': path.endsWith('.AppImage') ? payload.length : bytes.length })
    // A connection that ends early: fewer bytes than were promised.
    if (path.endsWith('.AppImage') && bytes.length < payload.length) outgoing.write(bytes, () => outgoing.destroy())
    else outgoing.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
})

const list = (version: string): string =>
  [
    `version: ${version}`,
    'files:',
    '  - url: Tapedeck.AppImage',
    `    sha512: ${sha512}`,
    `    size: ${payload.length}`,
    'path: Tapedeck.AppImage',
    `sha512: ${sha512}`,
    "releaseDate: '2026-01-05T10:00:00.000Z'",
    'releaseNotes: <b>Better</b> bars',
  ].join('\n')

function updates(channel: 'stable' | 'beta' = 'stable', bounds = BOUNDS) {
  const { port } = server.address() as AddressInfo // it listens on TCP
  writeFileSync(join(folder, 'app-update.yml'), 'updaterCacheDirName: tapedeck-test\n')
  const updater = new AppImageUpdater(null, {
    version: '1.0.0',
    name: 'tapedeck',
    isPackaged: true,
    appUpdateConfigPath: join(folder, 'app-update.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: () => Promise.resolve(),
    relaunch: () => undefined,
    quit: () => undefined,
    onQuit: () => undefined,
  })
  // A private of theirs, because Electron's network is not here.
  ;(updater as unknown as { httpExecutor: NodeRequests }).httpExecutor = new NodeRequests()
  updater.disableDifferentialDownload = true
  updater.setFeedURL({ provider: 'generic', url: `http://127.0.0.1:${port}/` })
  process.env.APPIMAGE = join(folder, 'Tapedeck-1.0.0.AppImage')
  writeFileSync(process.env.APPIMAGE, 'old')
  return createUpdates({
    updater: updaterOf(updater, bounds),
    settings: () => ({ check: true, channel }),
    busy: () => null,
    clock: { wallMs: () => unixMs(5), after: () => () => undefined },
    changed: () => undefined,
    log: () => undefined,
  })
}

test('a good update is downloaded and ready', async () => {
  served = (path) => (path === '/Tapedeck.AppImage' ? payload : path === '/latest-linux.yml' ? list('2.0.0') : null)
  const one = updates()
  await one.check()
  expect(one.state()).toEqual({
    is: 'ready',
    release: { version: '2.0.0', notes: 'Better bars', dateMs: Date.UTC(2026, 0, 5, 10) },
  })
})

test('a tampered update is thrown away', async () => {
  const tampered = Buffer.from(payload)
  tampered[100_000] ^= 1
  served = (path) => (path === '/Tapedeck.AppImage' ? tampered : list('2.0.0'))
  const one = updates()
  await one.check()
  expect(one.state()).toMatchObject({
    is: 'failed',
    message: expect.stringContaining('match what its publisher released'),
  })
})

test('a truncated update is thrown away', async () => {
  served = (path) => (path === '/Tapedeck.AppImage' ? payload.subarray(0, 60_000) : list('2.0.0'))
  const one = updates()
  await one.check()
  expect(one.state()).toMatchObject({ is: 'failed' })
  expect(asked).toContain('/Tapedeck.AppImage')
})

test.each(['0.9.0', '1.0.0'])('version %s is not newer and is not asked for', async (version) => {
  served = () => list(version)
  const one = updates()
  await one.check()
  expect(one.state()).toEqual({ is: 'current', checkedMs: 5 })
  expect(asked).not.toContain('/Tapedeck.AppImage')
})

test('the beta channel has a list of its own', async () => {
  served = (path) =>
    path === '/beta-linux.yml' ? list('3.0.0-beta.1') : path.endsWith('.yml') ? list('1.0.0') : payload
  const one = updates('beta')
  await one.check()
  expect(one.state()).toMatchObject({ is: 'ready', release: { version: '3.0.0-beta.1' } })
})

test.each([
  [
    'a name that leads out of its folder',
    () => list('2.0.0').replaceAll('Tapedeck.AppImage', '../../escaped.AppImage'),
  ],
  ['a name that is spelt so', () => list('2.0.0').replaceAll('Tapedeck.AppImage', '..%2f..%2fescaped.AppImage')],
  ['a list that runs code', () => `${list('2.0.0')}\nextra: !!js/function 'function () { return 1 }'`],
  ['a list that multiplies itself', () => bomb()],
  ['a version that is a command', () => list('2.0.0; touch escaped.AppImage')],
  ['an update without a sum', () => list('2.0.0').replace(/ *sha512: .*\n/g, '')],
  ['a sum of another kind', () => list('2.0.0').replaceAll(sha512, '[1, 2]')],
  ['an inherited version', () => '__proto__:\n  version: 9.9.9\nconstructor: x'],
])('a hostile server with %s gets nothing installed and no file elsewhere', async (_what, text) => {
  served = (path) => (path.endsWith('.yml') ? text() : Buffer.from('evil'))
  const one = updates()
  await one.check()
  expect(one.state().is).toBe('failed')
  const outside = [join(folder, '..'), join(folder, '..', '..')]
  for (const place of outside) expect(readdirSync(place)).not.toContain('escaped.AppImage')
  expect(readFileSync(process.env.APPIMAGE ?? '', 'utf8')).toBe('old')
})

/** Nine lists of nine times the one before: some 400 million texts, if anybody wrote them out. */
function bomb(): string {
  const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let i = 1; i < 9; i++) rows.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]`)
  return [...rows, 'version: *a8', 'files: *a8'].join('\n')
}

test('a list may say what it likes in its notes, but may not name parts of itself', () => {
  expect(isPlainList(list('2.0.0').replace('Better', 'R&D, *bold*, a & b * c,'))).toBe(true)
  expect(isPlainList(bomb())).toBe(false)
  expect(isPlainList('x'.repeat(500_001))).toBe(false)
})

test('a server that answers nonsense, or not at all, changes nothing', async () => {
  served = () => '<html>Sign in to the hotel’s network</html>'
  const one = updates()
  await one.check()
  expect(one.state().is).toBe('failed')
  served = () => null
  await one.check()
  expect(one.state().is).toBe('failed')
})

/** Writes the same for as long as somebody reads; tells how much was taken until they hung up. */
function endless(outgoing: ServerResponse, piece: Buffer): Promise<number> {
  let sent = 0
  const on = (): void => {
    while (!outgoing.destroyed && outgoing.write(piece)) sent += piece.length
    sent += piece.length
  }
  outgoing.on('drain', on)
  outgoing.on('error', () => undefined)
  const ended = new Promise<number>((resolve) => outgoing.once('close', () => resolve(sent)))
  on()
  return ended
}

describe('a server that never ends', () => {
  test.each([
    ['its list', 200],
    ['the page of an error', 500],
    ['a page that is not there', 404],
  ])('%s is hung up on while it sends, and said', async (what, status) => {
    let taken: Promise<number> = Promise.resolve(0)
    odd = (_path, outgoing) => {
      outgoing.writeHead(status)
      taken = endless(outgoing, Buffer.alloc(64 << 10, 'x: y\n'))
      return true
    }
    const one = updates()
    await one.check()
    expect(one.state()).toMatchObject({ is: 'failed' })
    if (what === 'its list') {
      expect(one.state()).toMatchObject({ message: expect.stringContaining('sent more data than an update can have') })
    }
    // What lies in the buffers of the connection comes on top.
    expect(await taken).toBeLessThan(BOUNDS.listBytes + (16 << 20))
  })

  test('a list that comes drop by drop is given up in time', async () => {
    let timer: ReturnType<typeof setInterval> | undefined
    let gone: Promise<unknown> = Promise.resolve()
    odd = (_path, outgoing) => {
      outgoing.writeHead(200)
      timer = setInterval(() => outgoing.write('#'), 5)
      gone = new Promise((resolve) => outgoing.once('close', resolve))
      return true
    }
    const one = updates('stable', { ...BOUNDS, listMs: 100 })
    await one.check()
    await gone
    clearInterval(timer)
    expect(one.state()).toMatchObject({ is: 'failed', message: expect.stringContaining('didn’t finish its response') })
  })

  test('a list that is never begun is given up in time', async () => {
    odd = () => true
    const one = updates('stable', { ...BOUNDS, listMs: 100 })
    await one.check()
    expect(one.state()).toMatchObject({ is: 'failed', message: expect.stringContaining('didn’t finish its response') })
    server.closeAllConnections()
  })

  test('redirections that lead in a circle are counted', async () => {
    odd = (path, outgoing) => {
      outgoing.writeHead(302, { location: `${path}x` }).end()
      return true
    }
    const one = updates()
    await one.check()
    expect(one.state()).toMatchObject({
      is: 'failed',
      message: expect.stringContaining('more data than an update can have'),
    })
    expect(asked.length).toBeLessThan(20)
  })

  test('a package without an end does not fill the disk', async () => {
    served = () => list('2.0.0')
    let taken: Promise<number> = Promise.resolve(0)
    odd = (path, outgoing) => {
      if (!path.endsWith('.AppImage')) return false
      outgoing.writeHead(200)
      taken = endless(outgoing, Buffer.alloc(64 << 10))
      return true
    }
    const one = updates('stable', { ...BOUNDS, packageBytes: 1 << 20 })
    await one.check()
    expect(one.state()).toMatchObject({
      is: 'failed',
      message: expect.stringContaining('more data than an update can have'),
    })
    expect(await taken).toBeLessThan((1 << 20) + (16 << 20))
  })

  test('a package that stops on its way is given up', async () => {
    served = () => list('2.0.0')
    odd = (path, outgoing) => {
      if (!path.endsWith('.AppImage')) return false
      outgoing.writeHead(200, { 'content-length': payload.length })
      outgoing.write(payload.subarray(0, 1_000))
      return true
    }
    const one = updates('stable', { ...BOUNDS, idleMs: 100 })
    await one.check()
    expect(one.state()).toMatchObject({ is: 'failed', message: expect.stringContaining('didn’t finish its response') })
  })
})

// How their time grows with their length: benchmarks/texts.ts.
test('notes of half a million opening brackets are bounded', () => {
  const info = { version: '2.0.0', files: [], path: '', sha512: '', releaseDate: '' }
  expect(releaseOf({ ...info, releaseNotes: '<'.repeat(500_000) }).notes).toHaveLength(20_000)
  expect(releaseOf({ ...info, releaseNotes: '<a '.repeat(160_000) }).notes).toHaveLength(20_000)
  expect(releaseOf({ ...info, releaseNotes: '<b>Better</b> <script>x</script>' }).notes).toBe('Better x')
})
