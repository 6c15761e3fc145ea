/**
 * The state that results from the ledger entries: open gaps, live connections and their subscriptions. With it a
 * recording can be rolled, that is, ended and begun again at the same instant without reconnecting.
 */
import type { GapCause, LedgerEntry } from '../../../shared/core/recording/session.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'

interface OpenGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly skew: { readonly skewMs?: number }
  /** The number that `add` returned, which its `gap-close` names. */
  readonly openedAs: number
  /** Its seq in the open session. */
  seq: number
}

interface Connection {
  readonly feed: FeedId
  /** Its number in the open session. The handle that feeds use never changes. */
  number: number
  connected: boolean
  state: string | null
  readonly subscribed: Set<string>
  readonly acknowledged: Set<string>
}

export class LedgerState {
  readonly #gaps: OpenGap[] = []
  readonly #connections = new Map<number, Connection>()
  #next = 1
  #unnumbered = 0

  /** Adds a connection; returns its number in the open session. */
  connect(handle: number, feed: FeedId): number {
    const number = this.#next++
    this.#connections.set(handle, {
      feed,
      number,
      connected: false,
      state: null,
      subscribed: new Set(),
      acknowledged: new Set(),
    })
    return number
  }

  /**
   * Converts an entry to the numbers and seqs of the open session, as it is stored. `numberOf` returns a
   * connection's number even after its end, or 0 if it has none in this session.
   */
  translate(entry: LedgerEntry, numberOf: (handle: number) => number): LedgerEntry {
    if (entry.type === 'gap-close') {
      return {
        ...entry,
        openedSeq:
          this.#gaps.findLast((g) => g.openedAs === entry.openedSeq && g.feed === entry.feed)?.seq ?? entry.openedSeq,
      }
    }
    return 'conn' in entry ? { ...entry, conn: numberOf(entry.conn) } : entry
  }

  /**
   * Applies an untranslated entry that was stored under `seq` (0: not stored). Returns the number that identifies it:
   * its seq, or a negative number for a gap without a seq of its own.
   */
  add(entry: LedgerEntry, seq: number): number {
    if (entry.type !== 'gap-open') {
      this.#follow(entry)
      return seq
    }
    const { feed, cause, symbols, skewMs } = entry
    const skew = skewMs === undefined ? {} : { skewMs }
    const openedAs = seq > 0 && !this.#gaps.some((gap) => gap.openedAs === seq) ? seq : --this.#unnumbered
    this.#gaps.push({ feed, cause, symbols, skew, openedAs, seq })
    return openedAs
  }

  #follow(entry: LedgerEntry): void {
    if (entry.type === 'gap-close') {
      const at = this.#gaps.findLastIndex((g) => g.openedAs === entry.openedSeq && g.feed === entry.feed)
      if (at >= 0) this.#gaps.splice(at, 1)
      return
    }
    if (!('conn' in entry)) return
    const connection = this.#connections.get(entry.conn)
    if (connection === undefined) return
    switch (entry.type) {
      case 'connected':
        connection.connected = true
        return
      case 'disconnected':
        this.#connections.delete(entry.conn)
        return
      case 'subscribe':
        for (const symbol of entry.symbols) connection.subscribed.add(symbol)
        return
      case 'acknowledged':
        for (const symbol of entry.symbols) connection.acknowledged.add(symbol)
        return
      case 'unsubscribe':
      case 'released':
        for (const symbol of entry.symbols) {
          connection.subscribed.delete(symbol)
          if (entry.type === 'released') connection.acknowledged.delete(symbol)
        }
        return
      case 'state':
        connection.state = entry.state
        return
      case 'connecting':
      case 'oversize':
        return
    }
  }

  /** Feeds with a live connection. */
  feeds(): FeedId[] {
    return [...new Set([...this.#connections.values()].map((c) => c.feed))]
  }

  /** Entries that close every open gap, for the end of a session that is rolled. */
  closing(): LedgerEntry[] {
    return this.#gaps.map(({ feed, seq }) => ({ type: 'gap-close', feed, openedSeq: seq }))
  }

  /**
   * Renumbers the live connections from 1 and writes the entries that a new session begins with. `write` stores an
   * entry and returns its seq.
   */
  reissue(
    nowMs: UnixMs,
    connection: (handle: number, number: number, feed: FeedId) => void,
    write: (entry: LedgerEntry) => number,
  ): void {
    this.#next = 1
    for (const [handle, c] of this.#connections) {
      const conn = (c.number = this.#next++)
      const { feed } = c
      connection(handle, conn, feed)
      write({ type: 'connecting', feed, conn })
      if (c.connected) write({ type: 'connected', feed, conn })
      if (c.subscribed.size > 0) write({ type: 'subscribe', feed, conn, symbols: [...c.subscribed] })
      if (c.acknowledged.size > 0) write({ type: 'acknowledged', feed, conn, symbols: [...c.acknowledged] })
      if (c.state !== null) write({ type: 'state', feed, conn, state: c.state })
    }
    for (const gap of this.#gaps) {
      const { feed, cause, symbols, skew } = gap
      gap.seq = write({ type: 'gap-open', feed, cause, symbols, fromMs: nowMs, ...skew })
    }
  }
}
