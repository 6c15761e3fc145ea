/** What a simulator can be started with. */
import type { EndpointGroup } from '../service/endpoints.ts'
import type { FeedId } from '../shared/base/units.ts'
import type { AccountOptions } from './account.ts'
import type { SimulatorClock } from './market/clock.ts'
import type { ScheduledFault } from './faults.ts'
import type { NumberStyle } from './market/frames.ts'

/** A message to be sent as it is to those who subscribed its symbol on its feed. */
export interface PlaylistMessage {
  readonly feed: FeedId
  readonly symbol: string
  readonly raw: string
}

/** What is sent to subscribers. */
type MarketOptions =
  /** The demo market: real tapes and made-up instruments. */
  | { readonly kind: 'demo' }
  /**
   * Given messages in their order, as fast as the readers take them. One whose symbol nobody has
   * subscribed yet is waited for.
   */
  | { readonly kind: 'playlist'; readonly messages: Iterable<PlaylistMessage> | AsyncIterable<PlaylistMessage> }
  /** Made-up ticks (trades, quotes, bars) of the subscribed symbols by turns, this many a second in all. */
  | { readonly kind: 'load'; readonly messagesPerSecond: number }
  /** Nothing but what `send` sends. */
  | { readonly kind: 'none' }

export interface SimulatorOptions extends AccountOptions {
  /** 0: any free port. */
  readonly port?: number
  readonly seed?: number
  /** How many ms of the market pass in one ms of the clock. */
  readonly speed?: number
  /** Folder of the demo market's data, `resources/demo`. */
  readonly dataDir: URL | string
  readonly clock?: SimulatorClock
  readonly market?: MarketOptions
  readonly faults?: readonly ScheduledFault[]
  readonly style?: NumberStyle
  readonly disabledFeeds?: readonly FeedId[]
  /** Origins that may connect beside the simulator's own. */
  readonly allowedOrigins?: readonly string[]
  readonly tickersPerConnection?: number
  /**
   * The reaction to more tickers than allowed, which the document does not show: error frame and close
   * (default), error frame only, only the first ones subscribed, or no limit.
   */
  readonly overLimit?: 'close' | 'error' | 'truncate' | 'allow'
  /** Close code after a `protocol_error`, which the document leaves open. */
  readonly protocolCloseCode?: number
  /** Endpoint groups that answer 404 "coming soon". */
  readonly comingSoon?: readonly EndpointGroup[]
  /** Names of the two fields of the token request's body. */
  readonly tokenFields?: { readonly user: string; readonly password: string }
  /** Keep every sent frame, so that digests of prefixes can be asked for. */
  readonly keepFrames?: boolean
  /** How often the market is looked at, in ms of the clock. */
  readonly turnMs?: number
}
