/**
 * Nominal units. A plain number can't be assigned to one: values get their unit once, where they enter the program
 * (codecs, clocks, settings), through the functions below.
 */
declare const unit: unique symbol
type Unit<Base, Name extends string> = Base & { readonly [unit]: Name }

/** Milliseconds since 1970-01-01T00:00:00Z, with a fraction if the service sends µs or ns. */
export type UnixMs = Unit<number, 'UnixMs'>
/** Nanoseconds on the local monotonic clock since the start of the session. */
export type MonoNs = Unit<number, 'MonoNs'>
/** A price as the service sent it: finite and above zero. */
export type Price = Unit<number, 'Price'>
/** A traded or quoted quantity: finite, not negative, possibly fractional. */
export type Size = Unit<number, 'Size'>
/** Identifies a session: lower-case ULID-like text that sorts by start time. */
export type SessionId = Unit<string, 'SessionId'>
/** A symbol as the service writes it ("BTC-USD", "C:EURUSD"). */
export type ServiceSymbol = Unit<string, 'ServiceSymbol'>
/** `${asset}:${key}`, where the key is `instrumentKey` of a symbol. The same for every feed. */
export type InstrumentId = Unit<string, 'InstrumentId'>

export const unixMs = (n: number): UnixMs => n as UnixMs
export const monoNs = (n: number): MonoNs => n as MonoNs
export const price = (n: number): Price => n as Price
export const size = (n: number): Size => n as Size
export const sessionId = (s: string): SessionId => s as SessionId
/** What sessions of all versions are named. */
export const SESSION_ID = /^[0-9a-z]{10,64}$/
export const serviceSymbol = (s: string): ServiceSymbol => s as ServiceSymbol

export const ASSET_CLASSES = ['crypto', 'forex', 'stocks'] as const
export type AssetClass = (typeof ASSET_CLASSES)[number]

/** The eleven feeds as `<asset class>/<feed code>`, the form used by the command line and the store. */
export const FEED_IDS = [
  'crypto/XA',
  'crypto/XAS',
  'crypto/XQ',
  'crypto/XT',
  'forex/C',
  'forex/CA',
  'forex/CAS',
  'stocks/A',
  'stocks/AM',
  'stocks/Q',
  'stocks/T',
] as const
export type FeedId = (typeof FEED_IDS)[number]

/** Whether a text is one of the eleven feed ids. */
export function isFeedId(text: string): text is FeedId {
  return (FEED_IDS as readonly string[]).includes(text)
}

export function feedAsset(feed: FeedId): AssetClass {
  return feed.slice(0, feed.indexOf('/')) as AssetClass // every FeedId starts with its asset class
}

/**
 * The key that all aliases of a symbol share: ASCII upper case. Crypto and forex drop a leading `X:` or `C:` and every
 * `/`, `-` and `_`; stocks keep their punctuation ("BRK.B").
 */
export function instrumentKey(asset: AssetClass, symbol: string): string {
  const upper = symbol.replace(/[a-z]/g, (c) => c.toUpperCase())
  return asset === 'stocks' ? upper : upper.replace(/^[XC]:/, '').replace(/[/\-_]/g, '')
}

/** The instrument of a symbol or any of its aliases. */
export function instrumentId(asset: AssetClass, symbol: string): InstrumentId {
  return `${asset}:${instrumentKey(asset, symbol)}` as InstrumentId
}

/** Splits an instrument id into asset class and key, or returns undefined if the text isn't one. */
export function parseInstrument(id: string): { asset: AssetClass; key: string } | undefined {
  const colon = id.indexOf(':')
  const asset = ASSET_CLASSES.find((a) => a === id.slice(0, colon))
  const key = id.slice(colon + 1)
  return asset && key ? { asset, key } : undefined
}
