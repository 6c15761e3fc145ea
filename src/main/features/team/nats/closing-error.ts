/**
 * Why a NATS server closes each new connection. It says so before it closes one, but the client tries on until its time is up
 * and reports only that.
 */
import { connect } from 'node:net'

const WITHIN_MS = 1_000
const MAX_BYTES = 64 * 1_024

/** The server's error, such as "maximum connections exceeded"; null: it says none, or can't be reached. `server`: host:port. */
export function readClosingError(server: string): Promise<string | null> {
  const { hostname, port } = new URL(`tcp://${server}`)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    let text = ''
    const end = (): void => {
      socket.destroy()
      resolve(/^-ERR '([^']*)'/m.exec(text)?.[1] ?? null)
    }
    socket.setTimeout(WITHIN_MS, end)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (text.includes("\n-ERR '") || text.length > MAX_BYTES) end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}
