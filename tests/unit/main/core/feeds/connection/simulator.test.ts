/** Credentials and feeds together against the simulator: the whole way of signing in, and of each refusal. */
import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { createCredentials, type Credentials } from '../../../../../../src/main/core/account/credentials.ts'
import { createFeeds, type LiveFeeds } from '../../../../../../src/main/core/feeds/feeds.ts'
import type { FeedListener } from '../../../../../../src/main/core/feeds/connection/feed-listener.ts'
import type { FrameSink } from '../../../../../../src/main/core/feeds/connection/frame-sink.ts'
import type { SimulatorOptions } from '../../../../../../src/simulator/options.ts'
import { startSimulator, type Simulator } from '../../../../../../src/simulator/simulator.ts'
import { sessionId, unixMs, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { hurriedClock } from '../../../../../kit/clock.ts'
import { tradeText } from '../../../../../kit/market.ts'

const FEED: FeedId = 'crypto/XT'
const hurried = hurriedClock((ms) => Math.min(ms / 20, 120))

interface World {
  readonly simulator: Simulator
  readonly feeds: LiveFeeds
  readonly credentials: Credentials
  readonly problems: string[]
  readonly gaps: string[]
  readonly frames: Buffer[]
  readonly shownCount: () => number
}
const worlds: World[] = []

async function world(options: Partial<SimulatorOptions> = {}): Promise<World> {
  const simulator = await startSimulator({
    port: 0,
    dataDir: new URL('../../../../../../resources/demo/', import.meta.url),
    market: { kind: 'none' },
    ...options,
  })
  const problems: string[] = []
  const gaps: string[] = []
  const frames: Buffer[] = []
  let count = 0
  let conn = 0
  let seq = 0
  const recorder: FrameSink = {
    session: sessionId('r'),
    setBackMs: 0,
    connection: () => ++conn,
    frame: (_conn, data) => {
      frames.push(Buffer.from(data))
      return ++seq
    },
    mark: () => undefined,
    dated: () => undefined,
    entry: () => ++seq,
  }
  const listener: FeedListener = {
    record: () => void count++,
    state: () => undefined,
    acknowledged: () => undefined,
    gapOpened: (_feed, cause) => void gaps.push(cause),
    gapClosed: () => undefined,
    problem: (_feed, why) => void problems.push(`${why.code}: ${why.message} ${why.hint}`),
    log: () => undefined,
  }
  const credentials = createCredentials({ clock: systemClock, memoryOnly: true })
  const { baseUrl, username: user, password, apiKey } = simulator
  credentials.useDemo({ baseUrl, user, password, apiKey })
  const feeds = createFeeds({
    baseUrl: () => credentials.baseUrl(),
    token: credentials.tokenSource,
    recorder,
    listener,
    clock: hurried,
    allowSharding: () => false,
  })
  const made = { simulator, feeds, credentials, problems, gaps, frames, shownCount: () => count }
  worlds.push(made)
  return made
}

afterEach(async () => {
  for (const { feeds, simulator } of worlds.splice(0)) {
    await feeds.close()
    await simulator.close()
  }
})

const status = (w: World) => {
  const row = w.feeds.status(unixMs(Date.now())).find((f) => f.feed === FEED)
  if (row === undefined) throw new Error('no such feed')
  return row
}
async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
const opens = (w: World) => until('the feed opens', () => status(w).state.is === 'open')

describe('the simulator', () => {
  test('every frame of a playlist arrives, in order and to the byte', async () => {
    const messages = Array.from({ length: 20_000 }, (_, i) => ({
      feed: FEED,
      symbol: 'BTC-USD',
      raw: tradeText('BTC-USD', i + 1, 1, Date.now()),
    }))
    const w = await world({ market: { kind: 'playlist', messages }, keepFrames: true })
    w.feeds.subscribe(FEED, ['BTC-USD'])
    await until('all', () => w.shownCount() === messages.length)
    expect(status(w)).toMatchObject({ received: messages.length + 1, undecodable: 0, unasked: 0 })
    const digest = createHash('sha256')
    for (const frame of w.frames) digest.update(frame).update('\n')
    const { id } = w.simulator.sent().connections[0] ?? { id: 0 }
    expect(digest.digest('hex')).toBe(w.simulator.sentPrefix(id, w.frames.length))
  })

  test('an expired token is renewed and the feed comes back, with a gap of cause token', async () => {
    const w = await world()
    w.feeds.subscribe(FEED, ['BTC-USD'])
    await opens(w)
    w.simulator.expireTokens()
    w.simulator.fault('expire-token')
    await until('a gap', () => w.gaps.includes('token'))
    await opens(w)
    expect(w.gaps).toEqual(['connect', 'token'])
    expect(w.credentials.account().token).toBe('valid')
  })

  test.each([
    ['close', 'refused'],
    ['error', 'refused'],
  ] as const)('a plan without the feed, told by %s: stops and says perhaps your plan', async (planRefusal, is) => {
    const w = await world({ plan: 'Pro', planRefusal })
    w.feeds.subscribe(FEED, ['BTC-USD'])
    await until('refused', () => status(w).state.is === is)
    expect(w.problems.at(-1)).toMatch(/^plan: .*Your plan may not include this feed \(it needs Premium\)/)
  })

  test('an unknown feed stops, the others go on', async () => {
    const w = await world({ disabledFeeds: [FEED] })
    w.feeds.subscribe(FEED, ['BTC-USD'])
    w.feeds.subscribe('crypto/XQ', ['BTC-USD'])
    await until('refused', () => status(w).state.is === 'refused')
    const other = () => w.feeds.status(unixMs(Date.now())).find((f) => f.feed === 'crypto/XQ')
    await until('the other opens', () => other()?.state.is === 'open')
    expect(w.problems[0]).toMatch(/^unknown-feed/)
  })

  test('hostile frames are all counted and none is shown', async () => {
    const w = await world()
    w.feeds.subscribe(FEED, ['BTC-USD'])
    await opens(w)
    w.simulator.fault('malformed', { count: 60 })
    w.simulator.fault('unasked', { count: 10 })
    w.simulator.send(FEED, 'BTC-USD', tradeText('BTC-USD', 1, 1, Date.now()))
    await until('all', () => w.frames.length >= w.simulator.sent().frames)
    expect(status(w).state.is).toBe('open')
    expect(status(w).unasked).toBeGreaterThanOrEqual(10)
    expect(status(w).undecodable).toBeGreaterThan(20)
  })

  test('test connection passes every step', async () => {
    const w = await world({ market: { kind: 'load', messagesPerSecond: 100 } })
    const { baseUrl, username: user, password } = w.simulator
    const steps = await w.credentials.testConnection({ baseUrl, user, password })
    expect(steps.map((step) => [step.step, step.ok])).toEqual(
      ['reach', 'token', 'handshake', 'subscribe', 'first message'].map((step) => [step, true]),
    )
  })
})
