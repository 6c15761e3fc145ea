/** A complete local market data service on 127.0.0.1, for the demo market and the tests. */
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Duplex } from 'node:stream'
import { createAccount } from '../server/account.ts'
import { shakeHands, takeMessage } from '../server/handshake.ts'
import { createServer } from '../server/node-http.ts'
import { trackConnections } from '../server/upgrades.ts'
import { CLOSE, encodeError, isObject } from '../service/control.ts'
import { TICKERS_PER_CONNECTION } from '../service/feeds.ts'
import { CodedError } from '../shared/base/errors.ts'
import { isFeedId, type FeedId } from '../shared/base/units.ts'
import { machineClock, pause, type SimulatorClock } from './market/clock.ts'
import { createConnection, type Connection, type SentConnection } from './connection.ts'
import { createFaultInjection } from './fault-injection.ts'
import { FAULTS, readFault, type FaultName } from './faults.ts'
import { createHttpHandler } from './http.ts'
import { createMarket } from './market/market.ts'
import type { SimulatorOptions } from './options.ts'
import { MarketTurns } from './market-turns.ts'
import { createLoad, listenersOf, sendLoad, writersOf } from './pump.ts'
import { fraction, hashAt } from './market/random.ts'

export type { SimulatorOptions } from './options.ts'

/** Everything sent since the start, including on closed connections. */
export interface Sent {
  readonly connections: readonly SentConnection[]
  readonly feeds: Readonly<Partial<Record<FeedId, SentFeed>>>
  readonly frames: number
  readonly market: number
}

interface SentFeed {
  readonly frames: number
  readonly market: number
  readonly symbols: Readonly<Record<string, number>>
}

export interface Simulator {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly apiKey: string
  sent(): Sent
  /** SHA-256 of the first `count` frames of a connection (each followed by LF); undefined without `keepFrames`. */
  sentPrefix(connection: number, count: number): string | undefined
  /** Sends a text unchanged to all who subscribed to the symbol on the feed, and returns their number. */
  send(feed: FeedId, symbol: string, rawText: string): number
  /** Injects a fault from the table in `faults.ts`. Throws CodedError `usage`. */
  fault(name: FaultName, params?: Readonly<Record<string, unknown>>): void
  expireTokens(): void
  /** Resolves once the symbol was subscribed on the feed and acknowledged. */
  subscribed(feed: FeedId, symbol: string): Promise<void>
  /** Resolves when a playlist was sent to its end. */
  readonly played: Promise<void>
  /** Stops everything. Resolves when the port is free. */
  close(): Promise<void>
}

