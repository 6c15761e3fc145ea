/** The WebSockets of the browser host: lets windows in by a token or secret and serves them. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { type Failure } from '../../../shared/base/errors.ts'
import type { Greeting } from '../../../shared/rpc/handshake.ts'
import type { TerminalFrame } from '../../../shared/rpc/transport.ts'
import { serveWindow, type Carrier, type CarrierOptions, type WindowPort } from '../../rpc/carrier.ts'
import { MAX_FRAME_CHARS, type Handlers } from '../../rpc/dispatch.ts'
import { parseHello } from './guard.ts'
import type { Admission, Secrets } from './secrets.ts'
import type { Strangers } from './strangers.ts'

export interface WindowSocketsOptions {
  readonly handlers: Handlers
  readonly secrets: Secrets
  /** Watches the connections that haven't shown a token yet. */
  readonly guard: Strangers
  readonly warn: (text: string) => void
  /** Someone opened an address that was already used. */
  readonly onReuse: (() => void) | undefined
  /** How long a socket may take over its first message, ms. */
  readonly patienceMs: number
  readonly carrier: CarrierOptions | undefined
}

/** Bytes of a message on the wire: every character of the largest frame (`MAX_FRAME_CHARS`) may need four. */
const MAX_PAYLOAD = 4_000_000
/** Windows that are connected at a time. */
export const MAX_WINDOWS = 64
/** A page that reads nothing while results pile up is hung up on. */
export const MAX_BUFFERED_BYTES = 64 * 1024 * 1024
/** A window that has not answered a ping by the next one is hung up on. */
export const PING_MS = 20_000

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
  }
}

export class WindowSockets {
  readonly #options: WindowSocketsOptions
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD,
    clientTracking: false,
  })
  readonly #open = new Set<WebSocket>()
  readonly #carriers = new Set<Carrier>()

  constructor(options: WindowSocketsOptions) {
    this.#options = options
  }

  /** Windows connected now. */
  get windows(): number {
    return this.#carriers.size
  }

  /** Takes an upgrade that was found allowed. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      this.#options.guard.limit(socket, head)
      this.#greet(opened, socket)
    })
  }

  close(): void {
    for (const carrier of this.#carriers) carrier.close('Tapedeck is closing')
    for (const socket of this.#open) socket.close(CLOSE.going, 'Tapedeck is closing')
  }

  /** Waits for the first message and lets the page in or not. `connection` is what the socket runs on. */
  #greet(socket: WebSocket, connection: Duplex): void {
    const { secrets, guard, warn, onReuse, patienceMs } = this.#options
    this.#open.add(socket)
    socket.on('error', (error) => warn(`A window's connection failed: ${error.message}`))
    const patience = setTimeout(() => socket.close(CLOSE.slow, 'no first message'), patienceMs)
    socket.once('close', () => {
      clearTimeout(patience)
      this.#open.delete(socket)
    })
    socket.once('message', (data: Buffer, binary: boolean) => {
      clearTimeout(patience)
      const hello = binary ? undefined : parseHello(data.toString('utf8'))
      if (!hello) {
        warn('A WebSocket was refused: its first message wasn’t a greeting')
        socket.close(CLOSE.protocol, 'the first message must hold a token or secret')
        return
      }
      if (this.#carriers.size >= MAX_WINDOWS) return socket.close(CLOSE.tooMany, 'too many windows')
      const admission = hello.t === 'token' ? secrets.exchange(hello.token) : secrets.recall(hello.secret)
      if (admission.is !== 'admitted') {
        warn(`A window was refused: its ${hello.t} was ${admission.is}`)
        if (admission.is === 'used') onReuse?.()
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
      this.#serve(socket)
    })
  }

  #serve(socket: WebSocket): void {
    const { warn, handlers, carrier: options } = this.#options
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
    const carrier = serveWindow(portOf(socket, isBehind, warn), handlers, options)
    this.#carriers.add(carrier)
    socket.once('close', () => {
      clearInterval(heartbeat)
      this.#carriers.delete(carrier)
    })
  }
}

/** What a window's frames travel on. `isBehind` ends a socket that stopped reading, and says so. */
function portOf(socket: WebSocket, isBehind: () => boolean, warn: (text: string) => void): WindowPort {
  return {
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
}
