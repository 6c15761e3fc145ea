/** The options of a simulator. */
import type { AccountOptions } from '../server/account-options.ts'
import type { EndpointGroup } from '../service/endpoints.ts'
import type { FeedId } from '../shared/base/units.ts'
import type { SimulatorClock } from './market/clock.ts'
import type { ScheduledFault } from './faults.ts'
import type { NumberStyle } from './market/frames.ts'

/** A message to send unchanged to those who subscribed to its symbol on its feed. */
export interface PlaylistMessage {
  readonly feed: FeedId
  readonly symbol: string
  readonly raw: string
}

/** What is sent to subscribers. */
type MarketOptions =
  /** The demo market: real tapes and made-up instruments. */
  | { readonly kind: 'demo' }
  /** These messages in order, as fast as the readers take them. Waits for a subscription of each message's symbol. */
  | { readonly kind: 'playlist'; readonly messages: Iterable<PlaylistMessage> | AsyncIterable<PlaylistMessage> }
  /** Made-up ticks (trades, quotes, bars) of the subscribed symbols in turn, with this many per second in total. */
  | { readonly kind: 'load'; readonly messagesPerSecond: number }
  /** Only what `send` sends. */
  | { readonly kind: 'none' }

export interface SimulatorOptions extends AccountOptions {
  /** 0: any free port. */
  readonly port?: number
  readonly seed?: number
  /** Ms of the market per ms of the clock. */
  readonly speed?: number
  /** Folder of the demo market's data, `resources/demo`. */
  readonly dataDir: URL | string
  readonly clock?: SimulatorClock
  readonly market?: MarketOptions
  readonly faults?: readonly ScheduledFault[]
  readonly style?: NumberStyle
  readonly disabledFeeds?: readonly FeedId[]
  readonly tickersPerConnection?: number
  /**
   * The undocumented reaction to more tickers than allowed: error frame and close (default), error frame only, only the
   * first ones subscribed, or no limit.
   */
  readonly overLimit?: 'close' | 'error' | 'truncate' | 'allow'
  /** Close code after a `protocol_error`, which isn't documented. */
  readonly protocolCloseCode?: number
  /** Endpoint groups that respond with 404 "coming soon". */
  readonly comingSoon?: readonly EndpointGroup[]
  /** Names of the two fields of the token request's body. */
  readonly tokenFields?: { readonly user: string; readonly password: string }
  /** Keeps every sent frame, for digests of prefixes. */
  readonly keepFrames?: boolean
  /** How often the market advances, in ms of the clock. */
  readonly turnMs?: number
}
