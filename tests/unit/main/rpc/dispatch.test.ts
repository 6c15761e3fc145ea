import { describe, expect, it } from 'vitest'
import { CodedError } from '../../../../src/shared/base/errors.ts'
import { call, none } from '../../../../src/shared/rpc/contract.ts'
import { CALL_NAMES, stubTerminal } from '../../../contract/stub-terminal.ts'
import { respond } from '../../../../src/main/rpc/respond.ts'
import { dispatchCall, handlersOf, withinLimits } from '../../../../src/main/rpc/dispatch.ts'

const CALLS = { 'thing.count': call<number>()(none), 'thing.drop': call<null>()(none) } as const

describe('dispatchCall', () => {
  it('refuses unknown names, also those of Object.prototype', async () => {
    for (const name of ['nope', 'toString', '__proto__', 'constructor', '', 7, null, undefined]) {
      expect(await dispatchCall(stubTerminal().handlers, name, {})).toMatchObject({
        ok: false,
        error: { code: 'unknown-call' },
      })
    }
  })

  it('refuses bad arguments of every call without reaching a handler', async () => {
    const { handlers, asked } = stubTerminal()
    for (const name of CALL_NAMES) {
      for (const args of [undefined, null, 3, 'x', [], { surprise: 1 }, { __proto__: null, view: {} }]) {
        const result = await dispatchCall(handlers, name, args)
        expect(result).toMatchObject({ ok: false, error: { code: 'bad-arguments' } })
      }
    }
    expect(asked).toEqual([])
  })

  it('names the argument that is wrong', async () => {
    const args = { view: 'live', instrument: 'crypto:BTCUSD', of: 'trade', interval: '2w', beforeMs: null, limit: 10 }
    const result = await dispatchCall(stubTerminal().handlers, 'bars.history', args)
    expect(result.ok ? '' : result.error.message).toContain('interval')
  })

  it('answers a value and maps a CodedError with its hint', async () => {
    const handlers = handlersOf(
      respond(CALLS, {
        'thing.drop': () => {},
        'thing.count': () =>
          Promise.reject(new CodedError('disk-error', 'The store cannot be read.', { hint: 'Look.' })),
      }),
    )
    expect(await dispatchCall(handlers, 'thing.drop', {})).toEqual({ ok: true, value: null })
    expect(await dispatchCall(handlers, 'thing.count', {})).toEqual({
      ok: false,
      error: { code: 'disk-error', message: 'The store cannot be read.', hint: 'Look.' },
    })
  })

  it('tells of an internal error and hides its text from the message', async () => {
    const seen: string[] = []
    const fail = () => {
      throw new Error('secret detail')
    }
    const responders = respond(CALLS, { 'thing.drop': fail, 'thing.count': fail })
    const handlers = handlersOf(responders, (name, { detail }) => seen.push(`${name} failed: ${detail}`))
    const result = await dispatchCall(handlers, 'thing.drop', {})
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(result.ok ? '' : result.error.message).not.toContain('secret')
    expect(seen).toEqual(['thing.drop failed: secret detail'])
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
