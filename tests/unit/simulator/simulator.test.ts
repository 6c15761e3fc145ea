import { manualClock } from '../../kit/clock.ts'
import { Worker } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { WorkerReport } from '../../../src/simulator/worker.ts'
import { DATA, follow, start } from './client.ts'

const NOON = Date.UTC(2026, 6, 15, 15, 0, 30)

/** Runs ten seconds of the demo market by hand and answers what a client got, and what was said to be sent. */
async function tenSeconds(seed: number) {
  const clock = manualClock(NOON)
  const simulator = await start({ clock, seed })
  const crypto = await follow(simulator, 'crypto/XT', 'BTC-USD', 'SOL-USD')
  const forex = await follow(simulator, 'forex/C', 'EURUSD')
  await clock.pass(10_000)
  const [a, b] = simulator.sent().connections
  await Promise.all([crypto.received(a.frames), forex.received(b.frames)])
  const got = [crypto, forex].map((client) => client.digest())
  expect([a.sha256, b.sha256]).toEqual(got)
  expect(a.market).toBe(Object.values(a.symbols).reduce((x, y) => x + y, 0))
  expect(a.market).toBe(a.frames - 1)
  await simulator.close()
  return got
}

describe('a simulator', () => {
  it('sends the same bytes for the same seed and clock, and counts them', async () => {
    const first = await tenSeconds(7)
    expect(await tenSeconds(7)).toEqual(first)
    expect(await tenSeconds(8)).not.toEqual(first)
  })
  it('runs the market faster than the clock', async () => {
    const clock = manualClock(NOON)
    const simulator = await start({ clock, speed: 60 })
    const client = await follow(simulator, 'crypto/XA', 'BTC-USD')
    await clock.pass(3_000)
    await client.received(1 + 3)
    const starts = new Set(client.texts.slice(1).map((text) => (JSON.parse(text) as { s: number }).s))
    expect([...starts].slice(0, 3)).toEqual([0, 1, 2].map((i) => Math.floor(NOON / 60_000) * 60_000 + i * 60_000))
    await simulator.close()
  })
  it('does not pour out what a machine slept through', async () => {
    let jump = 0
    const clock = manualClock(NOON)
    const simulator = await start({
      clock: { wallMs: () => clock.wallMs() + jump, after: (ms, then) => clock.after(ms, then) },
    })
    await follow(simulator, 'crypto/XT', 'BTC-USD')
    await clock.pass(1_000)
    const before = simulator.sent().market
    jump = 8 * 3_600_000
    await clock.pass(100)
    expect(simulator.sent().market - before).toBeLessThan(200)
    await clock.pass(2_000)
    expect(simulator.sent().market).toBeGreaterThan(before)
    await simulator.close()
  })
  it('plays a list in its order to those who subscribed, waiting for them', async () => {
    const messages = Array.from({ length: 12_000 }, (_, i) => ({
      feed: 'forex/C' as const,
      symbol: i % 2 === 0 ? 'EURUSD' : 'NZDUSD',
      raw: `{"n":${i}}`,
    }))
    const simulator = await start({ market: { kind: 'playlist', messages } })
    const client = await follow(simulator, 'forex/C', 'EURUSD')
    await client.received(2)
    client.send({ action: 'subscribe', tickers: ['NZDUSD'] })
    await simulator.played
    await client.received(12_002)
    const got = client.texts.filter((text) => text.startsWith('{"n"'))
    expect(got).toEqual(messages.map((m) => m.raw))
    await simulator.close()
  })
  it('resolves when the symbol was subscribed', async () => {
    const simulator = await start({ market: { kind: 'none' } })
    const subscribed = simulator.subscribed('stocks/T', 'SPY')
    await follow(simulator, 'stocks/T', 'spy')
    await subscribed
    await simulator.subscribed('stocks/T', 'SPY')
    await simulator.close()
  })
  it('sends load until all that was waited for has come', async () => {
    const simulator = await start({ market: { kind: 'load', messagesPerSecond: 50_000 } })
    const client = await follow(simulator, 'crypto/XT', 'BTC-USD', 'ETH-USD')
    await client.received(50_000)
    await simulator.close()
  })
  it('has random secrets and listens on the loopback address', async () => {
    const [a, b] = await Promise.all([start({ market: { kind: 'none' } }), start({ market: { kind: 'none' } })])
    expect(a.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(a.password).not.toBe(b.password)
    expect(a.apiKey).not.toBe(b.apiKey)
    await Promise.all([a.close(), b.close()])
  })
  it('does not start without its data', async () => {
    await expect(start({ dataDir: new URL('./nowhere/', DATA) })).rejects.toMatchObject({ code: 'not-found' })
  })
  it('refuses a port that is taken', async () => {
    const first = await start({ market: { kind: 'none' } })
    await expect(start({ port: Number(new URL(first.baseUrl).port), market: { kind: 'none' } })).rejects.toThrow(
      'EADDRINUSE',
    )
    await first.close()
  })
})

describe('the worker', () => {
  it('starts a simulator, does faults, tells what was sent, and ends', async () => {
    const worker = new Worker(fileURLToPath(new URL('../../../src/simulator/worker.ts', import.meta.url)), {
      workerData: { dataDir: DATA.href },
    })
    const next = () => new Promise<WorkerReport>((resolve) => worker.once('message', resolve))
    const ready = await next()
    if (ready.type !== 'ready') throw new Error(JSON.stringify(ready))
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage({ type: 'fault', name: 'forbid-origin' })
    worker.postMessage({ type: 'sent' })
    expect(await next()).toMatchObject({ type: 'sent', sent: { frames: 0 } })
    worker.postMessage({ type: 'fault', name: 'nonsense' })
    expect(await next()).toMatchObject({ type: 'failed', failure: { code: 'usage' } })
    worker.postMessage({ type: 'close' })
    expect(await next()).toEqual({ type: 'closed' })
    expect(await exited).toBe(0)
  })
})
