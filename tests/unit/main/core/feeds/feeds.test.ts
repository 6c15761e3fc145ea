import { createServer, type Server, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocketServer, WebSocket as WebSocketClient, type WebSocket } from 'ws'
import type { Clock } from '../../../../../src/main/base/clock.ts'
import type { Token, TokenSource } from '../../../../../src/main/core/account/token.ts'
import { createFeeds, type LiveFeeds } from '../../../../../src/main/core/feeds/feeds.ts'
import { RETRY_AFTER_AT_MOST_MS } from '../../../../../src/main/core/feeds/connection/link.ts'
import type { FeedListener } from '../../../../../src/main/core/feeds/connection/feed-listener.ts'
import type { FrameSink } from '../../../../../src/main/core/feeds/connection/frame-sink.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { FLAG, MAX_ALIASES, type LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import type { FeedState, Reason } from '../../../../../src/shared/core/status/status.ts'
import { monoNs, sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { steppedClock } from '../../../../kit/clock.ts'
import { tradeText } from '../../../../kit/market.ts'

/** A service whose every move the test makes. */
class Service {
  readonly http: Server
  readonly wss = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly sockets: WebSocket[] = []
  readonly requests: IncomingMessage[] = []
  readonly received: { action: string; tickers: string[] }[] = []
  upgrade: (request: IncomingMessage, socket: Duplex, accept: () => void) => void = (_request, _socket, accept) =>
    accept()
  answer: (ws: WebSocket, message: { action: string; tickers: string[] }) => void
  onOpen: (ws: WebSocket) => void = () => undefined

  constructor() {
    const subscribed = new WeakMap<WebSocket, Set<string>>()
    this.answer = (ws, { action, tickers }) => {
      const set = subscribed.get(ws) ?? new Set<string>()
      subscribed.set(ws, set)
      for (const ticker of tickers)
        if (action === 'subscribe') set.add(ticker)
        else set.delete(ticker)
      ws.send(
        JSON.stringify(
          action === 'subscribe' ? { type: 'subscribed', tickers: [...set] } : { type: 'unsubscribed', tickers },
        ),
      )
    }
    this.http = createServer((_request, response) => response.writeHead(404).end())
    this.http.on('upgrade', (request, socket: Duplex, head) => {
      this.requests.push(request)
      this.upgrade(request, socket, () =>
        this.wss.handleUpgrade(request, socket, head, (ws) => {
          this.sockets.push(ws)
          ws.on('error', () => undefined)
          ws.on('message', (data: Buffer) => {
            const message = JSON.parse(data.toString()) as { action: string; tickers: string[] }
            this.received.push(message)
            this.answer(ws, message)
          })
          this.onOpen(ws)
        }),
      )
    })
  }
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`
  }
  get last(): WebSocket {
    const ws = this.sockets.at(-1)
    if (ws === undefined) throw new Error('nobody connected')
    return ws
  }
  async close(): Promise<void> {
    for (const ws of this.sockets) ws.terminate()
    this.http.closeAllConnections()
    await new Promise((resolve) => this.http.close(resolve))
  }
}

interface Frame {
  readonly conn: number
  readonly data: Buffer
  readonly binary: boolean
  flags: number
}

class FakeRecorder implements FrameSink {
  session = sessionId('r')
  setBackMs = 0
  readonly frames: Frame[] = []
  readonly entries: LedgerEntry[] = []
  /** Kinds in their one order, for order tests. */
  readonly order: string[] = []
  #seq = 0
  #conn = 0
  connection = () => ++this.#conn
  frame(conn: number, data: Uint8Array, binary: boolean): number {
    this.frames.push({ conn, data: Buffer.from(data), binary, flags: 0 })
    this.order.push('frame')
    return ++this.#seq
  }
  mark(flags: number): void {
    const last = this.frames.at(-1)
    if (last) last.flags |= flags
  }
  dated(): void {}
  entry(entry: LedgerEntry): number {
    this.entries.push(entry)
    this.order.push(entry.type)
    return ++this.#seq
  }
  of<T extends LedgerEntry['type']>(type: T): Extract<LedgerEntry, { type: T }>[] {
    return this.entries.filter((e): e is Extract<LedgerEntry, { type: T }> => e.type === type)
  }
}

class Ears implements FeedListener {
  readonly records: { feed: FeedId; seq: number; symbol: string; price: number; framesBefore: number }[] = []
  readonly states: FeedState[] = []
  readonly problems: Reason[] = []
  readonly lines: string[] = []
  readonly gaps: { cause: string; fromMs: number; toMs: number | null; symbols: readonly string[] }[] = []
  readonly acks: (readonly string[])[] = []
  readonly #recorder: FakeRecorder
  constructor(recorder: FakeRecorder) {
    this.#recorder = recorder
  }
  record: FeedListener['record'] = (feed, seq, _recvMs, _monoNs, record) => {
    this.records.push({
      feed,
      seq,
      symbol: record.symbol,
      price: record.price,
      framesBefore: this.#recorder.frames.length,
    })
  }
  /** The last of the best states that were told. */
  seen: FeedState['is'] = 'idle'
  state: FeedListener['state'] = (_feed, state, seen) => {
    this.states.push(state)
    this.seen = seen.is
  }
  acknowledged: FeedListener['acknowledged'] = (_feed, symbols) => void this.acks.push(symbols)
  gapOpened: FeedListener['gapOpened'] = (_feed, cause, symbols, fromMs) =>
    void this.gaps.push({ cause, fromMs, toMs: null, symbols })
  gapClosed: FeedListener['gapClosed'] = (_feed, fromMs, toMs) => {
    const gap = this.gaps.find((g) => g.fromMs === fromMs && g.toMs === null)
    if (gap === undefined) throw new Error('a gap closed that was not open')
    gap.toMs = toMs
  }
  problem: FeedListener['problem'] = (_feed, why) => void this.problems.push(why)
  log: FeedListener['log'] = (level, from, text, detail) =>
    void this.lines.push(`${level} ${from} ${text} ${detail ?? ''}`)
}

const SECRET = 'eyJhbGciOi.CANARY-token-1.sig'

class Tokens implements TokenSource {
  renewals = 0
  failure: CodedError | null = null
  #n = 1
  get = async (): Promise<Token> => {
    if (this.failure) throw this.failure
    return { access: SECRET.replace('1', String(this.#n)), expiresMs: null }
  }
  renew = async (refused: Token): Promise<Token> => {
    const now = await this.get()
    if (now.access !== refused.access) return now
    this.renewals++
    this.#n++
    return this.get()
  }
}

interface World {
  readonly service: Service
  readonly recorder: FakeRecorder
  readonly ears: Ears
  readonly tokens: Tokens
  readonly feeds: LiveFeeds
  readonly clock: Clock
}
const worlds: World[] = []
let sharding = false

async function world(
  prepare: (service: Service) => void = () => undefined,
  clock: Clock = steppedClock(),
): Promise<World> {
  const service = new Service()
  prepare(service)
  const base = await service.listen()
  const recorder = new FakeRecorder()
  const ears = new Ears(recorder)
  const tokens = new Tokens()
  const feeds = createFeeds({
    baseUrl: () => base,
    token: tokens,
    recorder,
    listener: ears,
    clock,
    random: () => 0,
    allowSharding: () => sharding,
  })
  const made = { service, recorder, ears, tokens, feeds, clock }
  worlds.push(made)
  return made
}

afterEach(async () => {
  sharding = false
  for (const { feeds, service } of worlds.splice(0)) {
    await feeds.close()
    await service.close()
  }
})

/** Waits for a condition, failing with what it was about; never a fixed time. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const trade = (pair: string, price = 1.5): string => tradeText(pair, price, 2, Date.now())
const xt = (w: World) => {
  const row = w.feeds.status(unixMs(Date.now())).find((f) => f.feed === 'crypto/XT')
  if (row === undefined) throw new Error('no such feed')
  return row
}
const open = async (w: World, ...symbols: string[]) => {
  const want = w.feeds.subscribe('crypto/XT', symbols)
  await until('the feed opens', () => xt(w).state.is === 'open')
  return want
}

describe('a healthy service', () => {
  test('gets token and origin on the upgrade and one subscribe for many subscriptions; records follow the recorder', async () => {
    const w = await world()
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    w.feeds.subscribe('crypto/XT', ['eth-usd', 'BTCUSD'])
    await until('the feed opens', () => xt(w).state.is === 'open')
    expect(w.service.requests).toHaveLength(1)
    const { headers, url } = w.service.requests[0] ?? { headers: {}, url: '' }
    expect(url).toBe('/ws/crypto/XT/')
    expect(headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(headers.origin).toBe(`http://${headers.host ?? ''}`)
    expect(headers['sec-websocket-extensions']).toBeUndefined()
    expect(w.service.received).toEqual([{ action: 'subscribe', tickers: ['BTC-USD', 'ETH-USD'] }])
    w.service.last.send(trade('BTC-USD', 42.5))
    await until('a record', () => w.ears.records.length === 1)
    expect(w.ears.records[0]).toMatchObject({ feed: 'crypto/XT', symbol: 'BTC-USD', price: 42.5, framesBefore: 2 })
    expect(w.recorder.order).toEqual([
      'gap-open',
      'state',
      'connecting',
      'connected',
      'subscribe',
      'frame',
      'acknowledged',
      'gap-close',
      'state',
      'frame',
    ])
    expect(w.ears.gaps).toMatchObject([{ cause: 'connect', symbols: ['BTC-USD', 'eth-usd'] }])
    expect(w.ears.gaps[0]?.toMs).not.toBeNull()
    expect(xt(w)).toMatchObject({
      acknowledged: ['BTC-USD', 'ETH-USD'],
      missing: [],
      received: 2,
      undecodable: 0,
      connections: 1,
      budget: 50,
    })
  })

  test('unsubscribes only symbols without subscriptions, and closes with 1000 after the last', async () => {
    const w = await world(() => undefined, steppedClock())
    const a = await open(w, 'BTC-USD', 'ETH-USD')
    const b = w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    a.release()
    a.release()
    await until('the unsubscribe', () => w.service.received.length === 2)
    expect(w.service.received[1]).toEqual({ action: 'unsubscribe', tickers: ['ETH-USD'] })
    await until('its acknowledgement', () => w.recorder.of('released').length === 1)
    const code = new Promise<number>((resolve) => w.service.last.once('close', resolve))
    b.release()
    expect(await code).toBe(1000)
    await until('idle', () => xt(w).state.is === 'idle')
    expect(w.service.requests).toHaveLength(1)
  })

  test('a message outside the subscription of its ticker is stored, marked and counted, but not shown', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    w.service.last.send(trade('DOGE-USD'))
    w.service.last.send(trade('BTCUSD'))
    await until('both', () => xt(w).received === 3)
    expect(w.ears.records.map((r) => r.symbol)).toEqual(['BTCUSD'])
    expect(w.recorder.frames.map((f) => f.flags)).toEqual([FLAG.control, FLAG.unasked, 0])
    expect(xt(w).unasked).toBe(1)
  })
  test('messages under an alias over the limit are stored as unasked, which is logged once', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    const spelt = Array.from({ length: MAX_ALIASES + 20 }, (_, i) => `B${'-'.repeat(i % 16)}TC${'_'.repeat(i >> 4)}USD`)
    for (const symbol of spelt) w.service.last.send(trade(symbol))
    w.service.last.send(trade('BTC-USD', 7))
    await until('the last record', () => w.ears.records.at(-1)?.price === 7)
    const kept = w.ears.records.slice(0, -1).map((record) => record.symbol)
    // The spelling that was acknowledged is one of them.
    expect(kept).toEqual(spelt.slice(0, MAX_ALIASES - 1))
    // What replay reads: the flags of what is stored give the same records.
    const flags = w.recorder.frames.slice(1).map((frame) => frame.flags & FLAG.unasked)
    expect(flags).toEqual([...spelt.map((symbol) => (kept.includes(symbol) ? 0 : FLAG.unasked)), 0])
    expect(xt(w).unasked).toBe(21)
    expect(w.ears.lines.filter((line) => line.includes('aliases'))).toHaveLength(1)
  })

  test('an event time that is absent or absurd is marked', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    w.service.last.send('{"ev":"XT","pair":"BTC-USD","p":1,"t":5,"s":1}')
    await until('it', () => xt(w).received === 2)
    expect(w.recorder.frames[1]?.flags).toBe(FLAG.undated)
    expect(w.ears.records).toHaveLength(1)
  })

  test('symbols missing from the acknowledgement are shown as missing and get a gap', async () => {
    const w = await world((service) => {
      service.answer = (ws) => ws.send('{"type":"subscribed","tickers":["BTC-USD"]}')
    })
    await open(w, 'BTC-USD', 'NOPE-USD')
    expect(xt(w).missing).toEqual(['NOPE-USD'])
    expect(w.ears.gaps.find((g) => g.toMs === null)).toMatchObject({ cause: 'unacknowledged', symbols: ['NOPE-USD'] })
  })
})