/** Starts a simulator. Rejects if the port is taken or the data folder is missing. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? machineClock
  const seed = options.seed ?? 1
  const speed = options.speed ?? 1
  const dataDir = findDataFolder(options.dataDir)
  const account = createAccount(options, clock)
  const market = createMarket(dataDir, seed)
  const writer = writersOf(options.style ?? 'javascript')
  const load = createLoad(writer)
  const startMs = clock.wallMs()
  const accepted = new AcceptedConnections()
  const connections = accepted.open
  const marketMs = () => Math.floor(startMs + (clock.wallMs() - startMs) * speed)
  let closing = false
  let rolls = 0
  const random = () => fraction(hashAt(seed, ++rolls, 4242))

  const http = createServer()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 1 << 20,
    // Pongs can be withheld by a fault.
    autoPong: false,
  })
  const listener = new Listener(http, options.port ?? 0, () => {
    for (const connection of connections) connection.cut()
    for (const ws of sockets.clients) ws.terminate()
  })

  const faults = createFaultInjection({
    clock,
    account,
    connections,
    isClosing: () => closing,
    expireTokens,
    async restart(ms) {
      await listener.stop()
      await pause(clock, ms)
      if (!closing) await listener.listen()
    },
    burst(connection, from, count) {
      return sendLoad(connection, count, from, marketMs(), load)
    },
    sample: (feed, symbol) => load(feed, symbol, marketMs()),
  })

  function expireTokens(close = true): void {
    account.expireTokens()
    if (!close) return
    for (const connection of connections) {
      connection.raw(encodeError('authentication_failed', 'Authentication failed: token is expired.'))
      connection.close(CLOSE.authentication, 'token is expired')
    }
  }

  const accept = (feed: FeedId, ws: WebSocket, socket: Duplex, mute: boolean) => {
    const connection = accepted.add(feed, ws, socket, { clock, mute, keepFrames: options.keepFrames === true })
    const client = {
      tickersPerConnection: options.tickersPerConnection ?? TICKERS_PER_CONNECTION,
      overLimit: options.overLimit ?? 'close',
      protocolCloseCode: options.protocolCloseCode ?? CLOSE.normal,
      takePartialAcknowledgement: () => faults.takePartialAcknowledgement(),
      changed: () => accepted.noteSubscriptions(),
    }
    ws.on('message', (data, isBinary) => {
      if (connection.open) takeMessage(client, connection, data, isBinary)
    })
  }

  const handler = createHttpHandler({
    account,
    origin: () => listener.origins[0],
    dataDir,
    nowMs: marketMs,
    seed,
    market,
    comingSoon: options.comingSoon ?? [],
    tokenFields: options.tokenFields ?? { user: 'username', password: 'password' },
    takeRestFault: () => faults.takeRestFault(),
    control: (...request) => respondToControl(simulator, ...request),
  })
  http.on('request', (request, response) => void handler(request, response))
  http.on('upgrade', (request, socket, head) => {
    void shakeHands(
      {
        account,
        server: sockets,
        disabledFeeds: options.disabledFeeds ?? [],
        allows: (origin) => listener.origins.includes(origin),
        takeForbidden: () => faults.takeForbidden(),
        async delay() {
          const ms = faults.takeDelayMs()
          if (ms > 0) await pause(clock, ms)
        },
        accept,
      },
      request,
      socket,
      head,
    )
  })

  const turns = new MarketTurns({
    kind: options.market ?? { kind: 'demo' },
    clock,
    turnMs: options.turnMs ?? 20,
    speed,
    marketMs,
    market,
    connections,
    writer,
    load,
    random,
  })

  await listener.listen()
  const cancels = (options.faults ?? []).map(({ atMs, fault }) => clock.after(atMs, () => faults.apply(fault)))
  turns.start()

  const simulator: Simulator = {
    baseUrl: listener.origins[0],
    username: account.username,
    password: account.password,
    apiKey: account.apiKey,
    sent: () => totalOf(accepted.all),
    sentPrefix: (connection, count) => accepted.all[connection - 1]?.prefix(count),
    send(feed, symbol, text) {
      const listeners = listenersOf({ connections }, feed, symbol)
      for (const connection of listeners) connection.market([{ symbol, text }], clock.wallMs(), random)
      return listeners.length
    },
    fault: (name, params) => faults.apply(readFault(name, params)),
    expireTokens: () => expireTokens(),
    subscribed: (feed, symbol) => accepted.subscribed(feed, symbol),
    played: turns.played,
    async close() {
      if (closing) return
      closing = true
      turns.stop()
      for (const cancel of cancels) cancel()
      await listener.stop()
      sockets.close()
    },
  }
  return simulator
}

/** The URL of the demo market's data. Throws `not-found`. */
function findDataFolder(folder: URL | string): URL {
  const url = typeof folder === 'string' && !folder.startsWith('file:') ? pathToFileURL(folder) : new URL(folder)
  const dataDir = url.href.endsWith('/') ? url : new URL(`${url.href}/`)
  if (!existsSync(new URL('reference.json.br', dataDir))) {
    throw new CodedError('not-found', 'The data of the demo market is missing.', {
      hint: `Install Tapedeck again: ${fileURLToPath(dataDir)} should hold it.`,
    })
  }
  return dataDir
}

function totalOf(connections: readonly Connection[]): Sent {
  const list = connections.map((connection) => connection.sent())
  const feeds: Partial<Record<FeedId, { frames: number; market: number; symbols: Record<string, number> }>> = {}
  for (const one of list) {
    const feed = (feeds[one.feed] ??= { frames: 0, market: 0, symbols: {} })
    feed.frames += one.frames
    feed.market += one.market
    for (const [symbol, n] of Object.entries(one.symbols)) feed.symbols[symbol] = (feed.symbols[symbol] ?? 0) + n
  }
  const sum = (of: (one: SentConnection) => number) => list.reduce((total, one) => total + of(one), 0)
  return { connections: list, feeds, frames: sum((c) => c.frames), market: sum((c) => c.market) }
}

