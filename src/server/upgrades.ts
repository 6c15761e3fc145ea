/** Refused upgrades, and the end of connections that an HTTP server has handed out. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { STATUS_CODES } from './node-http.ts'

/**
 * Refuses an upgrade with an HTTP status and a text, then ends the connection: a client that never closes its side
 * would keep the server from closing.
 */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  text = '',
  headers: Readonly<Record<string, string>> = {},
): void {
  socket.on('error', () => socket.destroy())
  const head = Object.entries({ ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(text)) })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      `${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
    () => socket.destroy(),
  )
}

/** Returns what ends every connection of a server at once, also those that `closeAllConnections` lost to an upgrade. */
export function trackConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}