test('a control message that the listener throws on, or that names other symbols, does not close the connection', async () => {
  const w = await world()
  await open(w, 'BTC-USD')
  w.service.last.send('{"type":"subscribed","tickers":["BTC-USD","-","DOGE-USD"]}')
  await until('it', () => w.ears.acks.length === 2)
  expect(w.ears.acks[1]).toEqual(['BTC-USD'])
  w.ears.acknowledged = () => {
    throw new Error('choked')
  }
  w.service.last.send('{"type":"subscribed","tickers":["BTC-USD"]}')
  w.service.last.send(trade('BTC-USD'))
  await until('the next record', () => w.ears.records.length === 1)
  expect(w.ears.lines.filter((line) => line.includes('choked'))).toHaveLength(1)
})

describe('the budget', () => {
  const many = Array.from({ length: 51 }, (_, i) => `S${i}-USD`)
  test('the 51st ticker is refused with its budget, never silently', async () => {
    const w = await world()
    await open(w, ...many)
    expect(xt(w)).toMatchObject({ overBudget: ['S50-USD'], connections: 1, budget: 50 })
    expect(xt(w).acknowledged).toHaveLength(50)
    expect(w.ears.problems).toMatchObject([{ code: 'budget', message: 'XT 50/50: no room for S50-USD.' }])
  })
  test('a second connection carries it if allowed; each ticker has one connection', async () => {
    sharding = true
    const w = await world()
    w.feeds.subscribe('crypto/XT', many)
    await until('all', () => xt(w).acknowledged.length === 51)
    expect(xt(w)).toMatchObject({ overBudget: [], connections: 2, missing: [], budget: 100 })
    const small = w.service.received.find((m) => m.tickers.length === 1)
    expect(small?.tickers).toEqual(['S50-USD'])
    // The first connection sends what belongs to the second: kept, and out of the hub.
    for (const ws of w.service.sockets) ws.send(trade('S50-USD'))
    await until('both', () => xt(w).received === 4)
    expect(w.ears.records).toHaveLength(1)
    expect(xt(w).unasked).toBe(1)
  })
  test('a refused second connection leaves the first one open, and a gap names what it misses', async () => {
    sharding = true
    const w = await world((service) => {
      service.upgrade = (_request, socket, accept) => {
        if (service.requests.length === 1) accept()
        else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      }
    })
    w.feeds.subscribe('crypto/XT', many.slice(0, 50))
    await until('the first', () => w.ears.seen === 'open')
    w.feeds.subscribe('crypto/XT', many.slice(50))
    await until('the second', () => xt(w).state.is === 'refused' || xt(w).state.is === 'waiting')
    expect(w.ears.seen).toBe('open')
    // What it misses is told by name.
    expect(w.ears.gaps.filter(({ toMs }) => toMs === null).flatMap(({ symbols }) => symbols)).toEqual(['S50-USD'])
    await w.feeds.stop()
    expect(w.ears.seen).toBe('idle')
  })
  test('a ticker that moves to another connection is missing only from then on', async () => {
    sharding = true
    const clock = steppedClock()
    const w = await world(() => undefined, clock)
    const first = w.feeds.subscribe('crypto/XT', many.slice(0, 1))
    w.feeds.subscribe('crypto/XT', many.slice(1))
    await until('all', () => xt(w).acknowledged.length === 51)
    first.release()
    await until('room on the first', () => w.recorder.of('released').length === 1)
    const moved = clock.wallMs()
    const known = w.ears.gaps.length
    sharding = false
    w.feeds.replan()
    await until('the move', () => xt(w).connections === 1 && xt(w).acknowledged.includes('S50-USD'))
    const [gap] = w.ears.gaps.slice(known)
    expect(gap).toMatchObject({ cause: 'connect', symbols: ['S50-USD'] })
    expect(gap?.fromMs).toBeGreaterThanOrEqual(moved)
  })
})

