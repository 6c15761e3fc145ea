/** The first frame each way on a loopback WebSocket: how a page proves that it was invited. */
import type { Failure } from '../base/errors.ts'

/** A token comes once, in the address; a secret is what the token was exchanged for, kept for reloads of the tab. */
export type Hello = { readonly t: 'token'; readonly token: string } | { readonly t: 'secret'; readonly secret: string }

export type Greeting =
  { readonly t: 'welcome'; readonly secret: string } | { readonly t: 'refused'; readonly error: Failure }

/** Path of the WebSocket below the page's own origin. */
export const SOCKET_PATH = '/ws'
/** Name of the token in the fragment of the address: `http://127.0.0.1:PORT/#token=…`. */
export const TOKEN_KEY = 'token'