/** Responds to a request of the simulator's own endpoints. Undefined: there is no such endpoint. */
function respondToControl(simulator: Simulator, method: string, url: URL, body: unknown): unknown {
  switch (`${method} ${url.pathname.slice('/__simulator/'.length)}`) {
    case 'GET sent': {
      const connection = url.searchParams.get('connection')
      if (connection === null) return simulator.sent()
      return { sha256: simulator.sentPrefix(Number(connection), Number(url.searchParams.get('count'))) ?? null }
    }
    case 'GET faults':
      return FAULTS
    case 'POST fault': {
      const { fault: name, ...params } = isObject(body) ? body : {}
      const fault = readFault(String(name), params)
      simulator.fault(fault.name, params)
      return { done: fault.name }
    }
    case 'POST send': {
      const { feed, symbol, raw } = isObject(body) ? body : {}
      if (typeof feed !== 'string' || !isFeedId(feed) || typeof symbol !== 'string' || typeof raw !== 'string')
        throw new CodedError('usage', 'Sending wants {"feed", "symbol", "raw"}.')
      return { listeners: simulator.send(feed, symbol, raw) }
    }
    default:
      return undefined
  }
}

/** Listens on loopback, on the same port each time. */
class Listener {
  readonly #http: Server
  readonly #cut: () => void
  readonly #endConnections: () => void
  #port: number

  /** `port` 0: any free one. `cut` drops the WebSockets. */
  constructor(http: Server, port: number, cut: () => void) {
    this.#http = http
    this.#port = port
    this.#cut = cut
    this.#endConnections = trackConnections(http)
  }

  /** Its address with an IP address and with a name. */
  get origins(): readonly [string, string] {
    return [`http://127.0.0.1:${this.#port}`, `http://localhost:${this.#port}`]
  }

  /** Rejects if the port is taken. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject)
      this.#http.listen(this.#port, '127.0.0.1', () => {
        this.#http.off('error', reject)
        this.#port = (this.#http.address() as AddressInfo).port // a TCP server's address
        resolve()
      })
    })
  }

  /** Drops every connection. Resolves when the port is free. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.close(() => resolve())
      this.#cut()
      this.#endConnections()
    })
  }
}

/** The WebSockets accepted since the start. */
class AcceptedConnections {
  /** Also the closed ones, by their id less one. */
  readonly all: Connection[] = []
  readonly open = new Set<Connection>()
  #waiting: readonly { readonly feed: FeedId; readonly symbol: string; readonly done: () => void }[] = []

  add(
    feed: FeedId,
    ws: WebSocket,
    socket: Duplex,
    { clock, mute, keepFrames }: { clock: SimulatorClock; mute: boolean; keepFrames: boolean },
  ): Connection {
    const nowMs = clock.wallMs()
    const connection = createConnection(this.all.length + 1, feed, ws, socket, { nowMs, mute, keepFrames })
    this.all.push(connection)
    this.open.add(connection)
    ws.on('ping', (data) => {
      if (connection.open) ws.pong(data)
    })
    ws.on('error', () => connection.cut())
    ws.on('close', () => {
      connection.closed(clock.wallMs())
      this.open.delete(connection)
    })
    return connection
  }

  /** Resolves once a connection has subscribed to the symbol on the feed. */
  subscribed(feed: FeedId, symbol: string): Promise<void> {
    return new Promise((done) => {
      this.#waiting = [...this.#waiting, { feed, symbol, done }]
      this.noteSubscriptions()
    })
  }

  /** Called after each change of a connection's symbols. */
  noteSubscriptions(): void {
    const isSubscribed = ({ feed, symbol }: { feed: FeedId; symbol: string }): boolean =>
      listenersOf({ connections: this.open }, feed, symbol).length > 0
    const subscribed = this.#waiting.filter(isSubscribed)
    this.#waiting = this.#waiting.filter((one) => !subscribed.includes(one))
    for (const { done } of subscribed) done()
  }
}
