/** One suite over every line between a window and its terminal. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CallName, StreamName } from '../../src/shared/contracts.ts'
import { MAX_TRUST_CHARS } from '../../src/shared/features/team/settings.ts'
import { MAX_WORKSPACE_CHARS } from '../../src/shared/features/workspace/contract.ts'
import { CodedError, ERROR_CODES, type Failure, type Result } from '../../src/shared/base/errors.ts'
import type { Transport } from '../../src/shared/transport.ts'
import { LINES, type Line } from './lines.ts'
import {
  CALL_NAMES,
  CALL_SAMPLES,
  CALL_VALUES,
  STREAM_NAMES,
  STREAM_SAMPLES,
  STREAM_VALUES,
  stubTerminal,
  type StubTerminal,
} from './stub-terminal.ts'

/** The transport as a hostile page has it: any name, any arguments. */
interface Untyped {
  invoke(name: unknown, args: unknown): Promise<Result<unknown>>
  subscribe(name: unknown, args: unknown, onValue: (v: unknown) => void, onEnd?: (f: Failure) => void): () => void
}
const untyped = (transport: Transport): Untyped => transport

const STRANGE_NAMES = ['', 'nope', 'app.info ', 'APP.INFO', '__proto__', 'constructor', 'toString', 'x'.repeat(10_000)]
const STRANGE_ARGS = [undefined, null, 0, true, 'x', [], [{}], { surplus: 1 }, JSON.parse('{"__proto__":{"on":true}}')]
const OPTIONAL = new Set('replaces password apiKey plan userField passwordField skipIdle loop tags pinned'.split(' '))

/** A length that an argument's text can't have, in characters. */
function tooLong(name: string, key: string): number {
  if (name === 'workspaces.put' && key === 'text') return MAX_WORKSPACE_CHARS + 1
  if ((name === 'team.test' || name === 'team.join') && key === 'trust') return MAX_TRUST_CHARS + 1
  return 5_000
}

/** Every single wrong step away from valid arguments. */
function* spoilt(name: string, valid: object): Generator<unknown> {
  if (Object.keys(valid).length > 0) yield {}
  yield { ...valid, surplus: 1 }
  for (const [key, value] of Object.entries(valid)) {
    const rest = Object.fromEntries(Object.entries(valid).filter(([other]) => other !== key))
    const may = (call: string, of: string) => name === call && key === of
    if (!OPTIONAL.has(key) && !may('symbols.search', 'limit') && !may('sessions.annotate', 'name')) yield rest
    yield { ...valid, [key]: typeof value === 'object' && value !== null ? 5 : {} }
    yield { ...valid, [key]: typeof value === 'object' && value !== null ? 'x' : [] }
    if (typeof value === 'string') yield { ...valid, [key]: 'ü'.repeat(tooLong(name, key)) }
    if (typeof value === 'number' && key.endsWith('Ms')) yield { ...valid, [key]: Number.NaN }
    else if (typeof value === 'number') {
      yield { ...valid, [key]: 0.5 }
      yield { ...valid, [key]: -1 }
      yield { ...valid, [key]: 1e12 }
      yield { ...valid, [key]: Number.NaN }
    }
  }
}

const until = <T>(check: () => T): Promise<T> => vi.waitFor(check, { interval: 2 })

function expectCoded(failure: Failure): void {
  expect(ERROR_CODES).toContain(failure.code)
  expect(failure.message.length).toBeGreaterThan(10)
  expect(failure.message.length).toBeLessThan(400)
}