describe('a hostile or broken service', () => {
  test('binary, invalid UTF-8, garbage and empty frames are stored byte for byte, counted, never shown', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    const bad = Buffer.concat([Buffer.from('{"ev":"XT","pair":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    w.service.last.send(Buffer.from(trade('BTC-USD')), { binary: true })
    w.service.last.send(bad, { binary: false })
    w.service.last.send('{"__proto__":')
    w.service.last.send('')
    w.service.last.send(trade('BTC-USD'))
    await until('all', () => xt(w).received === 6)
    expect(w.recorder.frames.slice(1).map((f) => f.flags)).toEqual([
      FLAG.binary | FLAG.undecodable,
      FLAG.invalidUtf8 | FLAG.undecodable,
      FLAG.undecodable,
      FLAG.undecodable,
      0,
    ])
    expect(w.recorder.frames[2]?.data.equals(bad)).toBe(true)
    expect(w.ears.records).toHaveLength(1)
    expect(xt(w)).toMatchObject({ undecodable: 4, state: { is: 'open' } })
  })

  test('an oversize frame is an entry with its limit and a gap, and the feed comes back', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    w.service.last.send('x'.repeat(1024 * 1024 + 1))
    await until('the return', () => w.service.requests.length === 2 && xt(w).state.is === 'open')
    await until('the end of the old socket', () => w.recorder.of('disconnected').length > 0)
    expect(w.recorder.of('oversize')).toMatchObject([{ conn: 1, limitBytes: 1024 * 1024 }])
    expect(w.recorder.of('disconnected')).toHaveLength(1)
    expect(w.ears.gaps.map((g) => [g.cause, g.toMs !== null])).toEqual([
      ['connect', true],
      ['drop', true],
    ])
  })

  test('a socket cut in the middle of a frame: complete messages are stored, the rest is a gap', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    w.service.last.send(trade('BTC-USD'))
    const [, raw] = [w.service.last, (w.service.last as unknown as { _socket: Duplex })._socket] // ws keeps its socket there
    raw.write(Buffer.from([0x81, 120, 0x7b, 0x22]))
    raw.end()
    await until('the return', () => w.service.requests.length === 2 && xt(w).state.is === 'open')
    expect(w.ears.records).toHaveLength(1)
    expect(w.ears.gaps.at(-1)).toMatchObject({ cause: 'drop' })
    expect(w.recorder.of('disconnected')[0]).toMatchObject({ closeCode: 0 })
  })

  test('the gap of a lost connection begins with the event time of the last message, not with when it was read', async () => {
    let laterMs = 0
    const stepped = steppedClock()
    const clock: Clock = {
      ...stepped,
      wallMs: () => unixMs(stepped.wallMs() + laterMs),
      monoNs: () => monoNs(stepped.monoNs() + laterMs * 1e6),
    }
    const w = await world(() => undefined, clock)
    await open(w, 'BTC-USD')
    laterMs = 2_000
    // As if it had waited in the socket for half a second: what the service sent behind it is lost with the connection.
    const sentMs = clock.wallMs() - 504
    w.service.last.send(tradeText('BTC-USD', 1.5, 2, sentMs))
    await until('the message', () => w.ears.records.length === 1)
    w.service.last.terminate()
    await until('the gap', () => w.ears.gaps.some(({ cause }) => cause === 'drop'))
    expect(w.ears.gaps.find(({ cause }) => cause === 'drop')?.fromMs).toBe(sentMs)
  })

  test('an acknowledgement of what nobody asked for is stored once, as the message it came in', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    const many = Array.from({ length: 40_000 }, (_, i) => `T${i}`)
    const spellings = ['BTC-USD', 'BTC/USD', 'btcusd']
    w.service.last.send(JSON.stringify({ type: 'subscribed', tickers: [...spellings, ...many, 'BTC-USD'] }))
    w.service.last.send(JSON.stringify({ type: 'unsubscribed', tickers: many }))
    await until('both', () => w.recorder.of('released').length === 1)
    expect(w.recorder.of('acknowledged').at(-1)).toMatchObject({ symbols: ['BTC-USD'] })
    expect(w.recorder.of('released')).toMatchObject([{ symbols: [] }])
    expect(w.recorder.frames.slice(-2).map(({ data }) => data.includes('T39999'))).toEqual([true, true])
  })

  test('a half-open socket is dropped and its gap has that cause', async () => {
    const w = await world((service) => {
      service.onOpen = (ws) => {
        if (service.sockets.length > 1) return
        ;(ws as unknown as { _autoPong: boolean })._autoPong = false // a peer that is gone answers no ping
      }
    }, steppedClock())
    await open(w, 'BTC-USD')
    await until('the return', () => w.service.requests.length >= 2 && xt(w).state.is === 'open')
    expect(w.ears.gaps.map((g) => g.cause)).toContain('half-open')
    expect(w.ears.problems[0]).toMatchObject({ code: 'timeout' })
  })

  test('a pong that answers no ping proves nothing: the gap begins with what was answered before', async () => {
    const clock = steppedClock()
    let pingedMs = NaN
    const w = await world((service) => {
      service.onOpen = (ws) => {
        if (service.sockets.length > 1) return
        ;(ws as unknown as { _autoPong: boolean })._autoPong = false
        ws.once('ping', () => {
          pingedMs = clock.wallMs()
          // An answer to an earlier ping, say; what came between the two is lost with the connection.
          ws.pong('earlier')
          ws.send(trade('BTC-USD').replace(/"t":\d+/, '"t":null'), () => ws.terminate())
        })
      }
    }, clock)
    await open(w, 'BTC-USD')
    await until('the gap', () => w.ears.gaps.some(({ cause }) => cause === 'drop'))
    const gap = w.ears.gaps.find(({ cause }) => cause === 'drop')
    expect(pingedMs - (gap?.fromMs ?? NaN)).toBeGreaterThan(10_000)
  })

  test.each(['999999999', '1e12', 'Infinity'])(
    '503 with Retry-After: %s is tried again within minutes',
    async (after) => {
      const w = await world((service) => {
        service.upgrade = (_request, socket) =>
          void socket.end(`HTTP/1.1 503 Busy\r\nRetry-After: ${after}\r\nContent-Length: 0\r\n\r\n`)
      })
      const beforeMs = w.clock.wallMs()
      w.feeds.subscribe('crypto/XT', ['BTC-USD'])
      await until('waiting', () => xt(w).state.is === 'waiting')
      const { state } = xt(w)
      const waitMs = state.is === 'waiting' ? state.untilMs - beforeMs : Infinity
      // The state machine counts from an instant that is a little later than ours.
      expect(waitMs).toBeLessThan(2 * RETRY_AFTER_AT_MOST_MS)
    },
  )

  test('a burst is read in turns: the socket rests when one has taken too long, and nothing is lost', async () => {
    let passedNs = 0
    // Every look at the clock costs more than a turn may take.
    const stepped = steppedClock()
    const clock: Clock = { ...stepped, monoNs: () => monoNs(stepped.monoNs() + (passedNs += 5e6)) }
    const pause = vi.spyOn(WebSocketClient.prototype, 'pause')
    const resume = vi.spyOn(WebSocketClient.prototype, 'resume')
    try {
      const w = await world(() => undefined, clock)
      await open(w, 'BTC-USD')
      for (let i = 1; i <= 5_000; i += 1) w.service.last.send(trade('BTC-USD', i))
      await until('the burst', () => w.ears.records.length === 5_000)
      expect(w.ears.records.map(({ price }) => price)).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1))
      expect(pause.mock.calls.length).toBeGreaterThan(0)
      await until('the last rest', () => resume.mock.calls.length === pause.mock.calls.length)
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('403: refused with the origin in the sentence, no second try until retry', async () => {
    let status = 403
    const w = await world((service) => {
      service.upgrade = (_request, socket, accept) =>
        status === 403 ? void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n') : accept()
    })
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => xt(w).state.is === 'refused')
    expect(w.ears.problems).toMatchObject([{ code: 'forbidden-origin' }])
    w.feeds.wake()
    w.feeds.networkChanged()
    expect(w.service.requests).toHaveLength(1)
    status = 101
    w.feeds.retry('crypto/XT')
    await until('open', () => xt(w).state.is === 'open')
    expect(w.ears.gaps.map((g) => g.cause)).toEqual(['connect', 'refused'])
  })

  test('401 and 4401: the token is renewed once; a second refusal asks', async () => {
    const w = await world((service) => {
      service.onOpen = (ws) => {
        ws.send('{"code":"authentication_failed","message":"expired"}')
        ws.close(4401, 'token expired')
      }
    })
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => xt(w).state.is === 'refused')
    expect(w.tokens.renewals).toBe(1)
    expect(w.service.requests.map((r) => r.headers.authorization)).toEqual([
      'Bearer eyJhbGciOi.CANARY-token-1.sig',
      'Bearer eyJhbGciOi.CANARY-token-2.sig',
    ])
    expect(xt(w).state).toMatchObject({ why: { code: 'token-expired', closeCode: 4401 } })
  })

  test('4401 once, then well: back with a gap of cause token', async () => {
    const w = await world((service) => {
      service.onOpen = (ws) => {
        if (service.sockets.length === 1) ws.close(4401, 'expired')
      }
    })
    await open(w, 'BTC-USD')
    expect(w.tokens.renewals).toBe(1)
    expect(w.service.requests).toHaveLength(2)
  })

  test('a redirect is never followed with the token', async () => {
    const w = await world((service) => {
      service.upgrade = (_request, socket) =>
        void socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n')
    })
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => xt(w).state.is === 'refused')
    expect(w.ears.problems[0]?.code).toBe('bad-url')
  })

  test('a server that echoes the token puts it into no log, reason or entry', async () => {
    const w = await world((service) => {
      service.onOpen = (ws) => {
        ws.send(JSON.stringify({ code: `bad ${SECRET}`, message: `token ${SECRET} is bad` }))
        ws.close(4400, `no ${SECRET}`)
      }
    })
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => xt(w).state.is === 'refused')
    await until('its entry', () => w.recorder.of('disconnected').length === 1)
    const told = JSON.stringify([
      w.ears.lines,
      w.ears.problems,
      w.ears.states,
      w.recorder.entries,
      w.feeds.status(unixMs(0)),
    ])
    expect(told).toContain('…')
    expect(told).not.toContain('CANARY')
  })

  test('no token because of a wrong password: refused without a connection', async () => {
    const w = await world()
    w.tokens.failure = new CodedError('wrong-password', 'no', { hint: 'check' })
    w.feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => xt(w).state.is === 'refused')
    expect(w.service.requests).toHaveLength(0)
  })

  test('plain ws to another machine is refused before anything is sent', async () => {
    const w = await world()
    const feeds = createFeeds({
      baseUrl: () => 'http://data.example.com',
      token: w.tokens,
      recorder: w.recorder,
      listener: w.ears,
      clock: w.clock,
      allowSharding: () => false,
    })
    feeds.subscribe('crypto/XT', ['BTC-USD'])
    await until('refused', () => w.ears.problems.length === 1)
    expect(w.ears.problems[0]?.code).toBe('insecure-url')
    await feeds.close()
  })
})

