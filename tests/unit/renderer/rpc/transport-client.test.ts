import { describe, expect, test, vi } from 'vitest'
import { createTransport, type LineEvents, type Timing } from '../../../../src/renderer/rpc/transport-client.ts'
import { portDial, type PortEvents } from '../../../../src/renderer/rpc/transport-port.ts'
import type { Failure } from '../../../../src/shared/base/errors.ts'
import type { WindowFrame } from '../../../../src/shared/rpc/transport.ts'

/** A client whose line, frames and timers only move by hand. `isReduced`: not each frame shows data. */
function bench(isReduced = false) {
  const lines: (LineEvents & { hungUp: boolean })[] = []
  const sent: WindowFrame[] = []
  const waits: number[] = []
  let due: (() => void)[] = []
  let retry: (() => void) | undefined
  const timing: Timing = {
    frame: (then) => void due.push(then),
    isReduced: () => isReduced,
    after(ms, then) {
      waits.push(ms)
      retry = then
      return () => (retry = undefined)
    },
    random: () => 1,
  }
  const transport = createTransport((events) => {
    const line = { ...events, hungUp: false }
    lines.push(line)
    return () => void (line.hungUp = true)
  }, timing)
  const line = () => {
    const last = lines.at(-1)
    if (!last) throw new Error('nobody dialled')
    return last
  }
  return {
    transport,
    lines,
    sent,
    waits,
    line,
    up: () => line().up((frame) => void sent.push(frame)),
    retry() {
      const then = retry
      retry = undefined
      then?.()
    },
    paint() {
      const now = due
      due = []
      for (const then of now) then()
    },
  }
}

const logValue = { entries: [], dropped: 0 }

