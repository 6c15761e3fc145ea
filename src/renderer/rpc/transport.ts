/** Picks this window's carrier and provides what it needs from the page. */
import { SOCKET_PATH, TOKEN_KEY } from '../../shared/rpc/handshake.ts'
import { PORT_OFFER, PORT_REQUEST } from '../../shared/rpc/transport.ts'
import type { Transport } from '../../shared/transport.ts'
import { frameRate } from '../base/frame-rate.ts'
import { createTransport, type Timing } from './transport-client.ts'
import { portDial, type AskForPort } from './transport-port.ts'
import { socketDial, type Keys, type OpenSocket } from './transport-socket.ts'

const SECRET_KEY = 'tapedeck-secret'

const timing: Timing = {
  frame: frameRate.ahead,
  isReduced: () => frameRate.isReduced,
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
}

/** The secret of the window that opened this one. An opener of another origin isn't accessible. */
function secretOfOpener(): string | null {
  try {
    const opener: unknown = window.opener
    // An opener of another origin throws on access.
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
    // Remove it from the history too, so neither Back nor a bookmark reveals it.
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
 * Creates the transport of this window: a WebSocket if the page comes from the browser host's loopback address,
 * otherwise the port of Electron's preload script. Call it once. `reload` reloads the page.
 */
export function pickTransport(reload: () => void = () => location.reload()): Transport {
  const inBrowser = location.protocol === 'http:' && location.hostname === '127.0.0.1'
  if (inBrowser) reloadOnNewAddress(keysOfPage, reload)
  return createTransport(inBrowser ? socketDial(openSocket, keysOfPage) : portDial(askPreload), timing)
}