describe('reconnection', () => {
  test('drops ten times and reconnects ten times, each with a gap with both edges', async () => {
    const w = await world()
    await open(w, 'BTC-USD', 'ETH-USD')
    for (let i = 1; i <= 10; i++) {
      if (i % 2 === 0) w.service.last.close(1012, 'restart')
      else w.service.last.terminate()
      await until(`return ${i}`, () => w.service.sockets.length === i + 1 && xt(w).state.is === 'open')
      expect(xt(w).missing).toEqual([])
    }
    expect(w.ears.gaps).toHaveLength(11)
    for (const gap of w.ears.gaps) expect(gap.toMs).toBeGreaterThanOrEqual(gap.fromMs)
    expect(w.recorder.of('connecting').map((e) => e.conn)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1))
    expect(w.recorder.of('gap-close').length).toBe(w.recorder.of('gap-open').length)
  })

  test.each([
    ['the clock is set forward', 3_600_000, 0, 'clock'],
    ['the clock is set back', -3_600_000, 0, 'clock'],
    ['the machine slept', 3_600_000, 3_600_000, 'sleep'],
  ])('%s: a gap of its own cause, closed by the answer to another subscribe', async (_, wall, boot, cause) => {
    const moved = { wall: 0, boot: 0 }
    const stepped = steppedClock()
    const w = await world(undefined, {
      ...stepped,
      wallMs: () => unixMs(stepped.wallMs() + moved.wall),
      bootMs: () => stepped.monoNs() / 1e6 + moved.boot,
    })
    await open(w, 'BTC-USD')
    Object.assign(moved, { wall, boot })
    await until('the gap is closed', () => w.ears.gaps.length === 2 && w.ears.gaps[1].toMs !== null)
    const [, gap] = w.ears.gaps
    expect(gap).toMatchObject({ cause, symbols: ['BTC-USD'] })
    const length = (gap.toMs ?? 0) - gap.fromMs
    expect(length >= 0 && length < (cause === 'sleep' ? 3_700_000 : 60_000)).toBe(true)
    if (cause === 'sleep') expect(length).toBeGreaterThan(3_500_000)
    expect(w.service.requests).toHaveLength(1)
    expect(w.service.received.map(({ action }) => action)).toEqual(['subscribe', 'subscribe'])
    const { state } = xt(w)
    expect(state.is === 'open' && Math.abs(state.sinceMs - stepped.wallMs() - (boot === 0 ? wall : 0)) < 60_000).toBe(
      true,
    )
    expect(w.ears.lines.some((line) => line.includes('moved by'))).toBe(cause === 'clock')
  })

  test('a gap lasts as long as it did if the clock is set back meanwhile', async () => {
    const stepped = steppedClock()
    let movedMs = 0
    const w = await world(undefined, { ...stepped, wallMs: () => unixMs(stepped.wallMs() + movedMs) })
    await open(w, 'BTC-USD')
    w.service.last.terminate()
    await until('the gap is open', () => w.ears.gaps.length === 2)
    movedMs = -3_600_000
    w.recorder.setBackMs = 3_600_000
    await until('the gap is closed', () => w.ears.gaps[1].toMs !== null)
    const [, { cause, fromMs, toMs }] = w.ears.gaps
    expect(cause).toBe('drop')
    expect(toMs).toBeGreaterThan(fromMs)
    expect(toMs).toBeLessThan(fromMs + 600_000)
  })

  test('a process suspended while the clocks are read is neither a sleep nor a clock that was set', async () => {
    const stepped = steppedClock()
    let stopMs = 0
    let laterMs = 0
    let looks = 0
    const w = await world(undefined, {
      ...stepped,
      wallMs: () => unixMs(stepped.wallMs() + laterMs),
      monoNs: () => monoNs(stepped.monoNs() + laterMs * 1e6),
      bootMs() {
        looks++
        laterMs += stopMs
        stopMs = 0
        return stepped.monoNs() / 1e6 + laterMs
      },
    })
    await open(w, 'BTC-USD')
    const gaps = w.ears.gaps.length
    stopMs = 3_000
    const before = looks
    await until('two more checks', () => looks >= before + 3)
    expect(w.ears.lines.filter((line) => line.includes('moved by'))).toEqual([])
    expect(w.ears.gaps).toHaveLength(gaps)
  })

  test('sleep closes, wake reconnects', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    w.feeds.sleep()
    expect(xt(w).state).toMatchObject({ is: 'waiting' })
    w.feeds.wake()
    await until('open', () => xt(w).state.is === 'open')
    expect(w.ears.gaps.map((g) => g.cause)).toEqual(['connect', 'sleep'])
  })
})