describe('a transport', () => {
  test('holds calls until the line stands, and fails them at once after it was lost', async () => {
    const { transport, up, sent, line } = bench()
    const early = transport.invoke('app.info', {})
    expect(sent).toEqual([])
    up()
    expect(sent).toEqual([{ t: 'call', id: 1, name: 'app.info', args: {} }])
    line().down()
    expect(await early).toMatchObject({ ok: false, error: { code: 'offline' } })
    expect(await transport.invoke('app.info', {})).toMatchObject({ ok: false, error: { code: 'offline' } })
  })

  test('dials for ever, ever slower up to a bound, and at first pace again after a success', () => {
    const { lines, line, waits, retry, up } = bench()
    for (let i = 0; i < 50; i += 1) {
      line().down()
      retry()
    }
    expect(lines).toHaveLength(51)
    expect(waits.slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
    up()
    line().down()
    expect(waits.at(-1)).toBe(250)
  })

  test('opens its streams again under new ids, and hears nothing of a lost line', () => {
    const { transport, up, sent, line, lines, retry } = bench()
    const values: unknown[] = []
    transport.subscribe('log', {}, (value) => values.push(value))
    up()
    const old = line()
    old.down()
    retry()
    up()
    const opened = sent.flatMap((frame) => (frame.t === 'open' ? [frame.id] : []))
    expect(new Set(opened).size).toBe(2)
    expect(lines).toHaveLength(2)
    old.frame({ t: 'values', values: [[opened[0] ?? 0, logValue]] })
    old.down()
    line().frame({ t: 'values', values: [[opened[0] ?? 0, logValue]] })
    expect(values).toEqual([])
    line().frame({ t: 'values', values: [[opened[1] ?? 0, logValue]] })
    expect(values).toEqual([logValue])
  })

  test('gives all credits of a frame together, none to a stream that was let go', () => {
    const { transport, up, sent, line, paint } = bench()
    const stops = [1, 2, 3].map(() => transport.subscribe('log', {}, () => undefined))
    up()
    const ids = sent.flatMap((frame) => (frame.t === 'open' ? [frame.id] : []))
    for (const id of ids) line().frame({ t: 'values', values: [[id, logValue]] })
    stops[1]?.()
    sent.length = 0
    paint()
    expect(sent).toEqual([{ t: 'credit', ids: [ids[0], ids[2]] }])
    paint()
    expect(sent).toHaveLength(1)
  })

  test('asks for prices again at once, but not for ever while no frame is painted', () => {
    const { transport, up, sent, line, paint } = bench()
    transport.subscribe('quotes', { view: 'live', instruments: [] }, () => undefined)
    up()
    const [id] = sent.flatMap((frame) => (frame.t === 'open' ? [frame.id] : []))
    sent.length = 0
    for (let i = 0; i < 5; i++) line().frame({ t: 'values', values: [[id, { rows: [] }]] })
    expect(sent).toEqual(Array.from({ length: 5 }, () => ({ t: 'credit', ids: [id] })))
    // A terminal gives nothing without credit; one that does anyway earns none.
    for (let i = 0; i < 5; i++) line().frame({ t: 'values', values: [[id, { rows: [] }]] })
    expect(sent).toHaveLength(5)
    paint()
    expect(sent).toHaveLength(6)
    line().frame({ t: 'values', values: [[id, { rows: [] }]] })
    expect(sent).toHaveLength(7)
  })

  test('asks for prices once a frame while not each frame shows data', () => {
    const { transport, up, sent, line, paint } = bench(true)
    transport.subscribe('quotes', { view: 'live', instruments: [] }, () => undefined)
    up()
    const [id] = sent.flatMap((frame) => (frame.t === 'open' ? [frame.id] : []))
    sent.length = 0
    line().frame({ t: 'values', values: [[id, { rows: [] }]] })
    expect(sent).toEqual([])
    paint()
    expect(sent).toEqual([{ t: 'credit', ids: [id] }])
  })

  test('tells of the line on each change, and a late listener at once', () => {
    const { transport, up, line, retry } = bench()
    const early: boolean[] = []
    transport.onLink((now) => early.push(now))
    expect(early).toEqual([])
    up()
    line().down()
    const late: boolean[] = []
    const stop = transport.onLink((now) => late.push(now))
    expect(late).toEqual([false])
    stop()
    retry()
    up()
    expect(early).toEqual([true, false, true])
    expect(late).toEqual([false])
  })

  test('ends every stream once and tries no more when it is refused', async () => {
    const { transport, line, lines, waits } = bench()
    const failure: Failure = { code: 'not-allowed', message: 'No.' }
    const end = vi.fn()
    const links = vi.fn()
    transport.onLink(links)
    transport.subscribe('log', {}, () => undefined, end)
    const asked = transport.invoke('app.info', {})
    line().refused(failure)
    line().down()
    expect(end).toHaveBeenCalledExactlyOnceWith(failure)
    expect(links).toHaveBeenCalledExactlyOnceWith(false, failure)
    expect(await asked).toEqual({ ok: false, error: failure })
    const late = vi.fn()
    transport.subscribe('log', {}, () => undefined, late)
    await Promise.resolve()
    expect(late).toHaveBeenCalledExactlyOnceWith(failure)
    expect(lines).toHaveLength(1)
    expect(waits).toEqual([])
  })

  test('hangs up when closed', async () => {
    const { transport, up, line } = bench()
    up()
    transport.close()
    expect(line().hungUp).toBe(true)
    expect(await transport.invoke('app.info', {})).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  })
})

test('a state proxy, which a port cannot clone, goes as the plain data it looks like', () => {
  const posted: unknown[] = []
  const dial = portDial((ready) => {
    ready((_events: PortEvents) => ({
      post: (data) => void posted.push(structuredClone(data)),
      close: () => undefined,
    }))
    return () => undefined
  })
  let send: ((frame: WindowFrame) => void) | undefined
  dial({
    up: (frames) => void (send = frames),
    frame: () => undefined,
    down: () => undefined,
    refused: () => undefined,
  })
  send?.({ t: 'call', id: 1, name: 'settings.set', args: new Proxy({ patch: { a: 1 } }, {}) })
  expect(posted).toEqual([{ t: 'call', id: 1, name: 'settings.set', args: { patch: { a: 1 } } }])
})
