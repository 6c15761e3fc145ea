/** What structured clone can carry and no honest window sends; floods; windows that leave at the worst moment. */
import { afterEach, describe, expect, test } from 'vitest'
import { serveWindow, type Carrier } from '../../src/main/rpc/carrier.ts'
import { dispatchCall, openStream, withinLimits, type Handlers } from '../../src/main/rpc/dispatch.ts'
import type { TerminalFrame } from '../../src/shared/rpc/transport.ts'
import {
  CALL_NAMES,
  CALL_SAMPLES,
  replaceHandler,
  STREAM_NAMES,
  STREAM_SAMPLES,
  stubTerminal,
} from './stub-terminal.ts'

const carriers: Carrier[] = []
afterEach(() => {
  for (const carrier of carriers.splice(0)) carrier.close()
})

function windowOf(handlers: Handlers) {
  const sent: TerminalFrame[] = []
  const closed: string[] = []
  let receive = (_frame: unknown): void => {}
  let leave = (): void => {}
  const carrier = serveWindow(
    {
      send: (frame) => void sent.push(frame),
      onFrame: (listener) => void (receive = listener),
      onClose: (listener) => void (leave = listener),
      close: (reason) => void closed.push(reason),
    },
    handlers,
  )
  carriers.push(carrier)
  return { sent, closed, carrier, send: (frame: unknown) => receive(frame), leave: () => leave() }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Every value of a sample in turn as another one. */
function* withEach(sample: object, odd: unknown): Generator<Record<string, unknown>> {
  for (const key of Object.keys(sample)) yield { ...sample, [key]: odd }
}

describe('what structured clone can carry', () => {
  /** As it arrives: a clone, which keeps the length of a list that has nothing in it. */
  const holes = structuredClone(Object.assign([], { length: 2 ** 32 - 1 }))

  // Walking a single one of them takes longer than a test may.
  test('sparse lists of four billion slots are refused before anything iterates over them', async () => {
    const { handlers, internal, asked } = stubTerminal()
    for (const name of CALL_NAMES) {
      for (const args of withEach(CALL_SAMPLES[name], holes)) {
        expect(await dispatchCall(handlers, name, args)).toMatchObject({ ok: false, error: { code: 'bad-arguments' } })
      }
    }
    for (const name of STREAM_NAMES) {
      for (const args of withEach(STREAM_SAMPLES[name], [holes])) {
        expect(openStream(handlers, name, args, () => undefined)).toMatchObject({ ok: false })
      }
    }
    expect(withinLimits({ a: [[...new Array(40_000).keys()], [...new Array(40_000).keys()]] })).toBe(false)
    expect({ internal, asked }).toEqual({ internal: [], asked: [] })
  })

  test('few bytes that stand for billions, and values that hold themselves, end in a refusal', async () => {
    let shared: unknown = 'x'
    for (let i = 0; i < 11; i++) shared = Array.from({ length: 50 }, () => shared)
    const own: unknown[] = []
    own.push(own, own)
    const ring: Record<string, unknown> = {}
    ring['ring'] = [ring, own]
    const { handlers, asked } = stubTerminal()
    for (const odd of [shared, own, ring].map((one) => structuredClone(one))) {
      for (const args of withEach(CALL_SAMPLES['drawings.edit'], odd)) {
        expect(await dispatchCall(handlers, 'drawings.edit', args)).toMatchObject({ error: { code: 'bad-arguments' } })
      }
    }
    expect(asked).toEqual([])
  })

  test('bytes of any kind and any odd length are no arguments', async () => {
    const buffer = new ArrayBuffer(11)
    const kinds: readonly unknown[] = [
      buffer,
      new SharedArrayBuffer(3),
      new Uint8Array(buffer, 3, 5),
      new Uint16Array(buffer, 2, 3),
      new Float64Array(0),
      new BigInt64Array(1),
      new DataView(buffer, 1, 7),
      new Blob(['x']),
      new Error('x'),
      /x/,
    ]
    const { handlers, internal, asked } = stubTerminal()
    for (const odd of kinds) {
      expect(withinLimits(odd)).toBe(false)
      for (const name of CALL_NAMES) {
        for (const args of [odd, ...withEach(CALL_SAMPLES[name], odd)]) {
          const result = await dispatchCall(handlers, name, args)
          expect(result).toMatchObject({ ok: false, error: { code: 'bad-arguments' } })
        }
      }
    }
    expect({ internal, asked }).toEqual({ internal: [], asked: [] })
  })

  test('values that throw when they are looked at come back as refusals, not as our own failures', async () => {
    const { handlers, internal } = stubTerminal()
    const thrower = (): never => {
      throw new Error('looked at')
    }
    const traps = { get: thrower, getPrototypeOf: thrower, ownKeys: thrower, getOwnPropertyDescriptor: thrower }
    const odd = [
      Object.defineProperty({}, 'view', { get: thrower, enumerable: true }),
      new Proxy({}, traps),
      { view: new Proxy([], traps) },
      { view: { toString: thrower, valueOf: thrower } },
    ]
    for (const args of odd) {
      expect(await dispatchCall(handlers, 'bars.history', args)).toMatchObject({ error: { code: 'bad-arguments' } })
      expect(openStream(handlers, 'status', args, () => undefined)).toMatchObject({ error: { code: 'bad-arguments' } })
    }
    expect(internal).toEqual([])
  })
})

describe('a window that behaves badly', () => {
  test('floods: no more than 256 calls reach the terminal at a time, each is answered once, and it goes on after', async () => {
    const stub = stubTerminal()
    const held = stub.hold('sessions.list')
    const { send, sent, carrier, closed } = windowOf(stub.handlers)
    for (let id = 1; id <= 20_000; id++) send({ t: 'call', id, name: 'sessions.list', args: {} })
    for (let id = 30_001; id <= 40_000; id++) send({ t: 'open', id, name: 'log', args: {} })
    for (let id = 30_001; id <= 40_000; id++) send({ t: 'credit', ids: [id] })
    expect(stub.asked.length).toBe(256)
    expect(carrier.pendingCalls).toBe(256)
    expect(carrier.openStreams).toBe(256)
    held.release()
    await turn()
    const answered = sent.flatMap((frame) => (frame.t === 'result' ? [frame.id] : []))
    expect(new Set(answered).size).toBe(20_000)
    expect(answered).toHaveLength(20_000)
    expect(carrier.pendingCalls).toBe(0)
    for (let id = 30_001; id <= 40_000; id++) send({ t: 'close', id })
    send({ t: 'call', id: 50_000, name: 'app.info', args: {} })
    await turn()
    expect(sent.at(-1)).toMatchObject({ t: 'result', id: 50_000, result: { ok: true } })
    expect({ streams: stub.openStreams, closed }).toEqual({ streams: 0, closed: [] })
  })

  test('leaves while its stream is opened: the source is closed all the same', () => {
    const stub = stubTerminal()
    const { run } = stub.handlers.streams.get('log') ?? expect.fail('no such stream')
    const handlers = replaceHandler(stub.handlers, 'stream', 'log', (args, wake) => {
      const source = run(args, wake)
      one.leave()
      return source
    })
    const one = windowOf(handlers)
    one.send({ t: 'open', id: 1, name: 'log', args: {} })
    expect(stub.openStreams).toBe(0)
    expect(one.carrier.openStreams).toBe(0)
    expect(one.sent).toEqual([])
  })

  test('leaves while a source is asked: nothing is sent after it, and everything is closed', async () => {
    const stub = stubTerminal()
    let closes = 0
    const handlers = replaceHandler(stub.handlers, 'stream', 'log', () => ({
      take() {
        one.leave()
        return { entries: [], dropped: 0 }
      },
      close: () => void (closes += 1),
    }))
    const one = windowOf(handlers)
    one.send({ t: 'open', id: 1, name: 'log', args: {} })
    one.send({ t: 'open', id: 2, name: 'log', args: {} })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect({ sent: one.sent, closes }).toEqual({ sent: [], closes: 2 })
    for (const t of ['call', 'open', 'credit', 'close']) one.send({ t, id: 3, name: 'log', args: {} })
    expect(one.carrier.openStreams).toBe(0)
  })

  test('opens and closes the same id ten thousand times: one source at a time, none left', () => {
    const stub = stubTerminal()
    const { send, sent, closed } = windowOf(stub.handlers)
    for (let i = 0; i < 10_000; i++) {
      send({ t: 'open', id: 7, name: 'log', args: {} })
      send({ t: 'close', id: 7 })
      send({ t: 'credit', ids: [7] })
    }
    expect({ left: stub.openStreams, sent, closed }).toEqual({ left: 0, sent: [], closed: [] })
  })
})
