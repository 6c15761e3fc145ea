import { describe, expect, it } from 'vitest'
import { CALL_NAMES } from '../../../../src/shared/contracts.ts'
import { DRAWING_MARKETS, type DrawingMarket } from '../../../../src/shared/features/drawings/types.ts'
import { CodedError } from '../../../../src/shared/base/errors.ts'
import { dispatchCall, withinLimits, type Handlers } from '../../../../src/main/rpc/dispatch.ts'
import { createHandlers } from '../../../../src/main/rpc/handlers.ts'
import type { Drawings } from '../../../../src/main/features/drawings/port.ts'
import type { Terminal } from '../../../../src/main/terminal/terminal-api.ts'

/** A terminal of which only what a test gives exists. */
function handlersOf(part: Partial<Terminal>): Handlers {
  return createHandlers({ log: () => {}, streams: {}, ...part } as Terminal) // the dispatcher meets only what the test calls
}

describe('dispatchCall', () => {
  it('refuses unknown names, also those of Object.prototype', async () => {
    for (const name of ['nope', 'toString', '__proto__', 'constructor', '', 7, null, undefined]) {
      expect(await dispatchCall(handlersOf({}), name, {})).toMatchObject({ ok: false, error: { code: 'unknown-call' } })
    }
  })

  it('refuses bad arguments of every call without reaching a handler', async () => {
    for (const name of CALL_NAMES) {
      for (const args of [undefined, null, 3, 'x', [], { surprise: 1 }, { __proto__: null, view: {} }]) {
        const result = await dispatchCall(handlersOf({}), name, args)
        expect(result).toMatchObject({ ok: false, error: { code: 'bad-arguments' } })
      }
    }
  })

  it('names the argument that is wrong', async () => {
    const args = { view: 'live', instrument: 'crypto:BTCUSD', of: 'trade', interval: '2h', beforeMs: null, limit: 10 }
    const result = await dispatchCall(handlersOf({}), 'bars.history', args)
    expect(result.ok ? '' : result.error.message).toContain('interval')
  })

  it('answers a value and maps a CodedError with its hint', async () => {
    const handlers = handlersOf({
      retry: () => {},
      sessions: () => Promise.reject(new CodedError('disk-error', 'The store cannot be read.', { hint: 'Look.' })),
    })
    expect(await dispatchCall(handlers, 'feeds.retry', { feed: 'crypto/XT' })).toEqual({ ok: true, value: null })
    expect(await dispatchCall(handlers, 'sessions.list', {})).toEqual({
      ok: false,
      error: { code: 'disk-error', message: 'The store cannot be read.', hint: 'Look.' },
    })
  })

  it('asks and changes the drawings of the market that was named, and of no other', async () => {
    const asked: string[] = []
    const of = (market: DrawingMarket): Drawings => ({
      get: (instrument) => {
        asked.push(`get ${market}`)
        return { instrument, revision: 0, drawings: [] }
      },
      edit: (instrument) => {
        asked.push(`edit ${market}`)
        return { instrument, revision: 1, drawings: [] }
      },
      onChange: () => () => undefined,
    })
    const handlers = handlersOf({ drawings: { demo: of('demo'), service: of('service') } })
    const instrument = 'crypto:BTCUSD'
    const edit = { put: [], remove: ['a'], order: null }
    for (const market of DRAWING_MARKETS) {
      expect(await dispatchCall(handlers, 'drawings.get', { market, instrument })).toMatchObject({ ok: true })
      expect(await dispatchCall(handlers, 'drawings.edit', { market, instrument, edit })).toMatchObject({ ok: true })
    }
    expect(asked).toEqual(DRAWING_MARKETS.flatMap((market) => [`get ${market}`, `edit ${market}`]))
  })

  it('passes on that the network changed', async () => {
    let told = 0
    const handlers = handlersOf({ networkChanged: () => (told += 1) })
    expect(await dispatchCall(handlers, 'app.networkChanged', {})).toEqual({ ok: true, value: null })
    expect(told).toBe(1)
  })

  it('logs an internal error and hides its text from the message', async () => {
    const seen: string[] = []
    const handlers = handlersOf({
      retry: () => {
        throw new Error('secret detail')
      },
      log: (_level, _from, text, detail) => seen.push(`${text}: ${detail}`),
    })
    const result = await dispatchCall(handlers, 'feeds.retry', { feed: 'crypto/XT' })
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(result.ok ? '' : result.error.message).not.toContain('secret')
    expect(seen).toEqual(['feeds.retry failed: secret detail'])
  })
})

describe('withinLimits', () => {
  it('takes plain data and refuses what is deep, huge or exotic', () => {
    expect(withinLimits({ a: [1, 'x', null, { b: true }] })).toBe(true)
    let deep: unknown = 1
    for (let i = 0; i < 20; i += 1) deep = [deep]
    for (const bad of [deep, 'x'.repeat(1_000_001), new Array(60_000).fill(0), new Map(), new Date(), () => 1, 1n]) {
      expect(withinLimits(bad)).toBe(false)
    }
  })
})
