/**
 * The browser host: the same windows in the system's browser, over loopback HTTP and one WebSocket a
 * page. Listens on 127.0.0.1 only. The address holds a one-time token in its fragment, which never
 * reaches a server log or a Referer; the page exchanges it for a secret that lives in this process
 * and in the tab's sessionStorage. No cookies: another local server could read or set them.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { refuseUpgrade, trackConnections } from '../../../server/upgrades.ts'
import { missingCase, type Failure } from '../../../shared/base/errors.ts'
import { TOKEN_KEY, type Greeting } from '../../../shared/rpc/handshake.ts'
import type { TerminalFrame } from '../../../shared/rpc/transport.ts'
import { serveWindow, type Carrier, type CarrierOptions, type WindowPort } from '../../rpc/carrier.ts'
import { MAX_FRAME_CHARS, type Handlers } from '../../rpc/dispatch.ts'
import { openPages } from '../window-files.ts'
import { findPageRefusal, findUpgradeRefusal, parseHello } from './guard.ts'
import { readOnce } from './page-cache.ts'
import { createSecrets, type Admission } from './secrets.ts'
import { createStrangers } from './strangers.ts'

export interface BrowserHostOptions {
  /** 0 or absent: one that is free. */
  readonly port?: number
  /** Folder of the built window (`out/renderer`). */
  readonly rendererDir: string
  /** Told each time a socket closes for a reason that is not the page's leaving; never holds a secret. */
  readonly log?: (level: 'info' | 'warn', text: string) => void
  /** Someone opened an address that was already used. It was refused, but the user should know. */
  readonly onReuse?: () => void
  /** How long a connection may take over its request, and a socket over its first message, ms; default 5,000. */
  readonly patienceMs?: number
  /** How long an unused address works, ms; default: as long as the host. */
  readonly tokenLifeMs?: number
  readonly carrier?: CarrierOptions
}

export interface BrowserHost {
  /** The address to open, with the first one-time token. */
  readonly url: string
  readonly port: number
  /** A further address, for a second tab or browser. */
  newUrl(): string
  /** Windows connected now. */
  readonly windows: number
  close(): Promise<void>
}

/** Bytes of a message on the wire: every character of the largest frame (`MAX_FRAME_CHARS`) may need four. */
const MAX_PAYLOAD = 4_000_000
/** Windows that are connected at a time. */
export const MAX_WINDOWS = 64
/** Requests on one connection: a page has some thirty files, and pipelined requests cost memory until they are read. */
export const MAX_REQUESTS = 100
/** A page that reads nothing while results pile up is hung up on. */
export const MAX_BUFFERED_BYTES = 64 * 1024 * 1024
/** A window that has not answered a ping by the next one is hung up on. */
export const PING_MS = 20_000
const REPEAT_AFTER_MS = 10_000

const CLOSE = { going: 1001, protocol: 1002, unsupported: 1003, refused: 4401, slow: 4408, tooMany: 4429 } as const

const ANOTHER = 'Press Enter in the terminal where Tapedeck runs to get a new address, or restart it.'

function refusalOf(admission: Exclude<Admission, { is: 'admitted' }>): Failure {
  switch (admission.is) {
    case 'used':
      return {
        code: 'not-allowed',
        message: 'This address was already used. Each address opens one tab, once.',
        hint: `${ANOTHER} If you didn’t open it, someone else on this computer may have: quit Tapedeck first.`,
      }
    case 'expired':
      return { code: 'not-allowed', message: 'This address has expired.', hint: ANOTHER }
    case 'unknown':
      return {
        code: 'not-allowed',
        message: 'This tab is no longer connected.',
        hint: ANOTHER,
      }
    default:
      return missingCase(admission)
  }
}

/** Of every refusal. */
const REFUSAL_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/** Passes on each warning, but none again within `REPEAT_AFTER_MS`: a flood of connections must not fill the log. */
function warnSeldom(log: BrowserHostOptions['log']): (text: string) => void {
  const lastMs = new Map<string, number>()
  return (text) => {
    const nowMs = performance.now()
    if (nowMs - (lastMs.get(text) ?? -Infinity) < REPEAT_AFTER_MS) return
    lastMs.set(text, nowMs)
    log?.('warn', text)
  }
}

/**
 * Serves the window to the system's browser until closed. Rejects when the port is taken or the window
 * is not built.
 */
