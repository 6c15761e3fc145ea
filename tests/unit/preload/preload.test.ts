import { beforeEach, expect, test, vi } from 'vitest'
import { PORT_CHANNEL, PORT_OFFER, PORT_REQUEST } from '../../../src/shared/rpc/transport.ts'

type Listener = (event: { source: unknown; data: unknown }) => void

const { ipc } = vi.hoisted(() => ({
  ipc: { send: vi.fn(), on: vi.fn<(channel: string, listener: (event: object) => void) => void>() },
}))
vi.mock('electron', () => ({ ipcRenderer: ipc }))

let hear: Listener
const page = {
  location: { origin: 'app://tapedeck' },
  addEventListener: (_type: 'message', listener: Listener) => void (hear = listener),
  postMessage: vi.fn(),
}

beforeEach(async () => {
  vi.resetModules()
  vi.clearAllMocks()
  vi.stubGlobal('window', page)
  await import('../../../src/preload/index.ts')
})

test('asks for a port when the page itself does', () => {
  hear({ source: page, data: PORT_REQUEST })
  expect(ipc.send).toHaveBeenCalledExactlyOnceWith(PORT_CHANNEL)
})

test('asks for none when a frame, an opener or nobody does, nor for another message', () => {
  for (const source of [{}, { ...page }, null, undefined]) hear({ source, data: PORT_REQUEST })
  for (const data of [PORT_OFFER, '', undefined, { toString: () => PORT_REQUEST }]) hear({ source: page, data })
  expect(ipc.send).not.toHaveBeenCalled()
})

test('hands the port to this page, by its origin', () => {
  const [channel, listener] = ipc.on.mock.calls[0] ?? []
  expect(channel).toBe(PORT_CHANNEL)
  const port = {}
  listener?.({ ports: [port] })
  expect(page.postMessage).toHaveBeenCalledExactlyOnceWith(PORT_OFFER, 'app://tapedeck', [port])
})
