/** A replay that is served to other programs on the clock of its transport bar. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { loadPlayable } from '../../../../../src/main/features/replay/play/playable.ts'
import { createServing } from '../../../../../src/main/features/replay/serving.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { createReplays, type Replays } from '../../../../../src/main/features/replay/replays.ts'
import type { ReplaySpeed, ServedReplay } from '../../../../../src/shared/features/replay/replay.ts'
import type { FeedId } from '../../../../../src/shared/base/units.ts'
import { STREAM_VALUES } from '../../../../contract/stub-terminal.ts'
import { openFeed, type ServiceClient } from '../../../../kit/service-client.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { recorded } from '../export/recorded.ts'

const FEEDS: readonly FeedId[] = ['crypto/XT']
const SUBSCRIBED = '{"type":"subscribed","tickers":["BTC-USD"]}'
/** The message with this price, received as many seconds after the start. */
const text = (p: number): string => `{"ev":"XT","pair":"BTC-USD","p":${p},"t":${T0 + p * 1_000},"s":1}`
const trade = (p: number): Item => ({ conn: 1, data: text(p), recvMs: T0 + p * 1_000 })
const trades = (from: number, to: number): Item[] => Array.from({ length: to - from + 1 }, (_, i) => trade(from + i))

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Opened {
  readonly replays: Replays
  readonly id: string
  readonly served: ServedReplay
  readonly client: ServiceClient
  /** Steps one message forward, as a button of the bar does. */
  step(): Promise<unknown>
}

/** Opens sessions as a replay at its start, serves it, and connects a client. */
async function open(...sessions: Item[][]): Promise<Opened> {
  const store = await recorded(sessions, { feeds: FEEDS })
  closing.push(() => store.close())
  const replays = createReplays({
    reader: store.reader,
    writer: { addBookmark: () => expect.unreachable(), removeBookmark: () => expect.unreachable() },
    clock: systemClock,
    calendar: hubCalendar,
    nameOf: () => null,
    storeIsAway: () => false,
    status: () => STREAM_VALUES.status,
    failed: (what, thrown) => expect.unreachable(`${what}: ${String(thrown)}`),
    companions: [],
  })
  closing.push(() => replays.closeAll())
  const { id } = await replays.open({ sessions: [...store.sessions], atMs: null })
  const served = await replays.serve(id, 0)
  const client = await connect(served)
  const step = () => replays.step({ id, by: 'message', forward: true, interval: '1m' })
  return { replays, id, served, client, step }
}

async function connect(served: ServedReplay): Promise<ServiceClient> {
  const client = await openFeed(served, '/ws/crypto/XT/')
  closing.push(() => client.close())
  client.send({ action: 'subscribe', tickers: ['BTC-USD'] })
  await client.received(1)
  return client
}

