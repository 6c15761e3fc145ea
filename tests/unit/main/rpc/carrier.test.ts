import { describe, expect, test } from 'vitest'
import { serveWindow, type Carrier, type WindowPort } from '../../../../src/main/rpc/carrier.ts'
import type { TerminalFrame } from '../../../../src/shared/rpc/transport.ts'
import { manualClock } from '../../../kit/clock.ts'
import { stubTerminal, type StubTerminal } from '../../../contract/stub-terminal.ts'

/** A carrier over a port and timers that only move by hand. */
function bench(frameMs = 16): {
  stub: StubTerminal
  carrier: Carrier
  sent: TerminalFrame[]
  closed: string[]
  receive(frame: unknown): void
  leave(): void
  advance(ms: number): void
  timers(): number
} {
  const stub = stubTerminal()
  const sent: TerminalFrame[] = []
  const closed: string[] = []
  let onFrame = (_frame: unknown): void => {}
  let onClose = (): void => {}
  const clock = manualClock(1_000)
  const port: WindowPort = {
    send: (frame) => void sent.push(frame),
    onFrame: (listener) => void (onFrame = listener),
    onClose: (listener) => void (onClose = listener),
    close: (reason) => void closed.push(reason),
  }
  const carrier = serveWindow(port, stub.handlers, {
    frameMs,
    now: clock.wallMs,
    after: clock.after,
  })
  return {
    stub,
    carrier,
    sent,
    closed,
    receive: (frame) => onFrame(frame),
    leave: () => onClose(),
    advance: clock.advance,
    timers: () => clock.timers,
  }
}

const log = (dropped: number): { entries: []; dropped: number } => ({ entries: [], dropped })

describe('a carrier', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'call'],
    ['a list', [{ t: 'call', id: 1 }]],
    ['no type', { id: 1 }],
    ['an unknown type', { t: 'result', id: 1 }],
    ['a type of Object.prototype', { t: 'constructor', id: 1 }],
    ['no id', { t: 'call', name: 'app.info', args: {} }],
    ['a negative id', { t: 'call', id: -1, name: 'app.info', args: {} }],
    ['a broken id', { t: 'call', id: 1.5, name: 'app.info', args: {} }],
    ['an infinite id', { t: 'call', id: Infinity, name: 'app.info', args: {} }],
    ['an id that is a text', { t: 'call', id: '1', name: 'app.info', args: {} }],
    ['an inherited type', Object.create({ t: 'call', id: 1, name: 'app.info', args: {} })],
  ])('hangs up on %s', (_name, frame) => {
    const { receive, closed, stub, carrier } = bench()
    receive({ t: 'open', id: 9, name: 'log', args: {} })
    receive(frame)
    expect(closed).toHaveLength(1)
    expect(closed[0]).toMatch(/^bad frame: /)
    expect(stub.openStreams).toBe(0)
    expect(carrier.openStreams).toBe(0)
    receive({ t: 'call', id: 2, name: 'app.info', args: {} })
    expect(stub.asked).toEqual([])
  })

  test('hangs up when the id of an open stream or of a call under way comes again', () => {
    const streams = bench()
    streams.receive({ t: 'open', id: 1, name: 'log', args: {} })
    streams.receive({ t: 'open', id: 1, name: 'log', args: {} })
    expect(streams.closed).toEqual(['bad frame: duplicate stream id'])
    expect(streams.stub.openStreams).toBe(0)
    const calls = bench()
    calls.receive({ t: 'call', id: 1, name: 'app.info', args: {} })
    calls.receive({ t: 'call', id: 1, name: 'app.info', args: {} })
    expect(calls.closed).toEqual(['bad frame: duplicate call id'])
  })

  test('ignores credits and closes of streams that have ended: they cross on the way', () => {
    const { receive, closed, timers } = bench()
    receive({ t: 'credit', ids: [7] })
    receive({ t: 'close', id: 7 })
    expect(closed).toEqual([])
    expect(timers()).toBe(0)
  })

  test('asks a source at most once a frame, and only with credit', () => {
    const { receive, sent, stub, advance, timers } = bench(16)
    receive({ t: 'open', id: 1, name: 'log', args: {} })
    advance(0)
    expect(sent).toHaveLength(1)
    for (let i = 0; i < 100; i += 1) stub.push('log', log(i))
    expect(timers()).toBe(0) // no credit: no work is even planned
    receive({ t: 'credit', ids: [1] })
    advance(15)
    expect(sent).toHaveLength(1)
    advance(1)
    expect(sent.slice(1)).toEqual([{ t: 'values', values: [[1, log(99)]] }])
    expect(stub.takes).toBe(2)
  })

  test('sends at once what comes after a quiet time', () => {
    const { receive, sent, stub, advance } = bench(16)
    receive({ t: 'open', id: 1, name: 'log', args: {} })
    advance(0)
    receive({ t: 'credit', ids: [1] })
    advance(500)
    stub.push('log', log(1))
    advance(0)
    expect(sent).toHaveLength(2)
  })

  test('a hundred credits are one', () => {
    const { receive, sent, stub, advance } = bench(16)
    receive({ t: 'open', id: 1, name: 'log', args: {} })
    for (let i = 0; i < 100; i += 1) receive({ t: 'credit', ids: [1] })
    advance(0)
    stub.push('log', log(1))
    advance(1_000)
    expect(sent).toHaveLength(1)
  })

  test('an unexpected error in a source ends its stream without its text, and is logged', () => {
    const { receive, sent, stub, advance } = bench()
    receive({ t: 'open', id: 1, name: 'log', args: {} })
    stub.breakStreams(new Error('password is hunter2'))
    advance(0)
    expect(sent).toMatchObject([{ t: 'end', id: 1, error: { code: 'internal' } }])
    expect(sent[0]?.t === 'end' && sent[0].error.message).not.toContain('hunter2')
    expect(stub.internal).toEqual(['take of a stream'])
    expect(stub.openStreams).toBe(0)
  })

  test('a window that left costs nothing more', async () => {
    const { receive, leave, sent, stub, timers, carrier } = bench()
    const held = stub.hold('sessions.list')
    receive({ t: 'open', id: 1, name: 'log', args: {} })
    receive({ t: 'call', id: 2, name: 'sessions.list', args: {} })
    leave()
    leave()
    carrier.close()
    expect(timers()).toBe(0)
    expect(stub.openStreams).toBe(0)
    held.release()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toEqual([])
  })
})
