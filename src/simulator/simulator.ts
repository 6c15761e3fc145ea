/** A complete local market data service on 127.0.0.1, for the demo market and the tests. */
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Duplex } from 'node:stream'
import { createAccount } from '../server/account.ts'
import { shakeHands, takeMessage } from '../server/handshake.ts'
import { trackConnections } from '../server/upgrades.ts'
import { CLOSE, encodeError, isObject } from '../service/control.ts'
import { TICKERS_PER_CONNECTION } from '../service/feeds.ts'
import { CodedError } from '../shared/base/errors.ts'
import { isFeedId, type FeedId } from '../shared/base/units.ts'
import { machineClock, pause } from './market/clock.ts'
import { createConnection, type Connection, type SentConnection } from './connection.ts'
import { createFaultInjection } from './fault-injection.ts'
import { FAULTS, readFault, type FaultName } from './faults.ts'
import { createHttpHandler } from './http.ts'
import { createMarket } from './market/market.ts'
import type { SimulatorOptions } from './options.ts'
import {
  createLoad,
  createPlaylist,
  listenersOf,
  marketBatches,
  sendLoad,
  wantedInstruments,
  writersOf,
} from './pump.ts'
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

/** A longer jump of market time is skipped, as after the computer slept. */
const SKIP_MS = 30_000

