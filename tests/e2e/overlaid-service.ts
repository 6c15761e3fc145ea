/**
 * A service that trades as a simulator does and answers some endpoints with what a test gives it:
 * everything else is passed through, sockets too.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface OverlaidService {
  readonly baseUrl: string
  /** Answers a path (`/news/company/AAPL`) with a JSON value from now on. */
  answer(path: string, value: unknown): void
  /** What came after `Bearer` or `Token` in headers so far: each token and key that was used. */
  readonly authorizations: ReadonlySet<string>
  close(): Promise<void>
}

/** Starts on 127.0.0.1 at a free port, before the service at `target`. */
export async function overlayService(target: string): Promise<OverlaidService> {
  const to = new URL(target)
  const answers = new Map<string, unknown>()
  const sockets = new Set<Duplex>()
  const authorizations = new Set<string>()
  const headersFor = (headers: IncomingMessage['headers']) => {
    if (headers.authorization !== undefined) authorizations.add(headers.authorization.replace(/^\S+ /, ''))
    return { ...headers, host: to.host, ...(headers.origin === undefined ? {} : { origin: to.origin }) }
  }

  const pass = (asked: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(asked.url ?? '/', target).pathname
    if (answers.has(path)) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answers.get(path)))
      return
    }
    const { method, url, headers } = asked
    const onward = request({ host: to.hostname, port: to.port, method, path: url, headers: headersFor(headers) })
    onward.on('response', (got) => got.pipe(response.writeHead(got.statusCode ?? 502, got.headers)))
    onward.on('error', () => response.destroy())
    asked.pipe(onward)
  }
  const server = createServer(pass)
  server.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const onward: Socket = connect(Number(to.port), to.hostname, () => {
      const headers = Object.entries(headersFor(asked.headers)).map(([name, value]) => `${name}: ${String(value)}`)
      onward.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
      onward.write(head)
      socket.pipe(onward).pipe(socket)
    })
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.on('close', () => sockets.delete(one))
      one.on('error', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Listening on an address of the network.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    answer: (path, value) => void answers.set(path, value),
    authorizations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
  }
}
