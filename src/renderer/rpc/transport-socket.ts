/** Dials the browser host: one loopback WebSocket, opened by a one-time token and kept by a secret. */
import type { Failure } from '../../shared/base/errors.ts'
import type { Greeting, Hello } from '../../shared/rpc/handshake.ts'
import type { TerminalFrame } from '../../shared/rpc/transport.ts'
import { t } from '../../shared/base/text.ts'
import type { Dial } from './transport-client.ts'

export interface SocketEvents {
  open(): void
  text(data: string): void
  /** Also after a failure to open. Once. */
  closed(): void
}

/** A WebSocket in as few words as the handshake needs. */
export type OpenSocket = (events: SocketEvents) => { send(text: string): void; close(): void }

/** Where the page keeps what lets it in: the address it was opened by, and the tab's own storage. */
export interface Keys {
  /** The one-time token of the address; null once used. */
  token(): string | null
  secret(): string | null
  /** The host let us in: keep the secret, forget the token. */
  admitted(secret: string): void
  /** The host knows this key no more. */
  forget(which: Hello['t']): void
}

const NO_KEY: Failure = {
  code: 'not-allowed',
  message: t('This tab wasn’t opened from an address that Tapedeck printed.'),
  hint: t('Press Enter in the terminal where Tapedeck runs to get a new address, or restart it.'),
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T // our own host wrote it: the page came from it
  } catch {
    return undefined // cut off by a host that died; the connection closes by itself
  }
}

/** Dials over WebSockets. A token takes precedence: a fresh address opened in an old tab is meant to be used. */
export function socketDial(openSocket: OpenSocket, keys: Keys): Dial {
  return (line) => {
    const token = keys.token()
    const secret = keys.secret()
    const hello: Hello | undefined =
      token !== null ? { t: 'token', token } : secret !== null ? { t: 'secret', secret } : undefined
    if (!hello) {
      queueMicrotask(() => line.refused(NO_KEY))
      return () => {}
    }
    let admitted = false
    let refused = false
    const socket = openSocket({
      open: () => socket.send(JSON.stringify(hello)),
      text(data) {
        if (admitted) {
          const frame = parse<TerminalFrame>(data)
          if (frame) line.frame(frame)
          return
        }
        const greeting = parse<Greeting>(data)
        if (greeting?.t === 'welcome') {
          admitted = true
          keys.admitted(greeting.secret)
          line.up((frame) => socket.send(JSON.stringify(frame)))
        } else if (greeting?.t === 'refused') {
          keys.forget(hello.t)
          // A reloaded tab still shows its used token, but has its secret: the next try shows that.
          if (hello.t === 'token' && keys.secret() !== null) return
          refused = true
          line.refused(greeting.error)
        }
      },
      closed() {
        if (!refused) line.down()
      },
    })
    return () => socket.close()
  }
}