/** Starts a simulator. Rejects if the port is taken or the data folder is missing. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? machineClock
  const seed = options.seed ?? 1
  const speed = options.speed ?? 1
  const turnMs = options.turnMs ?? 20
  const dataDir = folderUrl(options.dataDir)
  if (!existsSync(new URL('reference.json.br', dataDir))) {
    throw new CodedError('not-found', 'The data of the demo market is missing.', {
      hint: `Install Tapedeck again: ${fileURLToPath(dataDir)} should hold it.`,
    })
  }
  const account = createAccount(options, clock)
  const marketKind = options.market ?? { kind: 'demo' }
  const writer = writersOf(options.style ?? 'javascript')
  const market = createMarket(dataDir, seed)
  const load = createLoad(writer)
  const startMs = clock.wallMs()
  const connections = new Set<Connection>()
  const all: Connection[] = []
  const waiting: { feed: FeedId; symbol: string; done: () => void }[] = []
  const audience = { connections }
  const marketMs = () => Math.floor(startMs + (clock.wallMs() - startMs) * speed)
  let closing = false
  let lastTurnMs = marketMs()
  let owed = 0
  let rolls = 0
  let endPlayed: () => void = () => {}
  const played = new Promise<void>((resolve) => {
    endPlayed = resolve
  })

  const random = () => fraction(hashAt(seed, ++rolls, 4242))
  const noteSubscriptions = () => {
    for (let i = waiting.length - 1; i >= 0; i--) {
      const waiter = waiting[i]
      if (listenersOf(audience, waiter.feed, waiter.symbol).length === 0) continue
      waiting.splice(i, 1)
      waiter.done()
    }
  }

  const http: Server = createServer()
  const endConnections = trackConnections(http)
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 1 << 20,
    // Pongs can be withheld by a fault.
    autoPong: false,
  })
  let port = 0
  const origins = () => [`http://127.0.0.1:${port}`, `http://localhost:${port}`]

  const cutAll = () => {
    for (const connection of connections) connection.cut()
    for (const ws of sockets.clients) ws.terminate()
    endConnections()
  }
  const stopListening = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      cutAll()
    })
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      http.once('error', reject)
      http.listen(port || (options.port ?? 0), '127.0.0.1', () => {
        http.off('error', reject)
        port = (http.address() as AddressInfo).port // a TCP server's address
        resolve()
      })
    })

  const faults = createFaultInjection({
    clock,
    account,
    connections,
    isClosing: () => closing,
    expireTokens,
    async restart(ms) {
      await stopListening()
      await pause(clock, ms)
      if (!closing) await listen()
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
    const connection = createConnection(all.length + 1, feed, ws, socket, {
      nowMs: clock.wallMs(),
      mute,
      keepFrames: options.keepFrames === true,
    })
    all.push(connection)
    connections.add(connection)
    const client = {
      tickersPerConnection: options.tickersPerConnection ?? TICKERS_PER_CONNECTION,
      overLimit: options.overLimit ?? 'close',
      protocolCloseCode: options.protocolCloseCode ?? CLOSE.normal,
      takePartialAcknowledgement: () => faults.takePartialAcknowledgement(),
      changed: noteSubscriptions,
    }
    ws.on('message', (data, isBinary) => {
      if (connection.open) takeMessage(client, connection, data, isBinary)
    })
    ws.on('ping', (data) => {
      if (connection.open) ws.pong(data)
    })
    ws.on('error', () => connection.cut())
    ws.on('close', () => {
      connection.closed(clock.wallMs())
      connections.delete(connection)
    })
  }

  const handler = createHttpHandler({
    account,
    origin: () => `http://127.0.0.1:${port}`,
    dataDir,
    nowMs: marketMs,
    seed,
    market,
    comingSoon: options.comingSoon ?? [],
    tokenFields: options.tokenFields ?? { user: 'username', password: 'password' },
    takeRestFault: () => faults.takeRestFault(),
    control,
  })
  http.on('request', (request, response) => void handler(request, response))
  http.on('upgrade', (request, socket, head) => {
    void shakeHands(
      {
        account,
        server: sockets,
        disabledFeeds: options.disabledFeeds ?? [],
        allows: (origin) => origins().includes(origin),
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

  function control(method: string, url: URL, body: unknown): unknown {
    switch (`${method} ${url.pathname.slice('/__simulator/'.length)}`) {
      case 'GET sent': {
        const connection = url.searchParams.get('connection')
        if (connection === null) return sent()
        return { sha256: prefix(Number(connection), Number(url.searchParams.get('count'))) ?? null }
      }
      case 'GET faults':
        return FAULTS
      case 'POST fault': {
        const { fault: name, ...params } = isObject(body) ? body : {}
        const fault = readFault(String(name), params)
        faults.apply(fault)
        return { done: fault.name }
      }
      case 'POST send': {
        const { feed, symbol, raw } = isObject(body) ? body : {}
        if (typeof feed !== 'string' || !isFeedId(feed) || typeof symbol !== 'string' || typeof raw !== 'string')
          throw new CodedError('usage', 'Sending wants {"feed", "symbol", "raw"}.')
        return { listeners: inject(feed, symbol, raw) }
      }
      default:
        return undefined
    }
  }

  function inject(feed: FeedId, symbol: string, text: string): number {
    const listeners = listenersOf(audience, feed, symbol)
    for (const connection of listeners) connection.market([{ symbol, text }], clock.wallMs(), random)
    return listeners.length
  }

  function sent(): Sent {
    const list = all.map((connection) => connection.sent())
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

  function prefix(id: number, count: number): string | undefined {
    return all[id - 1]?.prefix(count)
  }

  const playlist = marketKind.kind === 'playlist' ? createPlaylist(marketKind.messages) : undefined
  const turn = async () => {
    const now = marketMs()
    switch (marketKind.kind) {
      case 'demo': {
        const wanted = wantedInstruments(audience)
        // After the computer slept, instruments restart at the current time.
        if (now - lastTurnMs > Math.max(SKIP_MS, 100 * turnMs * speed)) market.advance(now, [])
        const batches = marketBatches(market.advance(now, wanted), audience, market, writer)
        for (const [connection, list] of batches) connection.market(list, clock.wallMs(), random)
        break
      }
      case 'load': {
        const rate = marketKind.messagesPerSecond * speed
        // A reader that was slow is owed at most one second.
        owed = Math.min(rate, owed + (rate * Math.max(0, now - lastTurnMs)) / 1000 / speed)
        const able = [...connections].filter((c) => c.open && c.tickers.size > 0)
        const each = able.length === 0 ? 0 : Math.floor(owed / able.length)
        for (const connection of able) owed -= sendLoad(connection, each, connection.marketCount, now, load)
        break
      }
      case 'playlist':
        if (await playlist?.turn(audience, clock.wallMs())) endPlayed()
        break
      case 'none':
        break
    }
    lastTurnMs = now
  }
  let cancelTurn = () => {}
  const schedule = () => {
    cancelTurn = clock.after(turnMs, () => {
      void turn().finally(() => {
        if (!closing) schedule()
      })
    })
  }

  await listen()
  const cancels = (options.faults ?? []).map(({ atMs, fault }) => clock.after(atMs, () => faults.apply(fault)))
  schedule()

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    username: account.username,
    password: account.password,
    apiKey: account.apiKey,
    sent,
    sentPrefix: prefix,
    send: inject,
    fault: (name, params) => faults.apply(readFault(name, params)),
    expireTokens: () => expireTokens(),
    subscribed: (feed, symbol) =>
      new Promise((done) => {
        waiting.push({ feed, symbol, done })
        noteSubscriptions()
      }),
    played,
    async close() {
      if (closing) return
      closing = true
      cancelTurn()
      for (const cancel of cancels) cancel()
      await stopListening()
      sockets.close()
    },
  }
}

function folderUrl(folder: URL | string): URL {
  const url = typeof folder === 'string' && !folder.startsWith('file:') ? pathToFileURL(folder) : new URL(folder)
  return url.href.endsWith('/') ? url : new URL(`${url.href}/`)
}
