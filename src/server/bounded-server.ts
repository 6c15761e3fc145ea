/** An HTTP server whose clients can't hold it up: requests that stay incomplete end, and connections are limited. */
import type { Server } from 'node:http'
import { createServer } from './node-http.ts'

export interface ServerBounds {
  /** How long a client has for its headers, and for the whole request, ms. */
  readonly patienceMs: number
  /** Further connections are closed. Clients that are connected notice nothing. */
  readonly maxConnections: number
}

export const SERVER_BOUNDS: ServerBounds = { patienceMs: 10_000, maxConnections: 1_000 }

/** Node looks for late requests only every 30 s by default. */
const LOOK_EVERY_MS = 250

/** Creates the server, which doesn't listen yet. */
export function createBoundedServer({ patienceMs, maxConnections }: ServerBounds): Server {
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, patienceMs),
  })
  server.maxConnections = maxConnections
  return server
}
