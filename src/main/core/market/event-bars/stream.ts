/** Event bars of today's trades: first the stored ones, then every bar that changes. */
import { eventBarOf, type EventBarRule } from '../../../../shared/core/market/event-bars.ts'
import { dayStart } from '../../../../shared/core/market/calendar.ts'
import type { BarsValue } from '../../../../shared/core/views/contract.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import { unixMs, type UnixMs, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'
import type { StreamSource } from '../../../../shared/rpc/transport.ts'
import { EventTrades } from './trades.ts'
import { FlowFollower, type FlowHistory } from '../flow/flow-follower.ts'
import type { Hub } from '../hub-types.ts'
import { seriesFeed } from '../series.ts'
import { endedAt, type StreamHistory } from '../streams.ts'

/** Bars of the first value; older ones are read in pages. */
const FIRST_BARS = 1_500
/** Bars held in memory, at most. */
const MAX_BARS = 20_000

/** Spans of receipt that couldn't be read, UTC ms, as gaps of a feed. */
export const unreadable = (feed: FeedId, spans: readonly Span[]): readonly GapSpan[] =>
  spans.map(({ fromMs, toMs }) => ({ feed, cause: 'unreadable', fromMs: unixMs(fromMs), toMs: unixMs(toMs) }))

/** `wallMs`: the view's clock, UTC ms. */
export function eventBarsStream(
  hub: Hub,
  history: StreamHistory & FlowHistory,
  { instrument, rule }: { readonly instrument: InstrumentId; readonly rule: EventBarRule },
  wallMs: () => number,
  wake: () => void,
): StreamSource<BarsValue> {
  const cell = hub.cell(instrument)
  const feed = seriesFeed(cell.asset, 'trade', '1m')
  const dayOf = (ms: number): number => dayStart(cell.asset, ms)
  let trades: EventTrades | null = null
  let follower: FlowFollower | null = null
  let isRead = false
  let storedGaps: readonly GapSpan[] = []
  let unreadGaps: readonly GapSpan[] = []
  /** When recording last began again, UTC ms. */
  let endedMs: UnixMs | null = null
  let isWhole = true
  let isChanged = false
  let gapsChanged = false

  const follow = (): void => {
    follower?.close()
    isRead = false
    isWhole = true
    const fromMs = dayOf(wallMs())
    const changed = (): void => {
      if (isChanged || !isRead) return
      isChanged = true
      wake()
    }
    const range = { fromMs, toMs: Infinity, beforeMs: Infinity, most: MAX_BARS }
    const mine = new EventTrades(rule, dayOf, range, changed)
    trades = mine
    const gaps = history.gaps(feed, instrument, fromMs)
    const following = new FlowFollower(
      hub,
      history,
      { instrument, fromMs },
      {
        needsOnlyTrades: mine.needsOnlyTrades,
        quote: (...message) => mine.quote(...message),
        trade: (...message) => mine.trade(...message),
        gap: (...message) => mine.gap(...message),
        sessionBegan: () => mine.sessionBegan(),
        swept: () => mine.advance(hub.lastRecvMs),
      },
      (unread) => {
        void gaps.then((found) => {
          if (following.isClosed) return
          unreadGaps = unreadable(feed, unread)
          storedGaps = endedAt(found, endedMs)
          gapsChanged = true
          isRead = true
          wake()
        })
      },
    )
    follower = following
  }
  const offGap = hub.onGap((changed) => {
    if (changed !== feed) return
    gapsChanged = true
    if (isRead) wake()
  })
  const offReset = hub.onReset(follow)
  const offStored = hub.onStoredGapsEnded((atMs) => {
    const mine = follower
    endedMs = atMs
    storedGaps = endedAt(storedGaps, atMs)
    gapsChanged = true
    if (isRead) wake()
    void history.gaps(feed, instrument, dayOf(wallMs())).then((found) => {
      if (follower !== mine || mine?.isClosed !== false) return
      storedGaps = endedAt(found, atMs)
      gapsChanged = true
      if (isRead) wake()
    })
  })
  follow()
  return {
    take() {
      if (trades === null || !isRead || (!isWhole && !isChanged && !gapsChanged)) return undefined
      const { builder } = trades
      const from = builder.takeChanged()
      if (from < 0) isWhole = true
      const value = {
        reset: isWhole ? builder.bars.slice(-FIRST_BARS).map(eventBarOf) : null,
        updates: isWhole ? [] : builder.bars.slice(from).map(eventBarOf),
        gaps: gapsChanged ? [...storedGaps, ...unreadGaps, ...hub.gaps(feed, instrument)] : null,
        decimals: cell.decimals,
      }
      isWhole = false
      isChanged = false
      gapsChanged = false
      return value
    },
    close() {
      follower?.close()
      offGap()
      offReset()
      offStored()
    },
  }
}
