/** Hostile pages: frames and arguments that no honest window sends, at every call and stream of the contract. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serveWindow } from '../../src/main/rpc/carrier.ts'
import type { TerminalFrame } from '../../src/shared/rpc/transport.ts'
import { CALL_NAMES, CALL_SAMPLES, STREAM_NAMES, STREAM_SAMPLES, stubTerminal } from './stub-terminal.ts'

/** A window's end of a port: what it sends, and what came back. */
function hostileWindow() {
  const stub = stubTerminal()
  const sent: TerminalFrame[] = []
  const closed: string[] = []
  let receive = (_frame: unknown): void => {}
  const carrier = serveWindow(
    {
      send: (frame) => void sent.push(frame),
      onFrame: (listener) => void (receive = listener),
      onClose: () => undefined,
      close: (reason) => void closed.push(reason),
    },
    stub.handlers,
  )
  return { stub, sent, closed, carrier, send: (frame: unknown) => receive(frame) }
}

const nasty = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true, maxDepth: 4 }),
  fc.constantFrom<unknown>(
    NaN,
    Infinity,
    -0,
    1e308,
    '',
    '\u0000',
    '../../../etc/passwd',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '__proto__',
    'constructor',
    'x'.repeat(5_000),
    [],
    {},
    JSON.parse('{"__proto__":{"polluted":true}}'),
    JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
    () => 1,
  ),
)

/** A sample of honest arguments with one thing changed. */
const changed = (sample: object) =>
  fc.oneof(
    nasty,
    fc.tuple(fc.constantFrom(...Object.keys(sample), '__proto__', 'toString', 'extra'), nasty).map(([key, value]) => {
      const copy: Record<string, unknown> = { ...sample }
      Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
      return copy
    }),
    fc.constantFrom(...Object.keys(sample), '').map((key) => {
      const copy: Record<string, unknown> = { ...sample }
      Reflect.deleteProperty(copy, key)
      return copy
    }),
  )

const polluted = () => 'polluted' in {} || 'polluted' in Object

describe('a hostile page', () => {
  test.each(CALL_NAMES)('cannot break %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(changed(CALL_SAMPLES[name]), async (args) => {
        const { stub, sent, carrier, send } = hostileWindow()
        send({ t: 'call', id: 1, name, args })
        await new Promise(setImmediate)
        expect(polluted()).toBe(false)
        expect(stub.internal).toEqual([])
        expect(sent).toHaveLength(1)
        const [frame] = sent
        if (frame.t !== 'result') throw new Error(`answered with ${frame.t}`)
        if (!frame.result.ok) {
          expect(frame.result.error.code).toBe('bad-arguments')
          expect(frame.result.error.message.length).toBeLessThan(400)
          expect(stub.asked).toEqual([])
        }
        carrier.close('done')
      }),
      { numRuns: 60 },
    )
  })

  test.each(STREAM_NAMES)('cannot break the stream %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(changed(STREAM_SAMPLES[name]), async (args) => {
        const { stub, sent, carrier, send } = hostileWindow()
        send({ t: 'open', id: 1, name, args })
        send({ t: 'credit', ids: [1] })
        await new Promise(setImmediate)
        expect(stub.internal).toEqual([])
        for (const frame of sent) if (frame.t === 'end') expect(frame.error.code).toBe('bad-arguments')
        carrier.close('done')
        expect(stub.openStreams).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('gets nowhere with frames in any order and of any shape', async () => {
    const id = fc.oneof(fc.integer({ min: -2, max: 5 }), nasty)
    const frame = fc.oneof(
      nasty,
      fc.record({ t: fc.constantFrom('credit', 'close', 'call', 'open', 'result', '__proto__'), id }),
      fc.record({ t: fc.constant('credit'), ids: fc.oneof(fc.array(id, { maxLength: 300 }), nasty) }),
      fc.record({
        t: fc.constantFrom('call', 'open'),
        id,
        name: fc.oneof(fc.constantFrom<string>(...CALL_NAMES, ...STREAM_NAMES, 'toString'), nasty),
        args: nasty,
      }),
      fc.constantFrom(...STREAM_NAMES).map((name) => ({ t: 'open', id: 1, name, args: STREAM_SAMPLES[name] })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
        const { stub, carrier, send } = hostileWindow()
        for (const one of frames) send(one)
        await new Promise(setImmediate)
        expect(polluted()).toBe(false)
        expect(stub.internal).toEqual([])
        carrier.close('done')
        expect(stub.openStreams).toBe(0)
      }),
      { numRuns: 400 },
    )
  })
})
