/**
 * Serves recorded sessions over the service's own protocol (docs/service.md): token endpoint, the eleven feeds, Origin,
 * acknowledgements and close codes are those of the service, so any client of it connects to a session as if it were
 * live. Also streams the session over HTTP. Listens on 127.0.0.1 only.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { createBoundedServer, SERVER_BOUNDS } from '../../../../server/bounded-server.ts'
import { createAccount, type Account } from '../../../../server/account.ts'
import type { AccountOptions } from '../../../../server/account-options.ts'
import { shakeHands, takeMessage } from '../../../../server/handshake.ts'
import { urlOf } from '../../../../server/http.ts'
import { StreamSlots, type StreamSlot } from '../../../../server/stream-slots.ts'
import { refuseUpgrade, trackConnections } from '../../../../server/upgrades.ts'
import { CLOSE } from '../../../../service/control.ts'
import { feedOfPath, TICKERS_PER_CONNECTION } from '../../../../service/feeds.ts'
import { CodedError, toFailure } from '../../../../shared/base/errors.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { ReplaySpeed } from '../../../../shared/features/replay/replay.ts'
import type { Clock } from '../../../base/clock.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import { Audience } from './audience.ts'
import { createHttpHandler } from './http.ts'
import { LedPlayout, type Leader } from './led-playout.ts'
import { Playout, type ClockReport, type PlayoutOptions, type SharedClock } from './playout.ts'
import type { Start } from './options.ts'
import { readOwnClock, type ClockChange, type OwnClock } from './query.ts'
import { loadRecorded, partsUpTo, rangeOf, type Moment, type Recorded, type Served } from './recorded.ts'
import { ServedConnection } from './served-connection.ts'

export interface ReplayServerOptions {
  readonly reader: StoreReader
  readonly clock: Clock
  readonly served: Served
  /** 0: any free port. */
  readonly port: number
  readonly speed: ReplaySpeed
  readonly loop: boolean
  /** Receive times to play, [from, to), UTC ms. Default: everything. */
  readonly range?: Pick<OwnClock, 'fromMs' | 'toMs'>
  readonly start?: Start
  /**
   * A clock that plays the same sessions. The shared clock follows it instead of `speed`, `loop`, `range` and `start`.
   */
  readonly leader?: Leader
  /** A client connected or disconnected. */
  readonly clientsChanged?: () => void
  /** Whether recorded gaps end the connections of their feed. */
  readonly gapsDisconnect?: boolean
  /** Random where it isn't given. */
  readonly account?: Pick<AccountOptions, 'username' | 'password' | 'apiKey'>
}

export interface ReplayServer {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly apiKey: string
  clock(): ClockReport
  /** Changes the shared clock. */
  control(change: ClockChange): ClockReport
  /** Sockets of clients that are open. */
  clients(): number
  /** Resolves when the shared clock has played everything; never with a loop. Rejects if the store can't be read. */
  readonly played: Promise<void>
  /** Stops everything. Resolves when the port is free. */
  close(): Promise<void>
}

/** A client's messages are lists of tickers. */
const MAX_MESSAGE_BYTES = 1 << 20
/** Clients with clocks of their own at once: sockets and streams of lines. Each holds some megabytes, read or not. */
const MAX_OWN_CLOCKS = 64
/** The close code for "try again later" (RFC 6455's registry). */
const TRY_AGAIN = 1013

/** What a client plays on a clock of its own. */
type OwnPlay = Pick<PlayoutOptions, 'parts' | 'range' | 'speed'>

/** Starts a server. Rejects with `not-found` or `ambiguous-source` for the sessions, and if the port is taken. */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  const recorded = await loadRecorded(options.reader, options.served)
  if (recorded.isMerge && options.gapsDisconnect === true)
    throw new CodedError('usage', 'Gaps of a team can’t end connections, because its other recorders were connected.', {
      hint: 'Serve one session, or leave out --gaps disconnect.',
    })
  const server = new RunningServer(options, recorded)
  await server.listen(options.port)
  return server
}

class RunningServer implements ReplayServer {
  /** Empty until it listens. */
  baseUrl = ''
  readonly username: string
  readonly password: string
  readonly apiKey: string
  readonly played: Promise<void>
  readonly #of: ReplayServerOptions
  readonly #recorded: Recorded
  /** What clients with clocks of their own can read: nothing that the leader hasn't shown yet. */
  readonly #readable: Recorded
  readonly #range: Span
  readonly #account: Account
  readonly #server = createBoundedServer(SERVER_BOUNDS)
  readonly #endConnections = trackConnections(this.#server)
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
  readonly #slots: StreamSlots
  /** Clocks of single clients. */
  readonly #alones = new Set<Playout>()
  readonly #shared: Audience
  readonly #playout: SharedClock
  readonly #start: Start
  #port = 0
  #isClosing = false
  #hasStarted = false

