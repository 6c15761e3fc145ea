/** A bare WebSocket client for the simulator's tests. */
import { createHash } from 'node:crypto'
import { WebSocket, type ClientOptions } from 'ws'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../src/simulator/simulator.ts'
import type { FeedId } from '../../../src/shared/base/units.ts'

export const DATA = new URL('../../../resources/demo/', import.meta.url)

export function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  return startSimulator({ dataDir: DATA, ...options })
}

export async function tokenOf(simulator: Simulator): Promise<string> {
  const { username, password } = simulator
  const response = await fetch(`${simulator.baseUrl}/api/token/`, {
    method: 'POST',
    body: JSON.stringify({ username, password }),
  })
  const { access } = (await response.json()) as { access: string }
  return access
}

export interface Client {
  readonly ws: WebSocket
  readonly frames: Buffer[]
  readonly texts: string[]
  readonly ended: Promise<{ code: number; reason: string }>
  send(value: unknown): void
  /** Settles when `count` frames have come. */
  received(count: number): Promise<void>
  /** Settles with the first text that fits. */
  text(fits: (text: string) => boolean): Promise<string>
  digest(): string
}

/** Connects; rejects with the HTTP status (as text) or error of a refused handshake. */
export function connect(
  simulator: Simulator,
  path: string,
  { token, origin = simulator.baseUrl, ...options }: { token?: string; origin?: string } & ClientOptions = {},
): Promise<Client> {
  const headers: Record<string, string> = {}
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (origin !== '') headers.origin = origin
  const ws = new WebSocket(simulator.baseUrl.replace('http', 'ws') + path, {
    headers,
    perMessageDeflate: false,
    skipUTF8Validation: true,
    ...options,
  })
  const frames: Buffer[] = []
  const texts: string[] = []
  let wake: (() => void)[] = []
  ws.on('message', (data) => {
    frames.push(data as Buffer) // the default binaryType
    texts.push((data as Buffer).toString('utf8'))
    const due = wake
    wake = []
    for (const then of due) then()
  })
  const more = () => new Promise<void>((resolve) => wake.push(resolve))
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  const client: Client = {
    ws,
    frames,
    texts,
    ended,
    send: (value) => ws.send(typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value)),
    async received(count) {
      while (frames.length < count) await more()
    },
    async text(fits) {
      for (;;) {
        const found = texts.find(fits)
        if (found !== undefined) return found
        await more()
      }
    },
    digest() {
      const hash = createHash('sha256')
      for (const frame of frames) hash.update(frame).update('\n')
      return hash.digest('hex')
    },
  }
  return new Promise((resolve, reject) => {
    ws.on('open', () => resolve(client))
    ws.on('unexpected-response', (_, response) => {
      reject(new Error(String(response.statusCode)))
      ws.terminate()
    })
    ws.on('error', reject)
  })
}

/** Connects to a feed with a good token and subscribes. */
export async function follow(simulator: Simulator, feed: FeedId, ...tickers: string[]): Promise<Client> {
  const client = await connect(simulator, `/ws/${feed}/`, { token: await tokenOf(simulator) })
  client.send({ action: 'subscribe', tickers })
  await client.text((text) => text.includes('"subscribed"'))
  return client
}
