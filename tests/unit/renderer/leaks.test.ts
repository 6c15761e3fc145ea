/** Windows and panes that are opened and closed many times hold nothing. */
import './browser-stubs.ts'
import { cleanup } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WindowTerminal } from '../../kit/window-terminal.ts'
import QuotePane from '../../../src/renderer/features/quote/QuotePane.svelte'
import TapePane from '../../../src/renderer/features/tape/TapePane.svelte'
import WatchlistPane from '../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import type { WindowState } from '../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, serviceOf } from './open-window.ts'
import { tape } from '../../../src/renderer/features/tape/feature.ts'

const N = 5
beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Listeners of window and document that were added and not removed, by name. */
function listeners(): () => readonly string[] {
  const held: { readonly on: EventTarget; readonly name: string; readonly listener: unknown }[] = []
  for (const on of [globalThis, document] as const) {
    const { addEventListener: add, removeEventListener: remove } = on
    const release = (name: string, listener: unknown): void => {
      const at = held.findIndex((one) => one.on === on && one.name === name && one.listener === listener)
      if (at >= 0) held.splice(at, 1)
    }
    vi.spyOn(on, 'addEventListener').mockImplementation((name: string, listener: unknown, options: unknown) => {
      if (!held.some((one) => one.on === on && one.name === name && one.listener === listener))
        held.push({ on, name, listener })
      if (
        typeof options === 'object' &&
        options !== null &&
        'signal' in options &&
        options.signal instanceof AbortSignal
      )
        options.signal.addEventListener('abort', () => release(name, listener))
      Reflect.apply(add, on, [name, listener, options])
    })
    vi.spyOn(on, 'removeEventListener').mockImplementation((name: string, listener: unknown, options: unknown) => {
      release(name, listener)
      Reflect.apply(remove, on, [name, listener, options])
    })
  }
  return () => held.map(({ name }) => name)
}

/** A terminal that counts its open streams and listeners to its link. */
async function counted() {
  const terminal = await WindowTerminal.start()
  let count = 0
  const once = (close: () => void) => {
    count++
    let open = true
    return () => {
      if (open) count--
      open = false
      close()
    }
  }
  const { subscribe, onLink } = terminal
  vi.spyOn(terminal, 'subscribe').mockImplementation((...args: Parameters<typeof subscribe>) =>
    once(subscribe.apply(terminal, args)),
  )
  vi.spyOn(terminal, 'onLink').mockImplementation((listener) => once(onLink.call(terminal, listener)))
  return { terminal, count: () => count }
}

const frame = (run: () => void): void => run()

test('windows release streams, listeners and timers', async () => {
  const held = listeners()
  const { terminal, count } = await counted()
  for (let i = 0; i < N; i++) {
    const app = openWindow(terminal, { frame, painted: (run) => run() })
    await terminal.settle()
    app.followQuotes()
    serviceOf(app, tape).follow(app.view, app.instrument)
    await terminal.settle()
    if (i === 0) expect(count()).toBeGreaterThan(3)
    app.close()
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(count()).toBe(0)
  expect(held()).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  terminal.close()
})

test.each([
  ['watchlist', (app: WindowState) => render(WatchlistPane, { app, width: 500 })],
  ['tape', (app: WindowState) => render(TapePane, { app })],
  ['quote', (app: WindowState) => render(QuotePane, { app })],
] as const)('a %s pane releases streams, listeners and timers', async (_, open) => {
  const { terminal, count } = await counted()
  const app = openWindow(terminal, { frame, painted: (run) => run() })
  await terminal.settle()
  app.followQuotes()
  serviceOf(app, tape).follow(app.view, app.instrument)
  await terminal.settle()
  // The framework adds listeners of its own with the first one and never removes them.
  open(app).unmount()
  await tick()
  await vi.advanceTimersByTimeAsync(1_000)
  const held = listeners()
  const [streams, timers] = [count(), vi.getTimerCount()]
  for (let i = 0; i < N; i++) {
    const pane = open(app)
    await tick()
    pane.unmount()
    await tick()
  }
  await vi.advanceTimersByTimeAsync(1_000)
  expect(count()).toBe(streams)
  expect(held()).toEqual([])
  expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)
  app.close()
  terminal.close()
})
