/** A token endpoint and feeds on a free port, answering as the test says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { tradeText } from '../../../../kit/market.ts'

export class FakeService {
  readonly bodies: string[] = []
  readonly upgrades: IncomingMessage[] = []
  token: (body: string, response: ServerResponse) => void = (_body, response) => json(response, 200, { access: jwt() })
  upgrade: (request: IncomingMessage, socket: Duplex, accept: () => void) => void = (_request, _socket, accept) =>
    accept()
  onOpen: (ws: WebSocket) => void = () => undefined
  onMessage: (ws: WebSocket, text: string) => void = (ws) => {
    ws.send('{"type":"subscribed","tickers":["BTC-USD"]}')
    ws.send(tradeText('BTC-USD', 1, 1, Date.now()))
  }
  readonly #http: Server
  readonly #wss = new WebSocketServer({ noServer: true })

  constructor() {
    this.#http = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        if (request.url !== '/api/token/' || request.method !== 'POST') {
          response.writeHead(404).end()
          return
        }
        this.bodies.push(body)
        this.token(body, response)
      })
    })
    this.#http.on('upgrade', (request, socket: Duplex, head) => {
      this.upgrades.push(request)
      this.upgrade(request, socket, () =>
        this.#wss.handleUpgrade(request, socket, head, (ws) => {
          ws.on('error', () => undefined)
          ws.on('message', (data: Buffer) => this.onMessage(ws, data.toString()))
          this.onOpen(ws)
        }),
      )
    })
  }
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }
  async close(): Promise<void> {
    for (const ws of this.#wss.clients) ws.terminate()
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
  }
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

/** A token that looks like a JWT; nobody here checks its signature. */
export function jwt(claims: Record<string, unknown> = {}): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256' })}.${part(claims)}.c2ln`
}
