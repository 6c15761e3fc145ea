/** The stored entries that say what a session had subscribed to. */
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { SubscriptionChange, SubscriptionTracker } from '../../../../shared/core/recording/subscription-tracker.ts'
import { isFeedId } from '../../../../shared/base/units.ts'

/** Selects them by the text of `entry.body`. */
export const SUBSCRIPTION_ROWS = `(${['acknowledged"', 'released"', 'disconnected"', 'state"%"state":"idle"']
  .map((text) => `body LIKE '{"type":"${text}%'`)
  .join(' OR ')})`

/** One that can't be read: a subscription began (`is` true) or ended. */
type UnreadableChange = Pick<SubscriptionChange, 'is' | 'isLost'> & { readonly feed: null }

/** Applies the text of the next entry. Null: no subscription changed. */
export function readSubscription(
  tracker: SubscriptionTracker,
  body: string,
): SubscriptionChange | UnreadableChange | null {
  const entry = parse(body)
  if (entry !== null) return tracker.apply(entry)
  if (isOf(body, 'state')) return null
  const is = isOf(body, 'acknowledged')
  if (!is) tracker.endAll()
  return { is, isLost: false, feed: null }
}

const isOf = (body: string, type: LedgerEntry['type']): boolean => body.startsWith(`{"type":"${type}"`)

/** Null if the entry is corrupt. */
function parse(body: string): LedgerEntry | null {
  try {
    const entry = JSON.parse(body) as { readonly feed?: string; readonly symbols?: unknown } // checked below
    const isWhole = isOf(body, 'disconnected') || isOf(body, 'state') || Array.isArray(entry.symbols)
    return isWhole && entry.feed !== undefined && isFeedId(entry.feed) ? (entry as LedgerEntry) : null // as written
  } catch {
    return null
  }
}
