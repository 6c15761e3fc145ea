/**
 * Control messages of a WebSocket feed, in both directions (docs/service.md#control-messages-and-errors).
 *
 * A control message is either an object whose `type` is "subscribed" or "unsubscribed", whatever else it carries, or
 * an error frame, which has exactly the keys `code` and `message`, both strings. `type` alone decides, so that message
 * counts don't depend on anything else.
 */

const ACTIONS = ['subscribe', 'unsubscribe'] as const
export type Action = (typeof ACTIONS)[number]

export const CLOSE = { normal: 1000, unknownFeed: 4400, authentication: 4401 } as const

export interface ClientMessage {
  readonly action: Action
  /** Upper case, without duplicates, never empty. */
  readonly tickers: readonly string[]
}

/** A control message from the server. Extra fields of an acknowledgement are ignored. */
export type ServerControl =
  /** Reply to subscribe: every ticker of this connection. */
  | { readonly kind: 'acknowledged'; readonly tickers: readonly string[] }
  /** Reply to unsubscribe: the removed tickers. */
  | { readonly kind: 'released'; readonly tickers: readonly string[] }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
  /** A control message by its `type` whose tickers aren't a list of strings. It proves nothing. */
  | { readonly kind: 'malformed'; readonly why: string }

/** Upper-cases ASCII letters only, which is how the service normalizes symbols. */
function upperSymbol(symbol: string): string {
  return symbol.replace(/[a-z]/g, (c) => c.toUpperCase())
}

/** Symbols as they go on the wire: upper case, without duplicates, in the given order. */
export function normaliseTickers(tickers: readonly string[]): string[] {
  return [...new Set(tickers.map(upperSymbol))]
}

/**
 * The text of a subscribe or unsubscribe message.
 * @throws RangeError for an empty list or symbol, because the service would close the connection
 */
export function encodeClient(action: Action, tickers: readonly string[]): string {
  const normal = normaliseTickers(tickers)
  if (normal.length === 0 || normal.includes('')) throw new RangeError('a ticker list is never empty')
  return JSON.stringify({ action, tickers: normal })
}

/** Reads a client's message the way the service does. Returns the reason of a `protocol_error` as text. */
export function parseClient(text: string): ClientMessage | string {
  const value = parseJson(text)
  if (!isObject(value)) return 'message must be a JSON object'
  const action = ACTIONS.find((a) => Object.hasOwn(value, 'action') && value.action === a)
  if (action === undefined) return 'action must be subscribe or unsubscribe'
  const tickers = Object.hasOwn(value, 'tickers') ? value.tickers : undefined
  if (!isTickers(tickers) || tickers.length === 0 || tickers.includes('')) {
    return 'tickers must be a non-empty list of strings'
  }
  return { action, tickers: normaliseTickers(tickers) }
}

/** The text of an acknowledgement: all tickers after subscribe, the removed ones after unsubscribe. */
export function encodeAcknowledgement(action: Action, tickers: readonly string[]): string {
  return JSON.stringify({ type: action === 'subscribe' ? 'subscribed' : 'unsubscribed', tickers })
}

/** The text of an error frame. */
export function encodeError(code: string, message: string): string {
  return JSON.stringify({ code, message })
}

/** Reads a control message from the server. Returns undefined for any other text. */
export function parseControl(text: string): ServerControl | undefined {
  return controlOf(parseJson(text))
}

/** Like `parseControl`, for JSON that is already parsed. */
export function controlOf(value: unknown): ServerControl | undefined {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, 'type')) {
    const kind = value.type === 'subscribed' ? 'acknowledged' : value.type === 'unsubscribed' ? 'released' : undefined
    if (kind === undefined) return undefined
    const tickers = Object.hasOwn(value, 'tickers') ? value.tickers : undefined
    return isTickers(tickers)
      ? { kind, tickers }
      : { kind: 'malformed', why: 'the acknowledgement carries no list of tickers' }
  }
  if (!Object.hasOwn(value, 'code') || !Object.hasOwn(value, 'message') || Object.keys(value).length !== 2) {
    return undefined
  }
  const { code, message } = value
  return typeof code === 'string' && typeof message === 'string' ? { kind: 'error', code, message } : undefined
}

function isTickers(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((x) => typeof x === 'string')
}

/** Whether a value is a JSON object and not an array. Read its keys with Object.hasOwn to ignore the prototype. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON.parse that returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
