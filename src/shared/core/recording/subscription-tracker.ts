/** Which symbols a session has subscribed to over all its connections. One that moves is on two of them for a while. */
import { feedAsset, instrumentKey, type FeedId } from '../../base/units.ts'
import type { LedgerEntry } from './session.ts'

/** Symbols that the session begins to have subscribed (`is` true), or no longer has on any connection. */
export interface SubscriptionChange {
  readonly is: boolean
  /** Their connection was lost, so they are still wanted. */
  readonly isLost: boolean
  readonly feed: FeedId
  /** As acknowledged. */
  readonly symbols: readonly string[]
}

interface Held {
  readonly symbol: string
  readonly conns: Set<number>
}

export class SubscriptionTracker {
  /** By feed and instrument key. */
  readonly #held = new Map<FeedId, Map<string, Held>>()
  /** Connections that their recorder is closing, because it wants nothing of them. */
  readonly #idle = new Set<number>()

  /** Applies the next entry; one that changes no subscription is ignored. Null: nothing changed. */
  apply(entry: LedgerEntry): SubscriptionChange | null {
    switch (entry.type) {
      case 'state':
        if (entry.state === 'idle') this.#idle.add(entry.conn)
        return null
      case 'acknowledged':
        return this.#begin(entry.feed, entry.conn, entry.symbols)
      case 'released': {
        const keys = entry.symbols.map((symbol) => instrumentKey(feedAsset(entry.feed), symbol))
        return this.#end(entry.feed, entry.conn, keys, false)
      }
      case 'disconnected': {
        const keys = [...(this.#held.get(entry.feed)?.keys() ?? [])]
        return this.#end(entry.feed, entry.conn, keys, !this.#idle.delete(entry.conn))
      }
      default:
        return null
    }
  }

  /** An entry that can't be read may have ended any subscription. */
  endAll(): void {
    this.#held.clear()
  }

  #begin(feed: FeedId, conn: number, symbols: readonly string[]): SubscriptionChange | null {
    const held = this.#held.get(feed) ?? new Map<string, Held>()
    this.#held.set(feed, held)
    const begun: string[] = []
    for (const symbol of symbols) {
      const key = instrumentKey(feedAsset(feed), symbol)
      const known = held.get(key)
      if (known !== undefined) known.conns.add(conn)
      else {
        held.set(key, { symbol, conns: new Set([conn]) })
        begun.push(symbol)
      }
    }
    return begun.length === 0 ? null : { is: true, isLost: false, feed, symbols: begun }
  }

  #end(feed: FeedId, conn: number, keys: readonly string[], isLost: boolean): SubscriptionChange | null {
    const held = this.#held.get(feed)
    const ended: string[] = []
    for (const key of keys) {
      const one = held?.get(key)
      if (one === undefined || !one.conns.delete(conn) || one.conns.size > 0) continue
      held?.delete(key)
      ended.push(one.symbol)
    }
    return ended.length === 0 ? null : { is: false, isLost, feed, symbols: ended }
  }
}