describe('stopping', () => {
  test('close sends 1000, records what still arrives, and leaves a gap of cause quit', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    const code = new Promise<number>((resolve) => w.service.last.once('close', resolve))
    for (let i = 0; i < 500; i++) w.service.last.send(trade('BTC-USD', i + 1))
    await w.feeds.close()
    expect(await code).toBe(1000)
    expect(w.ears.records).toHaveLength(500)
    expect(w.recorder.order.at(-2)).toBe('gap-open')
    expect(w.recorder.of('gap-open').at(-1)).toMatchObject({ cause: 'quit', symbols: ['BTC-USD'] })
    expect(w.recorder.of('disconnected')).toMatchObject([{ closeCode: 1000 }])
    await w.feeds.close()
  })

  test('stop and start keep the subscriptions; the new service starts with its own gap', async () => {
    const w = await world()
    await open(w, 'BTC-USD')
    await w.feeds.stop()
    expect(xt(w).state.is).toBe('idle')
    w.feeds.subscribe('crypto/XT', ['ETH-USD'])
    const from = w.clock.wallMs()
    w.feeds.start()
    await until('open', () => xt(w).state.is === 'open')
    expect(xt(w).acknowledged).toEqual(['BTC-USD', 'ETH-USD'])
    const last = w.ears.gaps.at(-1)
    expect(last?.cause).toBe('connect')
    expect(last?.fromMs).toBeGreaterThanOrEqual(from)
    expect(w.ears.gaps.every((g) => g.toMs !== null)).toBe(true)
  })
})

