import { describe, expect, it, vi } from 'vitest'
import * as v from 'valibot'
import { dispatchCall, handlersOf, openStream } from '../../../../src/main/rpc/dispatch.ts'
import { respond, stream } from '../../../../src/main/rpc/respond.ts'
import { defineFeature, fake, type MainFeature, type Started } from '../../../../src/main/terminal/feature.ts'
import type { HostOptions } from '../../../../src/main/terminal/host.ts'
import { startTerminal } from '../../../../src/main/terminal/start.ts'
import { call, none } from '../../../../src/shared/rpc/contract.ts'

const options: HostOptions = {
  dataDir: '/nowhere',
  host: 'test',
  version: '0.0.0',
  workers: {
    store: new URL('file:///'),
    reader: new URL('file:///'),
    imports: undefined,
    simulator: new URL('file:///'),
  },
  demoData: new URL('file:///'),
}

/** Three features, of which `c` needs both others and `b` needs `a`; what happens to them is noted. */
function chain(broken: { readonly start?: string; readonly begin?: string; readonly close?: string } = {}) {
  const seen: string[] = []
  const note = (what: string, at?: string): void => {
    seen.push(what)
    if (at !== undefined && what.endsWith(at)) throw new Error(`no ${what}`)
  }
  const started = (name: string): Started<string> => {
    note(`start ${name}`, broken.start)
    return {
      service: name,
      begin: () => note(`begin ${name}`, broken.begin),
      stop: () => note(`stop ${name}`),
      close: () => note(`close ${name}`, broken.close),
    }
  }
  const a = defineFeature({ name: 'a', needs: {}, start: () => started('a') })
  const b = defineFeature({ name: 'b', needs: { a }, start: () => started('b') })
  const c = defineFeature({ name: 'c', needs: { b, a }, start: () => started('c') })
  return { seen, a, b, c }
}

describe('startTerminal', () => {
  it('starts what is needed first, each once, and closes in the opposite order after all have stopped', async () => {
    const { seen, b, c } = chain()
    const terminal = await startTerminal([c, b], options)
    expect(terminal.names).toEqual(['a', 'b', 'c'])
    expect(terminal.service(b)).toBe('b')
    await Promise.all([terminal.close(), terminal.close()])
    const starts = ['start a', 'start b', 'start c', 'begin a', 'begin b', 'begin c']
    expect(seen).toEqual([...starts, 'stop c', 'stop b', 'stop a', 'close c', 'close b', 'close a'])
  })

  it('passes a feature the services it needs and the host, with a clock', async () => {
    const word = defineFeature({ name: 'word', needs: {}, start: () => ({ service: 'hello' }) })
    const loud = defineFeature({
      name: 'loud',
      needs: { text: word },
      start: ({ text }, { clock, version }) => ({
        service: `${text.toUpperCase()} ${version} ${typeof clock.wallMs()}`,
      }),
    })
    expect((await startTerminal([loud], options)).service(loud)).toBe('HELLO 0.0.0 number')
  })

  it('starts a fake in place of a feature, and nothing that only the feature needs', async () => {
    const { seen, a, b, c } = chain()
    const terminal = await startTerminal([c], options, [fake(b, 'stand-in')])
    expect(terminal.names).toEqual(['b', 'a', 'c'])
    expect(terminal.service(b)).toBe('stand-in')
    expect(terminal.service(a)).toBe('a')
    expect(seen).not.toContain('start b')
  })

  it.each([
    ['start', { start: 'c' }, ['start a', 'start b', 'start c', 'stop b', 'stop a', 'close b', 'close a']],
    ['begin', { begin: 'a' }, ['begin a', 'stop c', 'stop b', 'stop a', 'close c', 'close b', 'close a']],
  ])('closes what has started when one cannot %s', async (_, broken, last) => {
    const { seen, c } = chain(broken)
    await expect(startTerminal([c], options)).rejects.toThrow(/^no /)
    expect(seen.slice(-last.length)).toEqual(last)
  })

  it('starts features that do not need each other at the same time, and begins in the order of the list', async () => {
    const seen: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = defineFeature({
      name: 'slow',
      needs: {},
      // Never ends unless the other one starts meanwhile.
      start: async () => {
        await promise
        return { service: 'slow', begin: () => void seen.push('begin slow') }
      },
    })
    const quick = defineFeature({
      name: 'quick',
      needs: {},
      start() {
        resolve()
        return { service: 'quick', begin: () => void seen.push('begin quick') }
      },
    })
    const terminal = await startTerminal([slow, quick], options)
    expect(terminal.names).toEqual(['slow', 'quick'])
    expect(seen).toEqual(['begin slow', 'begin quick'])
  })

  it('closes one that was still starting when another could not start', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const close = vi.fn()
    const slow = defineFeature({ name: 'slow', needs: {}, start: () => promise.then(() => ({ service: 0, close })) })
    const broken = defineFeature({
      name: 'broken',
      needs: {},
      start() {
        setImmediate(resolve)
        throw new Error('no start')
      },
    })
    await expect(startTerminal([slow, broken], options)).rejects.toThrow('no start')
    expect(close).toHaveBeenCalledOnce()
  })

  it('closes the rest when one cannot be closed, and rejects with its reason', async () => {
    const { seen, c } = chain({ close: 'b' })
    const terminal = await startTerminal([c], options)
    await expect(terminal.close()).rejects.toThrow('no close b')
    expect(seen.slice(-3)).toEqual(['close c', 'close b', 'close a'])
  })

  it('stops all at once, and closes nothing before the last has stopped', async () => {
    const seen: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = defineFeature({
      name: 'first',
      needs: {},
      start: () => ({ service: 0, stop: () => void setImmediate(resolve), close: () => void seen.push('close first') }),
    })
    const second = defineFeature({
      name: 'second',
      needs: { first },
      start: () => ({
        service: 0,
        // Ends only after the other one was told to stop, too.
        stop: () => promise.then(() => void seen.push('stopped')),
        close: () => void seen.push('close second'),
      }),
    })
    await (await startTerminal([second], options)).close()
    expect(seen).toEqual(['stopped', 'close second', 'close first'])
  })

  it('refuses two features of one name, before it starts any', async () => {
    const start = vi.fn(() => ({ service: 0 }))
    const twice = [defineFeature({ name: 'a', needs: {}, start }), defineFeature({ name: 'a', needs: {}, start })]
    await expect(startTerminal(twice, options)).rejects.toThrow('Two features are named a.')
    expect(start).not.toHaveBeenCalled()
  })

  it('has no service of a feature that was not started', async () => {
    const { a, c } = chain()
    const terminal = await startTerminal([a], options)
    expect(() => terminal.service(c)).toThrow("The feature c wasn't started.")
  })
})

