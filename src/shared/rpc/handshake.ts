/** The first frames on a loopback WebSocket, in which a page proves that it may connect. */
import type { Failure } from '../base/errors.ts'

/** A token comes from the address and works once. It is exchanged for a secret, which the tab saves for reloads. */
export type Hello = { readonly t: 'token'; readonly token: string } | { readonly t: 'secret'; readonly secret: string }

export type Greeting =
  | { readonly t: 'welcome'; readonly secret: string }
  | { readonly t: 'refused'; readonly error: Failure }

/** The path of the WebSocket on the page's origin. */
export const SOCKET_PATH = '/ws'
/** The name of the token in the address fragment: `http://127.0.0.1:PORT/#token=…`. */
export const TOKEN_KEY = 'token'
