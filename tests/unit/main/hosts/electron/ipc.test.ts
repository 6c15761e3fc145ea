import { EventEmitter } from 'node:events'
import type { IpcMain } from 'electron'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Handlers } from '../../../../../src/main/rpc/dispatch.ts'
import { serveWindows } from '../../../../../src/main/hosts/electron/ipc.ts'
import { PORT_CHANNEL } from '../../../../../src/shared/rpc/transport.ts'
import { stubTerminal, type StubTerminal } from '../../../../contract/stub-terminal.ts'

class FakePort extends EventEmitter {
  readonly posted: unknown[] = []
  closed = false
  postMessage(data: unknown): void {
    this.posted.push(data)
  }
  start(): void {}
  close(): void {
    this.closed = true
  }
}
const channels: { port1: FakePort; port2: FakePort }[] = []
vi.mock('electron', () => ({
  MessageChannelMain: class {
    readonly port1 = new FakePort()
    readonly port2 = new FakePort()
    constructor() {
      channels.push(this)
    }
  },
}))

let stub: StubTerminal
let ipc: EventEmitter
let refused: number
beforeEach(() => {
  channels.length = 0
  stub = stubTerminal()
  ipc = new EventEmitter()
  refused = 0
})

const serve = (handlers: Promise<Handlers | undefined> = Promise.resolve(stub.handlers)): { close(): void } =>
  serveWindows(ipc as unknown as IpcMain, handlers, 'app://tapedeck/', () => (refused += 1))

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function page(id: number, url = 'app://tapedeck/', parent: unknown = null) {
  const printToPDF = vi.fn(() => Promise.resolve(Buffer.from(`pdf of ${id}`)))
  const sender = Object.assign(new EventEmitter(), { id, isDestroyed: () => false, printToPDF })
  const senderFrame = { url, parent, isDestroyed: () => false, postMessage: vi.fn() }
  return { sender, senderFrame, ask: () => ipc.emit(PORT_CHANNEL, { sender, senderFrame }) }
}

test('a page of ours gets a port, and the terminal behind it', async () => {
  serve()
  const window = page(1)
  window.ask()
  await turn()
  const [channel] = channels
  expect(window.senderFrame.postMessage).toHaveBeenCalledExactlyOnceWith(PORT_CHANNEL, null, [channel?.port2])
  channel?.port1.emit('message', { data: { t: 'call', id: 1, name: 'app.info', args: {} } })
  await turn()
  expect(channel?.port1.posted).toMatchObject([{ t: 'result', id: 1, result: { ok: true } }])
})

test('a PDF is of the window that asks for it', async () => {
  serve()
  const windows = [page(1), page(2)]
  for (const window of windows) window.ask()
  await turn()
  const call = { t: 'call', id: 1, name: 'desktop.pdf', args: {} }
  channels[1]?.port1.emit('message', { data: call })
  await turn()
  const value = Buffer.from('pdf of 2').toString('base64')
  expect(channels[1]?.port1.posted).toMatchObject([{ result: { ok: true, value } }])
  expect(channels[0]?.port1.posted).toEqual([])
  windows[0].sender.printToPDF.mockRejectedValue(new Error('no printer'))
  channels[0]?.port1.emit('message', { data: call })
  await turn()
  const error = { message: 'Couldn’t make the PDF.', hint: 'Print it, and choose PDF there.' }
  expect(channels[0]?.port1.posted).toMatchObject([{ result: { ok: false, error } }])
})

test('others get none: a foreign page, a frame within a page, a page that went elsewhere meanwhile', async () => {
  let start: (handlers: Handlers) => void = () => {}
  serve(new Promise((resolve) => (start = resolve)))
  page(1, 'https://evil.test/').ask()
  page(2, 'app://tapedeck/', {}).ask()
  expect(refused).toBe(2)
  const moved = page(3)
  moved.ask()
  moved.senderFrame.url = 'https://evil.test/'
  start(stub.handlers)
  await turn()
  expect(channels).toHaveLength(0)
  expect(moved.senderFrame.postMessage).not.toHaveBeenCalled()
})

test('a page that asks before the terminal has started is answered when it has', async () => {
  let start: (handlers: Handlers) => void = () => {}
  serve(new Promise((resolve) => (start = resolve)))
  const window = page(1)
  window.ask()
  await turn()
  expect(window.senderFrame.postMessage).not.toHaveBeenCalled()
  start(stub.handlers)
  await turn()
  expect(window.senderFrame.postMessage).toHaveBeenCalledOnce()
})

test('a reload closes the old port and its streams; a closed window all of them', async () => {
  serve()
  const window = page(1)
  window.ask()
  await turn()
  channels[0]?.port1.emit('message', { data: { t: 'open', id: 1, name: 'log', args: {} } })
  expect(stub.openStreams).toBe(1)
  window.ask()
  await turn()
  expect(channels[0]?.port1.closed).toBe(true)
  expect(stub.openStreams).toBe(0)
  channels[1]?.port1.emit('message', { data: { t: 'open', id: 1, name: 'log', args: {} } })
  expect(stub.openStreams).toBe(1)
  window.sender.emit('destroyed')
  expect(stub.openStreams).toBe(0)
})

test('closing hangs up on every window and answers nobody more', async () => {
  const ports = serve()
  const window = page(1)
  window.ask()
  await turn()
  channels[0]?.port1.emit('message', { data: { t: 'open', id: 1, name: 'log', args: {} } })
  ports.close()
  expect(stub.openStreams).toBe(0)
  page(2).ask()
  await turn()
  expect(channels).toHaveLength(1)
})

test.each([
  'app://tapedeck.evil.test/',
  'app://tapedeck:81/',
  'app:tapedeck',
  'apps://tapedeck/',
  'blob:app://tapedeck/0b8a1c1e',
  'data:text/html,app://tapedeck/',
  'about:blank#app://tapedeck/',
  'https://app://tapedeck/',
  'app://evil.test/@tapedeck/',
  '',
])('a page at %s is not ours', async (url) => {
  serve()
  page(1, url).ask()
  await turn()
  expect({ refused, channels: channels.length }).toEqual({ refused: 1, channels: 0 })
})

test('a frame that is gone when it is looked at, or when it is answered, is no failure of ours', async () => {
  let start: (handlers: Handlers) => void = () => {}
  serve(new Promise((resolve) => (start = resolve)))
  const gone = (): never => {
    throw new Error('Render frame was disposed before WebFrameMain could be accessed')
  }
  const before = page(1)
  Object.defineProperty(before.senderFrame, 'url', { get: gone })
  before.ask()
  expect(refused).toBe(1)
  const meanwhile = page(2)
  meanwhile.ask()
  Object.defineProperty(meanwhile.senderFrame, 'parent', { get: gone })
  const atLast = page(3)
  atLast.senderFrame.postMessage.mockImplementation(gone)
  atLast.ask()
  start(stub.handlers)
  await turn()
  expect(meanwhile.senderFrame.postMessage).not.toHaveBeenCalled()
  expect(channels.map(({ port1 }) => port1.closed)).toEqual([true])
})