const CALLS = {
  'thing.add': call<number>()(v.strictObject({ a: v.number(), b: v.number() })),
  'thing.drop': call<null>()(none),
} as const
const STREAMS = { things: call<readonly string[]>()(v.strictObject({ most: v.number() })) } as const
const drop = (): void => undefined
const add = ({ a, b }: { readonly a: number; readonly b: number }): number => a + b

describe('responders', () => {
  const things = ({ most }: { readonly most: number }, wake: () => void) => ({
    take() {
      wake()
      return ['x', 'y'].slice(0, most)
    },
    close: drop,
  })
  const responders = [...respond(CALLS, { 'thing.add': add, 'thing.drop': drop }), ...stream(STREAMS, { things })]
  const handlers = handlersOf(responders)

  it('run with checked arguments, and answer null where a handler returns nothing', async () => {
    expect(await dispatchCall(handlers, 'thing.add', { a: 1, b: 2 })).toEqual({ ok: true, value: 3 })
    expect(await dispatchCall(handlers, 'thing.add', { a: 1 })).toMatchObject({ error: { code: 'bad-arguments' } })
    expect(await dispatchCall(handlers, 'thing.drop', {})).toEqual({ ok: true, value: null })
    expect(await dispatchCall(handlers, 'things', { most: 1 })).toMatchObject({ error: { code: 'unknown-call' } })
  })

  it('open a stream with its arguments and its wake', () => {
    const wake = vi.fn()
    const opened = openStream(handlers, 'things', { most: 1 }, wake)
    expect(opened.ok && opened.value.take()).toEqual(['x'])
    expect(wake).toHaveBeenCalledOnce()
    expect(openStream(handlers, 'thing.drop', {}, wake)).toMatchObject({ error: { code: 'unknown-call' } })
  })

  it('of two features for one call or one stream are refused', () => {
    expect(() => handlersOf([...responders, ...respond(CALLS, { 'thing.add': add, 'thing.drop': drop })])).toThrow(
      'Two features handle the call thing.add.',
    )
    expect(() => handlersOf([...responders, ...stream(STREAMS, { things })])).toThrow(
      'Two features handle the stream things.',
    )
  })
})

/** Compiles only as long as each line below a `@ts-expect-error` doesn't; nothing of it runs. */
export function refusedByTheCompiler(feature: MainFeature<string>): void {
  // @ts-expect-error a handler is missing
  respond(CALLS, { 'thing.add': add })
  // @ts-expect-error one is of no call of the table
  respond(CALLS, { 'thing.add': add, 'thing.drop': drop, 'thing.dorp': drop })
  // @ts-expect-error the result is no number
  respond(CALLS, { 'thing.add': () => 'three', 'thing.drop': drop })
  // @ts-expect-error a result may not be left out
  respond(CALLS, { 'thing.add': drop, 'thing.drop': drop })
  // @ts-expect-error the arguments are others
  respond(CALLS, { 'thing.add': ({ c }: { readonly c: number }) => c, 'thing.drop': drop })
  // @ts-expect-error a stream gives lists of texts
  stream(STREAMS, { things: () => ({ take: () => 3, close: drop }) })
  // @ts-expect-error the service is another
  fake(feature, 3)
  defineFeature({
    name: 'x',
    needs: {},
    // @ts-expect-error a service that isn't needed
    start: ({ other }) => ({ service: other }),
  })
}
