/** A client that asks for an upgrade, reads the answer, and never closes its side. */
import { connect } from 'node:net'

/** Resolves to the status line, once it has arrived, or to '' if the connection ends without one. */
export function knockAndStay(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { host, hostname, port } = new URL(baseUrl)
  const all = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('error', () => resolve(''))
    socket.on('end', () => resolve(''))
    socket.once('data', (data) => resolve(data.toString('latin1').split('\r\n', 1)[0]))
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.unref()
  })
}
