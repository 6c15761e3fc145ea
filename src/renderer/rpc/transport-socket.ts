/** Connects to the browser host over a loopback WebSocket: first with a one-time token, later with a secret. */
import type { Failure } from '../../shared/base/errors.ts'
import type { Greeting, Hello } from '../../shared/rpc/handshake.ts'
import type { TerminalFrame } from '../../shared/rpc/transport.ts'
import { t } from '../../shared/base/text.ts'
import type { Dial } from './transport-client.ts'

export interface SocketEvents {
  open(): void
  text(data: string): void
  /** Called once, also if the socket never opened. */
  closed(): void
}

/** The minimal interface of a WebSocket. */
export type OpenSocket = (events: SocketEvents) => { send(text: string): void; close(): void }

/** The page's credentials: the token in its address and the secret in the tab's storage. */
export interface Keys {
  /** The one-time token of the address; null once used. */
  token(): string | null
  secret(): string | null
  /** The host accepted the page: store the secret, discard the token. */
  admitted(secret: string): void
  /** The host no longer accepts this key. */
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
    return undefined // truncated because the host died; the connection closes by itself
  }
}

/** Connects over WebSockets. A token takes precedence, because the user opened a new address in an old tab. */
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
          // A reloaded tab still has its used token, but also its secret, which the next attempt uses.
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