  constructor(options: ReplayServerOptions, recorded: Recorded) {
    const { clock, leader } = options
    this.#of = options
    this.#recorded = recorded
    this.#start = leader === undefined ? (options.start ?? 'first') : 'paused'
    const shown = (): Moment | null => this.#shown()
    this.#readable = {
      ...recorded,
      get parts() {
        const at = shown()
        return at === null ? recorded.parts : partsUpTo(recorded.parts, at.place, at.atMs)
      },
    }
    this.#range = this.#wholeRange()
    this.#account = createAccount({ username: 'replay', tokenLifetimeMs: 86_400_000, ...options.account }, clock)
    this.username = this.#account.username
    this.password = this.#account.password
    this.apiKey = this.#account.apiKey
    this.#slots = new StreamSlots(MAX_OWN_CLOCKS, () => clock.monoNs() / 1e6)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.played = promise
    promise.catch(() => undefined) // reported to the caller that awaits it
    this.#shared = new Audience({
      clock,
      gapsDisconnect: options.gapsDisconnect ?? false,
      // At full speed nothing may be lost. At any other, one slow reader doesn't hold up the rest. A leader can change
      // its speed while readers still have to catch up with it.
      waits: () => leader !== undefined || this.#playout.state.speed === 'max',
      onEnd: () => resolve(),
    })
    this.#playout = this.#createClock()
    this.#playout.done.catch((thrown: unknown) => {
      reject(thrown)
      this.#shared.fail()
    })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    )
    const handler = this.#createHandler()
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => void handler(request, response))
  }

  /** Rejects if the port is taken. */
  async listen(wanted: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host: '127.0.0.1', port: wanted, exclusive: true }, () => {
        this.#server.off('error', reject)
        this.#port = (this.#server.address() as AddressInfo).port // a listening TCP server has one
        this.baseUrl = `http://127.0.0.1:${this.#port}`
        resolve()
      })
    }).catch((cause: unknown) => {
      this.#playout.close()
      throw taken(cause, wanted)
    })
  }

  clock(): ClockReport {
    return { ...this.#playout.state, ...(this.#of.leader === undefined ? this.#range : this.#wholeRange()) }
  }

  control(change: ClockChange): ClockReport {
    if (change.playing !== undefined) this.#hasStarted = true
    this.#playout.control(change)
    return this.clock()
  }

  clients(): number {
    return this.#sockets.clients.size
  }

  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    for (const one of [this.#playout, ...this.#alones]) one.close()
    for (const ws of this.#sockets.clients) ws.close(CLOSE.normal, 'the replay server is closing')
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    // A client that doesn't answer the close must not keep the command from ending.
    const undo = this.#of.clock.after(500, this.#endConnections)
    this.#server.closeIdleConnections()
    await closed
    undo()
    await Promise.allSettled([this.#playout.done, ...[...this.#alones].map(({ done }) => done)])
  }

  #shown(): Moment | null {
    const { leader } = this.#of
    return leader === undefined ? null : { place: leader.place, atMs: leader.state.atMs }
  }

  #wholeRange(): Span {
    return rangeOf(this.#recorded.parts, this.#of.range ?? { fromMs: undefined, toMs: undefined })
  }

  #origins(): readonly string[] {
    return [`http://127.0.0.1:${this.#port}`, `http://localhost:${this.#port}`]
  }

  /** The clock that clients share. */
  #createClock(): SharedClock {
    const { reader, clock, speed, loop, leader, gapsDisconnect } = this.#of
    const recorded = this.#recorded
    const outlet = this.#shared
    if (leader !== undefined) {
      return new LedPlayout({ reader: recorded.reader, parts: () => recorded.parts, leader, outlet })
    }
    return new Playout({
      reader: recorded.reader,
      parts: recorded.parts,
      range: this.#range,
      speed,
      loop,
      clock,
      outlet,
      // A client with a clock of its own would start in the same gap again and again, so only this one restores them.
      gapsOf: gapsDisconnect === true ? (session) => reader.gaps({ sessions: [session] }) : undefined,
    })
  }

  #createHandler(): ReturnType<typeof createHttpHandler> {
    return createHttpHandler({
      account: this.#account,
      recorded: this.#readable,
      shown: () => this.#shown(),
      origins: () => this.#origins(),
      clock: this.#of.clock,
      clockReport: () => this.clock(),
      control: (change) => this.control(change),
      playouts: this.#alones,
      slots: this.#slots,
    })
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    let url: URL
    let own: OwnPlay | null
    try {
      url = urlOf(request)
      own = this.#ownPlay(url)
    } catch (thrown) {
      return refuse(socket, 400, toFailure(thrown).message)
    }
    const feed = feedOfPath(url.pathname)
    // Before the clock starts, let clients in: the first one starts it.
    if (own === null && feed !== undefined && this.#hasStarted && this.#shared.isDown(feed.id))
      return refuse(socket, 503, 'The recording was disconnected here.')
    void shakeHands(
      {
        account: this.#account,
        server: this.#sockets,
        disabledFeeds: [],
        allows: (origin) => this.#origins().includes(origin),
        accept: (id, ws) => (own === null ? this.#acceptShared(id, ws, socket) : this.#acceptOwn(id, ws, socket, own)),
      },
      request,
      socket,
      head,
    )
  }

  /** What a client with a clock of its own plays; null: it follows the shared one. */
  #ownPlay(url: URL): OwnPlay | null {
    const wanted = readOwnClock(url.searchParams, this.#of.clock.wallMs())
    const { parts } = this.#readable
    return wanted === null ? null : { parts, range: rangeOf(parts, wanted), speed: wanted.speed ?? this.#of.speed }
  }

  #acceptShared(feed: FeedId, ws: WebSocket, socket: Duplex): void {
    const connection = new ServedConnection(feed, ws, socket, () => this.#shared.freed())
    this.#follow(connection, ws, this.#shared, () => this.#subscribed())
  }

  /** Starts the shared clock once what it waits for is subscribed. */
  #subscribed(): void {
    this.#shared.subscriptionsChanged()
    if (this.#hasStarted || this.#start === 'paused' || (this.#start === 'all' && !this.#isWholeSubscribed())) return
    this.#hasStarted = true
    this.#playout.control({ playing: true })
  }

  #isWholeSubscribed(): boolean {
    return [...this.#recorded.instruments].every(([feed, wanted]) => {
      const subscribed = new Set(
        [...this.#shared.connections].flatMap((one) => (one.feed === feed ? [...one.tickers.values()] : [])),
      )
      return [...wanted].every((instrument) => subscribed.has(instrument))
    })
  }

  /** Serves a connection on a clock of its own, which starts with its first subscription. */
  #acceptOwn(feed: FeedId, ws: WebSocket, socket: Duplex, own: OwnPlay): void {
    let slot: StreamSlot
    try {
      slot = this.#slots.take(socket)
    } catch (thrown) {
      return ws.close(TRY_AGAIN, toFailure(thrown).message)
    }
    const { clock, loop, gapsDisconnect = false } = this.#of
    const audience: Audience = new Audience({
      clock,
      gapsDisconnect,
      waits: () => true,
      onEnd: () => audience.closeAll('the replay has ended'),
    })
    const alone = new Playout({ reader: this.#recorded.reader, ...own, loop, clock, outlet: audience })
    this.#alones.add(alone)
    alone.done.catch(() => audience.fail())
    const connection = new ServedConnection(feed, ws, socket, () => {
      slot.moved()
      audience.freed()
    })
    this.#follow(connection, ws, audience, () => {
      audience.subscriptionsChanged()
      if (!alone.state.ended) alone.setPlaying(true)
    })
    ws.on('close', () => {
      alone.close()
      this.#alones.delete(alone)
    })
  }

  #follow(connection: ServedConnection, ws: WebSocket, audience: Audience, changed: () => void): void {
    const { clientsChanged } = this.#of
    audience.add(connection)
    const client = {
      tickersPerConnection: TICKERS_PER_CONNECTION,
      overLimit: 'close',
      protocolCloseCode: CLOSE.normal,
      changed,
    } as const
    ws.on('message', (data, isBinary) => {
      if (connection.isOpen) takeMessage(client, connection, data, isBinary)
    })
    ws.on('error', () => connection.cut())
    ws.on('close', () => {
      audience.remove(connection)
      clientsChanged?.()
    })
    clientsChanged?.()
  }
}

function taken(cause: unknown, port: number): unknown {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return cause
  return new CodedError('not-allowed', `Port ${port} is already in use.`, { hint: 'Choose another port, or 0.', cause })
}

/** Refuses an upgrade with an HTTP status, and why. */
const refuse = (socket: Duplex, status: number, why: string): void =>
  refuseUpgrade(socket, status, JSON.stringify({ detail: why }), { 'content-type': 'application/json' })