describe('a saturated socket', () => {
  test('loses nothing, keeps the order, and is paused when its reads take too long', async () => {
    // Each look at this clock takes two milliseconds, so that a turn of several reads is overspent on any machine.
    let looks = 0
    const stepped = steppedClock()
    const slow: Clock = { ...stepped, monoNs: () => monoNs(stepped.monoNs() + looks++ * 2e6) }
    const w = await world(undefined, slow)
    await open(w, 'BTC-USD')
    const paused = vi.spyOn(WebSocketClient.prototype, 'pause')
    const resumed = vi.spyOn(WebSocketClient.prototype, 'resume')
    const total = 100_000
    const text = trade('BTC-USD')
    // In slices of several reads each, so that the sender in this same process does not itself hold the loop.
    for (let sent = 0; sent < total;) {
      for (let i = 0; i < 10_000; i++, sent++) w.service.last.send(text)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until('all', () => xt(w).received === total + 1)
    expect(w.ears.records).toHaveLength(total)
    expect(w.ears.records.every((r, i) => i === 0 || r.seq > (w.ears.records[i - 1]?.seq ?? 0))).toBe(true)
    expect(paused.mock.calls.length).toBeGreaterThan(0)
    expect(resumed.mock.calls.length).toBeGreaterThan(0)
    paused.mockRestore()
    resumed.mockRestore()
  })
})