describe.each(LINES)('over $name', (kind) => {
  let stub: StubTerminal
  let line: Line
  beforeEach(async () => {
    stub = stubTerminal()
    line = await kind.open(stub)
  })
  afterEach(() => line.close())

  const ended = (name: unknown, args: unknown): Promise<Failure> =>
    new Promise((resolve, reject) => {
      untyped(line.transport).subscribe(name, args, () => reject(new Error('a value came')), resolve)
    })

  test.each(CALL_NAMES)('%s answers valid arguments with its value', async (name: CallName) => {
    expect(await line.transport.invoke(name, CALL_SAMPLES[name])).toEqual({ ok: true, value: CALL_VALUES[name] })
    expect(stub.asked).toEqual([{ name, args: CALL_SAMPLES[name] }])
  })

  test.each(CALL_NAMES)('%s refuses wrong arguments with a code, and no handler sees them', async (name: CallName) => {
    for (const args of [...STRANGE_ARGS, ...spoilt(name, CALL_SAMPLES[name])]) {
      const result = await untyped(line.transport).invoke(name, args)
      if (result.ok) throw new Error(`${name} took ${JSON.stringify(args)}`)
      expect(result.error.code).toBe('bad-arguments')
      expectCoded(result.error)
    }
    expect(stub.asked).toEqual([])
  })

  test('unknown calls and streams fail with a code', async () => {
    for (const name of [...STRANGE_NAMES, 5, null, {}]) {
      const result = await untyped(line.transport).invoke(name, {})
      expect(result).toMatchObject({ ok: false, error: { code: 'unknown-call' } })
      expect(await ended(name, {})).toMatchObject({ code: 'unknown-call' })
    }
    expect(stub.openStreams).toBe(0)
  })

  test('what a prototype holds is no argument', async () => {
    const inherited: unknown = Object.create({ on: true })
    expect(await untyped(line.transport).invoke('recording.set', inherited)).toMatchObject({
      ok: false,
      error: { code: 'bad-arguments' },
    })
    expect(({} as Record<string, unknown>).on).toBeUndefined()
  })

  test('an enormous argument fails, and the line serves on', async () => {
    const result = await untyped(line.transport).invoke('symbols.search', { query: 'x'.repeat(1_100_000) })
    if (result.ok) throw new Error('taken')
    expectCoded(result.error)
    await until(async () => expect(await line.transport.invoke('app.info', {})).toMatchObject({ ok: true }))
  })

  test('arguments nested without end are refused', async () => {
    let deep: unknown = 1
    for (let i = 0; i < 500; i += 1) deep = { deep }
    expect(await untyped(line.transport).invoke('settings.set', { patch: { deep } })).toMatchObject({
      ok: false,
      error: { code: 'bad-arguments' },
    })
  })

  test('a handler that fails answers with its own code', async () => {
    const held = stub.hold('sessions.verify')
    const asked = line.transport.invoke('sessions.verify', { session: null })
    await until(() => expect(stub.asked).toHaveLength(1))
    held.release()
    expect(await asked).toEqual({ ok: false, error: { code: 'cancelled', message: 'Let go.' } })
  })

  test('calls are answered as they finish, not in order', async () => {
    const held = stub.hold('sessions.verify')
    const slow = line.transport.invoke('sessions.verify', { session: null })
    expect(await line.transport.invoke('app.info', {})).toMatchObject({ ok: true })
    held.release()
    expect(await slow).toMatchObject({ ok: false })
  })

  test.each(STREAM_NAMES)('the stream %s begins with its whole value', async (name: StreamName) => {
    const values: unknown[] = []
    line.transport.subscribe(name, STREAM_SAMPLES[name], (value) => values.push(value))
    await until(() => {
      line.paint()
      expect(values).toEqual([STREAM_VALUES[name]])
    })
  })

  test.each(STREAM_NAMES)('the stream %s ends with a code on wrong arguments', async (name: StreamName) => {
    for (const args of [...STRANGE_ARGS.slice(0, -1), ...spoilt(name, STREAM_SAMPLES[name])]) {
      expect(await ended(name, args)).toMatchObject({ code: 'bad-arguments' })
    }
    expect(stub.openStreams).toBe(0)
  })

  const logValue = (dropped: number): { entries: []; dropped: number } => ({ entries: [], dropped })

  /** Opens the log and waits until its first value is there; nothing is painted afterwards. */
  async function follow(onEnd?: (failure: Failure) => void): Promise<{ values: unknown[]; stop: () => void }> {
    const values: unknown[] = []
    const stop = line.transport.subscribe('log', {}, (value) => values.push(value), onEnd)
    await until(() => expect(values).toHaveLength(1))
    return { values, stop }
  }

  test('a hidden window costs its terminal nothing, and catches up with one value', async () => {
    const { values } = await follow()
    stub.push('log', logValue(-1))
    const before = { takes: stub.takes, planned: line.planned }
    for (let i = 0; i < 1_000; i += 1) stub.push('log', logValue(i))
    expect(await line.transport.invoke('app.info', {})).toMatchObject({ ok: true })
    expect({ takes: stub.takes, planned: line.planned }).toEqual(before)
    await until(() => {
      line.paint()
      expect(values).toHaveLength(2)
    })
    expect(values[1]).toEqual(logValue(999))
  })

  test('a window that paints gets one value a frame, whatever the market does', async () => {
    const { values } = await follow()
    for (let frame = 0; frame < 20; frame += 1) {
      for (let i = 0; i < 50; i += 1) stub.push('log', logValue(frame * 50 + i))
      await until(() => {
        line.paint()
        expect(values.at(-1)).toEqual(logValue(frame * 50 + 49))
      })
    }
    // Between two pushes of a frame a value may already be on its way, never more than that.
    expect(values.length).toBeLessThanOrEqual(41)
  })

  test('unsubscribing closes the source, once, and nothing more arrives', async () => {
    const { values, stop } = await follow()
    stop()
    stop()
    await until(() => expect(stub.openStreams).toBe(0))
    line.paint()
    expect(await line.transport.invoke('app.info', {})).toMatchObject({ ok: true })
    expect(values).toHaveLength(1)
  })

  test('a lost line closes every source; when it is back the streams begin again', async () => {
    const links: boolean[] = []
    line.transport.onLink((up) => links.push(up))
    const { values } = await follow()
    line.cut()
    await until(() => expect(links).toContain(false))
    await until(() => {
      line.paint()
      expect(values.length).toBeGreaterThan(1)
    })
    expect(values[1]).toEqual(STREAM_VALUES.log)
    expect(links.at(-1)).toBe(true)
    await until(() => expect(stub.openStreams).toBe(1))
    expect(await line.transport.invoke('app.info', {})).toMatchObject({ ok: true })
  })

  test('closing the window closes every source', async () => {
    await follow()
    expect(stub.openStreams).toBe(1)
    line.cut()
    await line.close()
    await until(() => expect(stub.openStreams).toBe(0))
    line = await kind.open(stub)
  })

  test('a source that breaks ends its stream with a code, and only its own', async () => {
    const end = vi.fn<(failure: Failure) => void>()
    await follow(end)
    stub.breakStreams(new CodedError('disk-error', 'The disk cannot be read.'))
    await until(() => {
      line.paint()
      expect(end).toHaveBeenCalledOnce()
    })
    expect(end.mock.calls[0]?.[0]).toEqual({ code: 'disk-error', message: 'The disk cannot be read.' })
    expect(stub.openStreams).toBe(0)
  })

  test('calls under way when the line is lost fail as offline', async () => {
    stub.hold('sessions.verify')
    const asked = line.transport.invoke('sessions.verify', { session: null })
    await until(() => expect(stub.asked).toHaveLength(1))
    line.cut()
    expect(await asked).toMatchObject({ ok: false, error: { code: 'offline' } })
  })

  test('a window has a bounded number of streams and of calls under way', async () => {
    const ends: Failure[] = []
    for (let i = 0; i < 300; i += 1) {
      line.transport.subscribe(
        'log',
        {},
        () => undefined,
        (failure) => ends.push(failure),
      )
    }
    await until(() => expect(ends).toHaveLength(44))
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['not-allowed']))
    expect(stub.openStreams).toBe(256)
    const held = stub.hold('sessions.list')
    const codes: string[] = []
    const results = Array.from({ length: 300 }, async () => {
      const result = await line.transport.invoke('sessions.list', {})
      codes.push(result.ok ? 'ok' : result.error.code)
    })
    // Before any is let go: what comes after that finds room.
    await until(() => expect(codes).toHaveLength(44))
    expect(stub.asked).toHaveLength(256)
    held.release()
    await Promise.all(results)
    expect(codes.slice(0, 44)).toEqual(Array.from({ length: 44 }, () => 'not-allowed'))
    expect(codes.filter((code) => code === 'not-allowed')).toHaveLength(44)
  })
})
