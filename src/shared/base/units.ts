/**
 * Nominal units. A plain number is none of these: values get their unit once, where they
 * enter the program (codecs, clocks, settings), through the functions below.
 */
declare const unit: unique symbol
type Unit<Base, Name extends string> = Base & { readonly [unit]: Name }

/** Milliseconds since 1970-01-01T00:00:00Z; may carry a fraction where a service sends µs or ns. */
export type UnixMs = Unit<number, 'UnixMs'>
/** Nanoseconds on the local monotonic clock, counted from the start of the recording. */
export type MonoNs = Unit<number, 'MonoNs'>
/** A price as the service sent it: finite and above zero. */
export type Price = Unit<number, 'Price'>
/** A traded or quoted quantity: finite, zero or more, may be fractional. */
export type Size = Unit<number, 'Size'>
/** Identity of a recording: lower-case ULID-like text, sortable by start. */
export type RecordingId = Unit<string, 'RecordingId'>
/** A symbol in the service's own spelling ("BTC-USD", "C:EURUSD"). */
export type ServiceSymbol = Unit<string, 'ServiceSymbol'>
/** `${asset}:${key}`, the key being `instrumentKey` of a symbol: one spelling for every feed. */
export type InstrumentId = Unit<string, 'InstrumentId'>

export const unixMs = (n: number): UnixMs => n as UnixMs
export const monoNs = (n: number): MonoNs => n as MonoNs
export const price = (n: number): Price => n as Price
export const size = (n: number): Size => n as Size
export const recordingId = (s: string): RecordingId => s as RecordingId
export const serviceSymbol = (s: string): ServiceSymbol => s as ServiceSymbol

export const ASSET_CLASSES = ['crypto', 'forex', 'stocks'] as const
export type AssetClass = (typeof ASSET_CLASSES)[number]

/** The eleven feeds, by `<asset class>/<feed code>`: the spelling of the command line and of the store. */
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

/** Whether a text names one of the eleven feeds. */
export function isFeedId(text: string): text is FeedId {
  return (FEED_IDS as readonly string[]).includes(text)
}

/** The asset class a feed belongs to. */
export function feedAsset(feed: FeedId): AssetClass {
  return feed.slice(0, feed.indexOf('/')) as AssetClass // every FeedId starts with its asset class
}

/**
 * The spelling-free key of a symbol: ASCII upper case; crypto and forex drop a leading
 * `X:`/`C:` and every `/`, `-` and `_`; stocks keep their punctuation ("BRK.B").
 */
export function instrumentKey(asset: AssetClass, symbol: string): string {
  const upper = symbol.replace(/[a-z]/g, (c) => c.toUpperCase())
  return asset === 'stocks' ? upper : upper.replace(/^[XC]:/, '').replace(/[/\-_]/g, '')
}

/** The instrument of a symbol in any spelling. */
export function instrumentId(asset: AssetClass, symbol: string): InstrumentId {
  return `${asset}:${instrumentKey(asset, symbol)}` as InstrumentId
}

/** Splits an instrument into its asset class and key; undefined when the text is none. */
export function parseInstrument(id: string): { asset: AssetClass; key: string } | undefined {
  const colon = id.indexOf(':')
  const asset = ASSET_CLASSES.find((a) => a === id.slice(0, colon))
  const key = id.slice(colon + 1)
  return asset && key ? { asset, key } : undefined
}
