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
import { createAccount } from '../../../../server/account.ts'
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
import type { Span } from '../play/play.ts'
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

/** Starts a server. Rejects with `not-found` or `ambiguous-source` for the sessions, and if the port is taken. */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  const { reader, clock, loop, speed, gapsDisconnect = false, leader } = options
  const start = leader === undefined ? (options.start ?? 'first') : 'paused'
  const recorded = await loadRecorded(reader, options.served)
  if (recorded.isMerge && gapsDisconnect)
    throw new CodedError('usage', 'Gaps of a team can’t end connections, because its other recorders were connected.', {
      hint: 'Serve one session, or leave out --gaps disconnect.',
    })
  const shown = (): Moment | null => (leader === undefined ? null : { place: leader.place, atMs: leader.state.atMs })
  /** What clients with clocks of their own can read: nothing that the leader hasn't shown yet. */
  const readable: Recorded = {
    ...recorded,
    get parts() {
      const at = shown()
      return at === null ? recorded.parts : partsUpTo(recorded.parts, at.place, at.atMs)
    },
  }
  const wholeRange = (): Span => rangeOf(recorded.parts, options.range ?? { fromMs: undefined, toMs: undefined })
  const range = wholeRange()
  const account = createAccount({ username: 'replay', tokenLifetimeMs: 86_400_000, ...options.account }, clock)
  const server = createBoundedServer(SERVER_BOUNDS)
  const endConnections = trackConnections(server)
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
  const slots = new StreamSlots(MAX_OWN_CLOCKS, () => clock.monoNs() / 1e6)
  /** Clocks of single clients. */
  const alones = new Set<Playout>()
  let port = 0
  let isClosing = false
  let hasStarted = false
  let endPlayed: () => void = () => undefined
  let failPlayed: (why: unknown) => void = () => undefined
  const played = new Promise<void>((resolve, reject) => ([endPlayed, failPlayed] = [resolve, reject]))
  played.catch(() => undefined) // reported to the caller that awaits it

  const shared: Audience = new Audience({
    clock,
    gapsDisconnect,
    // At full speed nothing may be lost. At any other, one slow reader doesn't hold up the rest. A leader can change
    // its speed while readers still have to catch up with it.
    waits: () => leader !== undefined || playout.state.speed === 'max',
    onEnd: () => endPlayed(),
  })
  const playout: SharedClock =
    leader === undefined
      ? new Playout({
          reader: recorded.reader,
          parts: recorded.parts,
          range,
          speed,
          loop,
          clock,
          outlet: shared,
          // A client with a clock of its own would start in the same gap again and again, so only this one restores them.
          gapsOf: gapsDisconnect ? (session) => reader.gaps({ sessions: [session] }) : undefined,
        })
      : new LedPlayout({ reader: recorded.reader, parts: () => recorded.parts, leader, outlet: shared })
  playout.done.catch((thrown: unknown) => {
    failPlayed(thrown)
    shared.fail()
  })

  const isWholeSubscribed = (): boolean =>
    [...recorded.instruments].every(([feed, wanted]) => {
      const subscribed = new Set(
        [...shared.connections].flatMap((one) => (one.feed === feed ? [...one.tickers.values()] : [])),
      )
      return [...wanted].every((instrument) => subscribed.has(instrument))
    })
  const subscribed = (): void => {
    shared.subscriptionsChanged()
    if (hasStarted || start === 'paused' || (start === 'all' && !isWholeSubscribed())) return
    hasStarted = true
    playout.control({ playing: true })
  }

  /** Serves a connection on a clock of its own, which starts with its first subscription. */
  const acceptOwn = (
    feed: FeedId,
    ws: WebSocket,
    socket: Duplex,
    own: Pick<PlayoutOptions, 'parts' | 'range' | 'speed'>,
  ): void => {
    let slot: StreamSlot
    try {
      slot = slots.take(socket)
    } catch (thrown) {
      return ws.close(TRY_AGAIN, toFailure(thrown).message)
    }
    const audience: Audience = new Audience({
      clock,
      gapsDisconnect,
      waits: () => true,
      onEnd: () => audience.closeAll('the replay has ended'),
    })
    const alone = new Playout({
      reader: recorded.reader,
      ...own,
      loop,
      clock,
      outlet: audience,
    })
    alones.add(alone)
    alone.done.catch(() => audience.fail())
    follow(
      new ServedConnection(feed, ws, socket, () => {
        slot.moved()
        audience.freed()
      }),
      ws,
      audience,
      () => {
        audience.subscriptionsChanged()
        if (!alone.state.ended) alone.setPlaying(true)
      },
    )
    ws.on('close', () => {
      alone.close()
      alones.delete(alone)
    })
  }

  const follow = (connection: ServedConnection, ws: WebSocket, audience: Audience, changed: () => void): void => {
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
      options.clientsChanged?.()
    })
    options.clientsChanged?.()
  }

  const origins = (): readonly string[] => [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    let url: URL
    let own: Parameters<typeof acceptOwn>[3] | null
    try {
      url = urlOf(request)
      const wanted = readOwnClock(url.searchParams, clock.wallMs())
      const { parts } = readable
      own = wanted === null ? null : { parts, range: rangeOf(parts, wanted), speed: wanted.speed ?? speed }
    } catch (thrown) {
      return refuse(socket, 400, toFailure(thrown).message)
    }
    const feed = feedOfPath(url.pathname)
    // Before the clock starts, let clients in: the first one starts it.
    if (own === null && feed !== undefined && hasStarted && shared.isDown(feed.id))
      return refuse(socket, 503, 'The recording was disconnected here.')
    void shakeHands(
      {
        account,
        server: sockets,
        disabledFeeds: [],
        allows: (origin) => origins().includes(origin),
        accept(id, ws) {
          if (own !== null) acceptOwn(id, ws, socket, own)
          else follow(new ServedConnection(id, ws, socket, () => shared.freed()), ws, shared, subscribed)
        },
      },
      request,
      socket,
      head,
    )
  }
  server.on('upgrade', upgrade)

  const report = (): ClockReport => ({ ...playout.state, ...(leader === undefined ? range : wholeRange()) })
  const control: ReplayServer['control'] = (change) => {
    if (change.playing !== undefined) hasStarted = true
    playout.control(change)
    return report()
  }
  const handler = createHttpHandler({
    account,
    recorded: readable,
    shown,
    origins,
    clock,
    clockReport: report,
    control,
    playouts: alones,
    slots,
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void handler(request, response))

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: options.port, exclusive: true }, () => {
      server.off('error', reject)
      port = (server.address() as AddressInfo).port // a listening TCP server has one
      resolve()
    })
  }).catch((cause: unknown) => {
    playout.close()
    throw taken(cause, options.port)
  })

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    username: account.username,
    password: account.password,
    apiKey: account.apiKey,
    clock: report,
    control,
    clients: () => sockets.clients.size,
    played,
    async close() {
      if (isClosing) return
      isClosing = true
      for (const one of [playout, ...alones]) one.close()
      for (const ws of sockets.clients) ws.close(CLOSE.normal, 'the replay server is closing')
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A client that doesn't answer the close must not keep the command from ending.
      const undo = clock.after(500, endConnections)
      server.closeIdleConnections()
      await closed
      undo()
      await Promise.allSettled([playout.done, ...[...alones].map(({ done }) => done)])
    },
  }
}

function taken(cause: unknown, port: number): unknown {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return cause
  return new CodedError('not-allowed', `Port ${port} is already in use.`, { hint: 'Choose another port, or 0.', cause })
}

/** Refuses an upgrade with an HTTP status, and why. */
const refuse = (socket: Duplex, status: number, why: string): void =>
  refuseUpgrade(socket, status, JSON.stringify({ detail: why }), { 'content-type': 'application/json' })
