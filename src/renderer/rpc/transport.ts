/** Which carrier this window has, and what of the page each carrier needs. */
import { SOCKET_PATH, TOKEN_KEY } from '../../shared/rpc/handshake.ts'
import { PORT_OFFER, PORT_REQUEST, type Transport } from '../../shared/rpc/transport.ts'
import { createTransport, type Timing } from './transport-client.ts'
import { portDial, type AskForPort } from './transport-port.ts'
import { socketDial, type Keys, type OpenSocket } from './transport-socket.ts'

const SECRET_KEY = 'tapedeck-secret'

const timing: Timing = {
  frame: (then) => void requestAnimationFrame(then),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** A window that another one of ours opened asks it for the secret; any other opener's storage is out of reach. */
function secretOfOpener(): string | null {
  try {
    const opener: unknown = window.opener
    // An opener of another origin throws at the first touch.
    return opener === null ? null : (opener as Window).sessionStorage.getItem(SECRET_KEY)
  } catch {
    return null
  }
}

const keysOfPage: Keys = {
  token: () => new URLSearchParams(location.hash.slice(1)).get(TOKEN_KEY),
  secret: () => sessionStorage.getItem(SECRET_KEY) ?? secretOfOpener(),
  admitted(secret) {
    sessionStorage.setItem(SECRET_KEY, secret)
    keysOfPage.forget('token')
  },
  forget(which) {
    if (which === 'secret') sessionStorage.removeItem(SECRET_KEY)
    // Also out of the history, so that neither Back nor a bookmark shows it.
    else history.replaceState(history.state, '', location.pathname + location.search)
  },
}

/**
 * Reloads the page when an address with another one-time token is pasted into this tab. A browser treats that as
 * navigation within the page, so the host would never see the token.
 */
export function reloadOnNewAddress(keys: Pick<Keys, 'token'>, reload: () => void): () => void {
  const moved = (): void => {
    if (keys.token() !== null) reload()
  }
  addEventListener('hashchange', moved)
  return () => removeEventListener('hashchange', moved)
}

const openSocket: OpenSocket = (events) => {
  const socket = new WebSocket(`ws://${location.host}${SOCKET_PATH}`)
  socket.addEventListener('open', () => events.open())
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') events.text(data)
  })
  socket.addEventListener('close', () => events.closed())
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(),
  }
}

const askPreload: AskForPort = (ready) => {
  const onMessage = (event: MessageEvent): void => {
    const [port] = event.ports
    if (event.source !== window || event.data !== PORT_OFFER || !port) return
    removeEventListener('message', onMessage)
    ready((events) => {
      port.addEventListener('message', ({ data }) => events.message(data))
      port.addEventListener('close', () => events.closed())
      port.start()
      return { post: (data) => port.postMessage(data), close: () => port.close() }
    })
  }
  addEventListener('message', onMessage)
  postMessage(PORT_REQUEST, location.origin)
  return () => removeEventListener('message', onMessage)
}

/**
 * The transport of this window: the WebSocket of the browser host on its loopback address, else the
 * port of Electron's preload. Call once. `reload` reloads the page.
 */
export function pickTransport(reload: () => void = () => location.reload()): Transport {
  const inBrowser = location.protocol === 'http:' && location.hostname === '127.0.0.1'
  if (inBrowser) reloadOnNewAddress(keysOfPage, reload)
  return createTransport(inBrowser ? socketDial(openSocket, keysOfPage) : portDial(askPreload), timing)
}
