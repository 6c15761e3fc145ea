/**
 * What the entries say so far: open gaps, live connections and what they carry. With it a recording can
 * be rolled: closed and begun again in the same instant, the connections kept.
 */
import type { GapCause, LedgerEntry } from '../../../shared/core/recording/recording.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'

interface OpenGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly skew: { readonly skewMs?: number }
  /** What whoever opened it was given: what its gap-close will name. */
  readonly openedAs: number
  /** Its seq in the recording now open. */
  seq: number
}

interface Connection {
  readonly feed: FeedId
  /** Number in the recording now open; `handle` is what the feed knows it by, for good. */
  number: number
  connected: boolean
  state: string | null
  readonly subscribed: Set<string>
  readonly acknowledged: Set<string>
}

export class GapLedger {
  readonly #gaps: OpenGap[] = []
  readonly #connections = new Map<number, Connection>()
  #next = 1
  #unnumbered = 0

  /** A new connection; answers its handle and its number in the recording now open. */
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
   * The entry as it is to be stored: numbers and seqs of the recording now open. `numberOf` knows a
   * connection also after its end; 0: none of this recording.
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
   * Takes note of an entry (as it was handed in) and of the seq it was given; 0: none. Answers the number
   * to know it by: its seq, or one below zero for a gap that has none or one of another day.
   */
  note(entry: LedgerEntry, seq: number): number {
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

  /** Entries that close what is open, for the end of a recording that is rolled. */
  closing(): LedgerEntry[] {
    return this.#gaps.map(({ feed, seq }) => ({ type: 'gap-close', feed, openedSeq: seq }))
  }

  /**
   * Numbers the live connections anew, from 1, and gives the entries that a new recording begins with.
   * `write` stores an entry and answers its seq.
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
