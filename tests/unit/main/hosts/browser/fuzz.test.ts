/** Whatever strangers send over loopback, the browser host lives and lets the next page in. */
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startBrowserHost, type BrowserHost } from '../../../../../src/main/hosts/browser/host.ts'
import { readOnce } from '../../../../../src/main/hosts/browser/page-cache.ts'
import type { Page } from '../../../../../src/main/hosts/window-files.ts'
import { stubTerminal, type StubTerminal } from '../../../../contract/stub-terminal.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const LARGEST_FRAGMENT = 8 * 1024 * 1024

let folder: string
let stub: StubTerminal
let host: BrowserHost
let secret: string
beforeAll(async () => {
  folder = makeFolder('fuzz')
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tapedeck</title>')
  stub = stubTerminal()
  host = await startBrowserHost(stub.handlers, { rendererDir: folder })
  secret = await admit({ t: 'token', token: new URL(host.url).hash.replace('#token=', '') })
})
afterAll(async () => {
  await host.close()
})

/** Comes in as a page does; answers the secret it was welcomed with. */
async function admit(hello: object): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, { origin: `http://127.0.0.1:${host.port}` })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(JSON.stringify(hello))
  const text = await new Promise<string>((resolve) =>
    socket.once('message', (data: Buffer) => resolve(data.toString())),
  )
  socket.terminate()
  const greeting = JSON.parse(text) as { t: string; secret: string }
  expect(greeting.t).toBe('welcome')
  return greeting.secret
}

/** A frame as RFC 6455 §5.2 lays it out, but for what is claimed wrongly. */
interface Frame {
  readonly first: number
  readonly masked: boolean
  /** Bytes that the header promises. */
  readonly claimed: number
  /** Bytes that come. */
  readonly sent: number
}

function bytesOf({ first, masked, claimed, sent }: Frame): Buffer {
  const mask = masked ? 0x80 : 0
  let header: Buffer
  if (claimed < 126) header = Buffer.from([first, mask | claimed])
  else if (claimed < 65_536) header = Buffer.from([first, mask | 126, claimed >> 8, claimed & 255])
  else {
    header = Buffer.alloc(10)
    header[0] = first
    header[1] = mask | 127
    header.writeBigUInt64BE(BigInt(claimed), 2)
  }
  return Buffer.concat([
    header,
    masked ? Buffer.alloc(4) : Buffer.alloc(0),
    Buffer.alloc(Math.min(sent, claimed), 0x7b),
  ])
}

const frame = fc.record({
  first: fc.nat(255),
  masked: fc.boolean(),
  claimed: fc.oneof(
    fc.nat(200),
    fc.nat(70_000),
    fc.constantFrom(125, 126, 65_535, 65_536, LARGEST_FRAGMENT, 2 ** 40, Number.MAX_SAFE_INTEGER),
  ),
  sent: fc.oneof(fc.nat(200), fc.constantFrom(5_000, 70_000, LARGEST_FRAGMENT)),
})
const upgrade = fc.record({
  origin: fc.boolean(),
  extra: fc.constantFrom('', 'Sec-WebSocket-Extensions: permessage-deflate\r\n', 'Sec-WebSocket-Protocol: a, b\r\n'),
  frames: fc.array(frame, { maxLength: 6 }),
})
const rubbish = fc.record({ text: fc.oneof(fc.string({ maxLength: 400 }), fc.constantFrom('GET / HTTP/1.1\r\n\r\n')) })

/** Sends all of it, unless the host hangs up first; leaves the way `leave` says. */
async function send(bytes: Buffer, leave: 'end' | 'reset' | 'vanish'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: host.port })
  socket.on('error', () => undefined) // hung up on in the middle of a write
  socket.resume()
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.write(bytes, () => resolve())
  })
  if (leave === 'end') socket.end()
  else if (leave === 'reset') socket.resetAndDestroy()
  return socket
}

test('strangers with frames and fragments of any size, and rubbish, do not end it', async () => {
  const held: Socket[] = []
  await fc.assert(
    fc.asyncProperty(fc.oneof(upgrade, rubbish), fc.constantFrom('end', 'reset', 'vanish'), async (what, leave) => {
      const head = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n`
      const bytes =
        'text' in what
          ? Buffer.from(what.text)
          : Buffer.concat([
              Buffer.from(
                `${head}${what.origin ? `Origin: http://127.0.0.1:${host.port}\r\n` : ''}${what.extra}` +
                  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
                  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
              ),
              ...what.frames.map(bytesOf),
            ])
      held.push(await send(bytes, leave))
    }),
    { numRuns: 150 },
  )
  await admit({ t: 'secret', secret })
  for (const socket of held) socket.destroy()
  expect(stub.asked).toEqual([])
})

test('an admitted page that sends any frame is hung up on or answered, and the next one comes in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 4 }), async (frames) => {
      const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, { origin: `http://127.0.0.1:${host.port}` })
      let raw: Socket | undefined
      socket.on('upgrade', (response) => (raw = response.socket))
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('open', resolve))
      socket.send(JSON.stringify({ t: 'secret', secret }))
      await new Promise((resolve) => socket.once('message', resolve))
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve())
        raw?.write(Buffer.concat(frames.map(bytesOf)), () => resolve())
      })
      socket.terminate()
    }),
    { numRuns: 40 },
  )
  await admit({ t: 'secret', secret })
  expect(stub.asked).toEqual([])
})

test('a page asked for a thousand times at once is read once, and one that is not there is forgotten', async () => {
  const page = (status: 200 | 404): Page => ({ status, headers: {}, body: new Uint8Array(1) })
  const reads: string[] = []
  const read = readOnce({
    read: async (pathname) => {
      reads.push(pathname)
      return page(pathname === '/main.js' ? 200 : 404)
    },
  })
  const all = await Promise.all(Array.from({ length: 1_000 }, () => read('/main.js')))
  expect(new Set(all.map(({ body }) => body)).size).toBe(1)
  await read('/main.js')
  expect(reads).toEqual(['/main.js'])
  await read('/nowhere')
  await read('/nowhere')
  expect(reads).toEqual(['/main.js', '/nowhere', '/nowhere'])
})
