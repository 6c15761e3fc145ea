/**
 * A client of the market data service, written from docs/service.md alone: it imports nothing of Tapedeck, so what it
 * accepts is what any client of the service accepts.
 */
import { WebSocket } from 'ws'

export interface ServiceAddress {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
}

/** The eleven documented feed paths (docs/service.md#feeds). */
export const FEED_PATHS = [
  '/ws/crypto/XA/',
  '/ws/crypto/XAS/',
  '/ws/crypto/XQ/',
  '/ws/crypto/XT/',
  '/ws/forex/C/',
  '/ws/forex/CA/',
  '/ws/forex/CAS/',
  '/ws/stocks/A/',
  '/ws/stocks/AM/',
  '/ws/stocks/Q/',
  '/ws/stocks/T/',
]

/** How a handshake or connection ended: an HTTP status, or a close code with its reason. */
export type End = { readonly status: number } | { readonly code: number; readonly hasReason: boolean }

export class ServiceClient {
  /** Every text frame, in order. */
  readonly frames: string[] = []
  readonly ended: Promise<End>
  readonly #ws: WebSocket
  #wake: () => void = () => undefined

  constructor(ws: WebSocket) {
    this.#ws = ws
    ws.on('message', (data: Buffer, isBinary) => {
      this.frames.push(isBinary ? `binary:${data.toString('base64')}` : data.toString('latin1'))
      this.#wake()
    })
    this.ended = new Promise((resolve) => {
      ws.on('unexpected-response', (request, response) => {
        resolve({ status: response.statusCode ?? 0 })
        request.destroy()
      })
      ws.on('close', (code, reason) => resolve({ code, hasReason: reason.length > 0 }))
      ws.on('error', () => undefined) // the close event follows
    })
  }

  send(message: unknown): void {
    this.#ws.send(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message))
  }

  /** Resolves once this many frames have arrived, or the connection ended. */
  async received(count: number): Promise<readonly string[]> {
    let isOver = false
    void this.ended.then(() => {
      isOver = true
      this.#wake()
    })
    while (this.frames.length < count && !isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.frames.slice(0, count)
  }

  ping(): Promise<void> {
    return new Promise((resolve) => {
      this.#ws.once('pong', () => resolve())
      this.#ws.ping()
    })
  }

  close(): void {
    this.#ws.close(1000)
  }
}

/** Signs in; returns the access token, or the HTTP status of the refusal. */
export async function signIn(
  { baseUrl }: ServiceAddress,
  credentials: Readonly<Record<string, unknown>>,
): Promise<string | number> {
  const response = await fetch(`${baseUrl}/api/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  if (response.status !== 200) return response.status
  const { access } = (await response.json()) as { access: string } // docs/service.md#sign-in
  return access
}

/** Opens a feed. `origin` and `token` are left out where they are null. Resolves when it is open or has ended. */
export async function openFeed(
  address: ServiceAddress,
  path: string,
  { token, origin = address.baseUrl }: { readonly token?: string | null; readonly origin?: string | null } = {},
): Promise<ServiceClient> {
  const { username, password } = address
  const bearer = token === undefined ? String(await signIn(address, { username, password })) : token
  const ws = new WebSocket(address.baseUrl.replace(/^http/, 'ws') + path, {
    perMessageDeflate: false,
    skipUTF8Validation: true,
    headers: {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(origin === null ? {} : { origin }),
    },
  })
  const client = new ServiceClient(ws)
  await Promise.race([client.ended, new Promise<void>((resolve) => ws.on('open', () => resolve()))])
  return client
}