const clockOf = async (served: ServedReplay, change?: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${served.baseUrl}/replay/clock`, {
    headers: { authorization: `Bearer ${served.apiKey}` },
    ...(change === undefined ? {} : { method: 'POST', body: JSON.stringify(change) }),
  })
  return (await response.json()) as Record<string, unknown>
}

describe('a client of a served replay', () => {
  it('gets nothing while the bar is paused, and then each message that it steps over', async () => {
    const { client, step } = await open(trades(1, 5))
    await step()
    expect(await client.received(2)).toEqual([SUBSCRIBED, text(1)])
    await step()
    expect(await client.received(3)).toEqual([SUBSCRIBED, text(1), text(2)])
  })

  it('gets everything once, in order, when the bar plays over several sessions', async () => {
    const { replays, id, client } = await open(trades(1, 300), trades(3_700, 4_000))
    replays.speed(id, 'max')
    replays.play(id, true)
    const expected = [...trades(1, 300), ...trades(3_700, 4_000)].map((item) => ('data' in item ? item.data : ''))
    expect(await client.received(602)).toEqual([SUBSCRIBED, ...expected])
  })

  it('continues where the bar seeks to, forward and back, without what lies between', async () => {
    const { replays, id, client, step } = await open(trades(1, 500))
    await replays.seek(id, { at: 'ms', ms: T0 + 400_500 })
    await step()
    expect(await client.received(2)).toEqual([SUBSCRIBED, text(401)])
    await replays.seek(id, { at: 'ms', ms: T0 + 3_500 })
    await step()
    expect(await client.received(3)).toEqual([SUBSCRIBED, text(401), text(4)])
  })

  it('gets all of each pass of a loop, and all that was played before a jump', async () => {
    const { replays, id, client } = await open(trades(1, 300), trades(3_700, 4_000))
    const { fromMs, toMs } = replays.states()[0]
    replays.speed(id, 'max')
    replays.options({ id, loop: { fromMs, toMs } })
    replays.play(id, true)
    const pass = [...trades(1, 300), ...trades(3_700, 4_000)].map((item) => ('data' in item ? item.data : ''))
    expect(await client.received(1 + 3 * pass.length)).toEqual([SUBSCRIBED, ...pass, ...pass, ...pass])
  })

  it('sees speed and pause of the bar on the clock, and the bar sees what a client sets there', async () => {
    const { replays, id, served } = await open(trades(1, 100))
    replays.speed(id, 10)
    expect(await clockOf(served)).toMatchObject({ playing: false, speed: 10, at: new Date(T0).toISOString() })
    replays.play(id, true)
    expect(await clockOf(served)).toMatchObject({ playing: true, speed: 10 })
    await clockOf(served, { playing: false, speed: 2 })
    const { playing, speed } = replays.states()[0]
    expect({ playing, speed }).toEqual({ playing: false, speed: 2 satisfies ReplaySpeed })
  })
})

describe('a client of a served replay with a clock of its own', () => {
  const linesOf = async (served: ServedReplay, query = ''): Promise<Response> =>
    fetch(`${served.baseUrl}/replay${query}`, { headers: { authorization: `Bearer ${served.apiKey}` } })
  const pricesOf = async (response: Response): Promise<number[]> =>
    (await response.text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { message: { p: number } }).message.p)

  it('gets what the bar has reached, and nothing later', async () => {
    const { replays, id, served, step } = await open(trades(1, 5), trades(3_700, 3_705))
    expect(await pricesOf(await linesOf(served))).toEqual([])
    await step()
    await step()
    expect(await pricesOf(await linesOf(served))).toEqual([1, 2])
    expect((await linesOf(served, `?from=${T0 + 3_000}`)).status).toBe(400)
    const own = await openFeed(served, `/ws/crypto/XT/?from=${T0}&speed=max`)
    own.send({ action: 'subscribe', tickers: ['BTC-USD'] })
    expect(await own.ended).toMatchObject({ code: 1000 })
    expect(own.frames).toEqual([SUBSCRIBED, text(1), text(2)])
    await replays.seek(id, { at: 'ms', ms: T0 + 3_701_500 })
    expect(await pricesOf(await linesOf(served))).toEqual([1, 2, 3, 4, 5, 3_700, 3_701])
  })
})

describe('a symbol of a served replay', () => {
  const statusOf = async (served: ServedReplay, ...symbols: readonly string[]): Promise<number> => {
    const url = `${served.baseUrl}/replay?${symbols.map((symbol) => `symbol=${symbol}`).join('&')}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${served.apiKey}` } })
    const said = await response.text()
    // It says nothing of what comes later, such as that there is none.
    if (response.status === 404)
      expect(said).toMatch(/The replay hasn’t shown a message of the symbol .* in these feeds yet\.["}]+$/)
    return response.status
  }
  const later = (pair: string, p: number, flags = 0): Item => ({
    conn: 1,
    data: text(p).replace('BTC-USD', pair),
    recvMs: T0 + p * 1_000,
    flags,
  })

  it('isn’t known before its first message, even in the same session', async () => {
    const unasked = later('SOL-USD', 1, FLAG.unasked)
    const { replays, id, served, step } = await open(
      [trade(1), unasked, later('ETH-USD', 3), trade(4)],
      [later('LTC-USD', 3_700)],
    )
    const known = async () => {
      const statuses: number[] = []
      for (const pair of ['BTC-USD', 'ETH-USD', 'LTC-USD', 'SOL-USD']) statuses.push(await statusOf(served, pair))
      return statuses
    }
    expect(await known()).toEqual([404, 404, 404, 404])
    await step()
    expect(await known()).toEqual([200, 404, 404, 404])
    expect(await statusOf(served, 'BTC-USD', 'BTCUSD'), 'aliases of one').toBe(200)
    expect(await statusOf(served, 'BTC-USD', 'ETH-USD')).toBe(404)
    await replays.seek(id, { at: 'ms', ms: T0 + 3_500 })
    expect(await known()).toEqual([200, 200, 404, 404])
    await replays.seek(id, { at: 'ms', ms: T0 + 3_700_500 })
    expect(await known()).toEqual([200, 200, 200, 404])
    await replays.seek(id, { at: 'ms', ms: T0 + 2_000 })
    expect(await known()).toEqual([200, 404, 404, 404])
  })
})

describe('serving', () => {
  it('that ends because the session can’t be read says why, in the log and to windows', async () => {
    const store = await recorded([trades(1, 3)], { feeds: FEEDS })
    closing.push(() => store.close())
    const playable = await loadPlayable(store.reader, { sessions: [...store.sessions], team: false })
    const failures: unknown[][] = []
    const broken = new CodedError('store-damaged', 'Block 7 is corrupt.')
    const serving = createServing({
      reader: store.reader,
      clock: systemClock,
      playable: {
        ...playable,
        reader: {
          ...playable.reader,
          async *replay() {
            throw broken
          },
        },
      },
      player: {
        present: { session: store.sessions[0], seq: 1 },
        state: { playing: false, speed: 1, nowMs: T0, ended: false },
        play: () => undefined,
        speed: () => undefined,
        seek: () => Promise.resolve(),
      },
      failed: (...failure) => failures.push(failure),
    })
    closing.push(() => serving.stop())
    await serving.start(0)
    const message = 'The replay is no longer served: the session couldn’t be read.'
    await vi.waitFor(() =>
      expect(serving.states.open(() => undefined).take()).toEqual({
        failure: { code: 'store-damaged', message, hint: 'Block 7 is corrupt.' },
      }),
    )
    expect(failures).toEqual([['a served replay', broken]])
  })

  it('says how to connect and who is connected, once', async () => {
    const { replays, id, served, client } = await open(trades(1, 3))
    expect(await replays.serve(id, 0)).toMatchObject({ baseUrl: served.baseUrl, apiKey: served.apiKey, clients: 1 })
    let wake: () => void = () => undefined
    const stream = replays.served({ id }, () => wake())
    expect(stream.take()).toMatchObject({ clients: 1 })
    const changed = new Promise<void>((resolve) => (wake = resolve))
    client.close()
    await changed
    expect(stream.take()).toMatchObject({ clients: 0 })
  })

  it('ends with the replay, and its port is free', async () => {
    const { replays, id, served, client } = await open(trades(1, 3))
    await replays.close(id)
    expect(await client.ended).toMatchObject({ code: 1000 })
    await expect(fetch(served.baseUrl)).rejects.toThrow()
  })

  it('is stopped by request, and can start again', async () => {
    const { replays, id, served } = await open(trades(1, 3))
    await replays.stopServing(id)
    expect(replays.served({ id }, () => undefined).take()).toBeNull()
    const { port } = new URL(served.baseUrl)
    const again = await replays.serve(id, Number(port))
    expect(again.baseUrl).toBe(served.baseUrl)
    expect(again.password).not.toBe(served.password)
  })

  it('is refused on a port that is in use', async () => {
    const { replays, served } = await open(trades(1, 3))
    const { id } = await replays.open({ sessions: [...replays.states()[0].opened], atMs: null })
    await expect(replays.serve(id, Number(new URL(served.baseUrl).port))).rejects.toMatchObject({ code: 'not-allowed' })
  })
})