export async function startBrowserHost(handlers: Handlers, options: BrowserHostOptions): Promise<BrowserHost> {
  const { patienceMs = 5_000 } = options
  const warn = warnSeldom(options.log)
  const secrets = createSecrets({
    random: () => randomBytes(32).toString('base64url'),
    nowMs: () => performance.now(),
    ...(options.tokenLifeMs === undefined ? {} : { tokenLifeMs: options.tokenLifeMs }),
  })
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    keepAliveTimeout: patienceMs,
    connectionsCheckingInterval: Math.min(1_000, patienceMs),
    maxHeaderSize: 16 * 1024,
  })
  server.maxRequestsPerSocket = MAX_REQUESTS
  const endConnections = trackConnections(server)
  const guard = createStrangers((why) => warn(`A connection was closed before it showed a token: ${why}`))
  server.on('connection', (socket) => guard.add(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: options.port ?? 0, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const host = `127.0.0.1:${port}`
  const pages = await openPages(options.rendererDir, `ws://${host}`).catch(async (cause: unknown) => {
    server.close()
    throw cause
  })

  const read = readOnce(pages)

  server.on('error', (error) => warn(`Couldn’t accept a connection: ${error.message}`))
  server.on('request', (request, response) => {
    request.resume() // a body is never wanted, and must not hold the connection
    const refusal = findPageRefusal(request.method, request.headers, host)
    if (refusal) {
      response.writeHead(refusal.status, { ...REFUSAL_HEADERS, connection: 'close' })
      response.end(`${refusal.text}\n`)
      return
    }
    const [pathname = '/'] = (request.url ?? '/').split('?', 1)
    void read(pathname).then((page) => {
      response.writeHead(page.status, { ...page.headers, 'content-length': page.body.byteLength })
      response.end(request.method === 'HEAD' ? undefined : page.body)
    })
  })

  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD,
    clientTracking: false,
  })
  const open = new Set<WebSocket>()
  const carriers = new Set<Carrier>()

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy()) // the other side is gone: nothing is owed
    const refusal = findUpgradeRefusal(request.method, request.url, request.headers, host)
    if (refusal) {
      warn(`A WebSocket was refused: ${refusal.text}`)
      return refuseUpgrade(socket, refusal.status, `${refusal.text}\n`, REFUSAL_HEADERS)
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      guard.limit(socket, head)
      greet(opened, socket)
    })
  })

  /** Waits for the first message and lets the page in or not. `connection` is what the socket runs on. */
  function greet(socket: WebSocket, connection: Duplex): void {
    open.add(socket)
    socket.on('error', (error) => warn(`A window's connection failed: ${error.message}`))
    const patience = setTimeout(() => socket.close(CLOSE.slow, 'no first message'), patienceMs)
    socket.once('close', () => {
      clearTimeout(patience)
      open.delete(socket)
    })
    socket.once('message', (data: Buffer, binary: boolean) => {
      clearTimeout(patience)
      const hello = binary ? undefined : parseHello(data.toString('utf8'))
      if (!hello) {
        warn('A WebSocket was refused: its first message wasn’t a greeting')
        socket.close(CLOSE.protocol, 'the first message must hold a token or secret')
        return
      }
      if (carriers.size >= MAX_WINDOWS) return socket.close(CLOSE.tooMany, 'too many windows')
      const admission = hello.t === 'token' ? secrets.exchange(hello.token) : secrets.recall(hello.secret)
      if (admission.is !== 'admitted') {
        warn(`A window was refused: its ${hello.t} was ${admission.is}`)
        if (admission.is === 'used') options.onReuse?.()
        socket.send(JSON.stringify({ t: 'refused', error: refusalOf(admission) } satisfies Greeting))
        socket.close(CLOSE.refused, 'refused')
        return
      }
      guard.admit(connection)
      if (hello.t === 'token') {
        const giveBack = (): void => secrets.giveBack(hello.token)
        socket.once('message', () => socket.off('close', giveBack))
        socket.once('close', giveBack)
      }
      socket.send(JSON.stringify({ t: 'welcome', secret: admission.secret } satisfies Greeting))
      serve(socket)
    })
  }

  function serve(socket: WebSocket): void {
    let alive = true
    socket.on('pong', () => (alive = true))
    const heartbeat = setInterval(() => {
      if (!alive) return socket.terminate()
      alive = false
      socket.ping()
    }, PING_MS)
    const isBehind = (): boolean => {
      if (socket.bufferedAmount <= MAX_BUFFERED_BYTES) return false
      warn('A window was disconnected because it stopped reading')
      socket.terminate()
      return true
    }
    socket.on('ping', isBehind) // ws answers each one, read or not
    const portOfWindow: WindowPort = {
      send(frame: TerminalFrame) {
        if (socket.readyState === socket.OPEN && !isBehind()) socket.send(JSON.stringify(frame))
      },
      onFrame(listener) {
        socket.on('message', (data: Buffer, binary: boolean) => {
          if (binary) return socket.close(CLOSE.unsupported, 'frames must be text')
          const text = data.toString('utf8')
          if (text.length > MAX_FRAME_CHARS) return socket.close(1009, 'the frame is too large')
          let frame: unknown
          try {
            frame = JSON.parse(text)
          } catch {
            return socket.close(CLOSE.protocol, 'frames must be JSON')
          }
          listener(frame)
        })
      },
      onClose(listener) {
        socket.once('close', listener)
      },
      close(reason) {
        if (reason.startsWith('bad frame')) warn(`A window was disconnected: ${reason}`)
        socket.close(reason.startsWith('bad frame') ? CLOSE.protocol : CLOSE.going, reason.slice(0, 120))
      },
    }
    const carrier = serveWindow(portOfWindow, handlers, options.carrier)
    carriers.add(carrier)
    socket.once('close', () => {
      clearInterval(heartbeat)
      carriers.delete(carrier)
    })
  }

  const newUrl = (): string => `http://${host}/#${TOKEN_KEY}=${secrets.mint()}`
  let closing: Promise<void> | undefined
  return {
    url: newUrl(),
    port,
    newUrl,
    get windows() {
      return carriers.size
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        for (const carrier of carriers) carrier.close('Tapedeck is closing')
        for (const socket of open) socket.close(CLOSE.going, 'Tapedeck is closing')
        // A page that does not answer the close must not keep the terminal from ending.
        const patience = setTimeout(endConnections, 500)
        server.close(() => {
          clearTimeout(patience)
          resolve()
        })
        server.closeIdleConnections()
      })
      return closing
    },
  }
}
