/** A service that keeps a ledger of every frame it sent, with its event time; each carries a number of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { feedAsset, instrumentKey, isFeedId, type FeedId } from '../../src/shared/base/units.ts'

/** A market frame that was handed to a socket. */
export interface SentFrame {
  readonly n: number
  readonly feed: FeedId
  /** Of the instrument, as `instrumentKey` gives it. */
  readonly key: string
  readonly eventMs: number
}

export interface FeedService {
  readonly baseUrl: string
  readonly sent: ReadonlyMap<number, SentFrame>
  /** Sets the service's clock, ms ahead of the machine's, and how many bytes each message is padded by. */
  set(options: { readonly aheadMs: number; readonly padding: number }): void
  forget(): void
  close(): Promise<void>
}

const TURN_MS = 5
/** Every so many turns a burst of this many times the messages. */
const BURST_EVERY = 40
const BURST = 25

const textOf = (feed: FeedId, symbol: string, n: number, t: number, pad: string): string => {
  if (feed === 'crypto/XT') return `{"ev":"XT","pair":"${symbol}","p":100.5,"t":${t},"s":${n}${pad}}`
  if (feed === 'crypto/XQ') return `{"ev":"XQ","pair":"${symbol}","bp":1.5,"bs":${n},"ap":2.5,"as":1,"t":${t}${pad}}`
  return `{"ev":"C","p":"${symbol}","a":${n},"b":1.5,"t":${t}${pad}}`
}

/** Starts it on a free port; `perTurn` messages a feed each few milliseconds. */
export async function startFeedService(perTurn: number): Promise<FeedService> {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
  const sent = new Map<number, SentFrame>()
  const listeners = new Map<WebSocket, { readonly feed: FeedId; symbols: readonly string[] }>()
  let aheadMs = 0
  let pad = ''
  let n = 0
  let turns = 0
  sockets.on('connection', (socket, request) => {
    const feed = (request.url ?? '').replace(/^\/ws\//, '').replace(/\/$/, '')
    if (!isFeedId(feed)) return socket.close(1008)
    socket.on('message', (data: Buffer) => {
      const { action, tickers } = JSON.parse(data.toString()) as { action: string; tickers: string[] } // our own client
      listeners.set(socket, { feed, symbols: action === 'subscribe' ? tickers : [] })
      socket.send(JSON.stringify({ type: `${action}d`, tickers }))
    })
    socket.on('close', () => listeners.delete(socket))
    socket.on('error', () => listeners.delete(socket))
  })
  const timer = setInterval(() => {
    const count = ++turns % BURST_EVERY === 0 ? perTurn * BURST : perTurn
    const eventMs = Date.now() + aheadMs
    for (const [socket, { feed, symbols }] of listeners) {
      if (socket.readyState !== socket.OPEN) continue
      for (let i = 0; i < count && symbols.length > 0; i++) {
        const symbol = symbols[i % symbols.length]
        sent.set(++n, { n, feed, key: instrumentKey(feedAsset(feed), symbol), eventMs })
        socket.send(textOf(feed, symbol, n, eventMs, pad))
      }
    }
  }, TURN_MS)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    sent,
    set(options) {
      aheadMs = options.aheadMs
      pad = options.padding === 0 ? '' : `,"x":"${'y'.repeat(options.padding)}"`
    },
    forget: () => sent.clear(),
    async close() {
      clearInterval(timer)
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** The number that a frame of this service carries; undefined: it is none of them. */
export function numberOf(raw: Uint8Array): number | undefined {
  const found = /"(?:s|bs|a)":(\d+)/.exec(Buffer.from(raw).toString('latin1'))
  return found === null ? undefined : Number(found[1])
}
