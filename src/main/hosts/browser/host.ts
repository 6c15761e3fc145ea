/**
 * The browser host: the same windows in the system's browser, over loopback HTTP and one WebSocket a
 * page. Listens on 127.0.0.1 only. The address holds a one-time token in its fragment, which never
 * reaches a server log or a Referer; the page exchanges it for a secret that lives in this process
 * and in the tab's sessionStorage. No cookies: another local server could read or set them.
 */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from '../../../server/node-http.ts'
import { refuseUpgrade, trackConnections } from '../../../server/upgrades.ts'
import { TOKEN_KEY } from '../../../shared/rpc/handshake.ts'
import type { CarrierOptions } from '../../rpc/carrier.ts'
import type { Handlers } from '../../rpc/dispatch.ts'
import { openPages } from '../window-files.ts'
import { findPageRefusal, findUpgradeRefusal } from './guard.ts'
import { readOnce } from './page-cache.ts'
import { createSecrets } from './secrets.ts'
import { createStrangers } from './strangers.ts'
import { WindowSockets } from './window-sockets.ts'

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

/** Requests on one connection: a page has some thirty files, and pipelined requests cost memory until they are read. */
export const MAX_REQUESTS = 100
const REPEAT_AFTER_MS = 10_000

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

  const sockets = new WindowSockets({
    handlers,
    secrets,
    guard,
    warn,
    onReuse: options.onReuse,
    patienceMs,
    carrier: options.carrier,
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy()) // the other side is gone: nothing is owed
    const refusal = findUpgradeRefusal(request.method, request.url, request.headers, host)
    if (refusal) {
      warn(`A WebSocket was refused: ${refusal.text}`)
      return refuseUpgrade(socket, refusal.status, `${refusal.text}\n`, REFUSAL_HEADERS)
    }
    sockets.accept(request, socket, head)
  })

  const newUrl = (): string => `http://${host}/#${TOKEN_KEY}=${secrets.mint()}`
  let closing: Promise<void> | undefined
  return {
    url: newUrl(),
    port,
    newUrl,
    get windows() {
      return sockets.windows
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        sockets.close()
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
