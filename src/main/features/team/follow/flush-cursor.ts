/** Flushes as a cursor, so that a followed session is played like a stored one. */
import { FEED_IDS, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import type { BatchCursor } from '../../../core/playback/cursor.ts'
import type { Batch, StoredEntry } from '../../../core/store/types/messages.ts'
import type { ReplayBatch } from '../../../core/store/types/replay.ts'
import { lastSeqOf } from '../frame/seqs.ts'

const NUMBER = new Map<FeedId, number>(FEED_IDS.map((feed, i) => [feed, i]))

export class FlushCursor implements BatchCursor {
  batch: ReplayBatch | null = null
  row = 0
  entry = 0
  readonly #session: SessionId
  /** Index of the feed of each connection. */
  readonly #feeds = new Map<number, number>()
  #queue: Batch[] = []

  constructor(session: SessionId) {
    this.#session = session
  }

  /** The connections of these batches and entries are known from now on. */
  learn(batches: readonly Batch[], entries: readonly StoredEntry[] = []): void {
    for (const { connections = [] } of batches) for (const { conn, feed } of connections) this.#learn(conn, feed)
    for (const { entry } of entries) if (entry.type === 'connecting') this.#learn(entry.conn, entry.feed)
  }

  push(batch: Batch): void {
    this.learn([batch], batch.entries)
    this.#queue.push(batch)
  }

  /** Index of a connection's feed. Throws if the connection was never announced. */
  feedOf(conn: number): number {
    const index = this.#feeds.get(conn)
    if (index === undefined) throw new TypeError(`connection ${conn} was never announced`)
    return index
  }

  next(): 'message' | 'entry' | 'pending' {
    for (;;) {
      const { batch } = this
      if (batch !== null) {
        const message = this.row < batch.count ? batch.seq[this.row] : Infinity
        const entry = this.entry < batch.entries.length ? batch.entries[this.entry].seq : Infinity
        if (message < entry) return 'message'
        if (entry < Infinity) return 'entry'
        this.batch = null
      }
      const following = this.#queue.shift()
      if (following === undefined) return 'pending'
      this.batch = this.#toReplayBatch(following)
      this.row = 0
      this.entry = 0
    }
  }

  nextEntry(): StoredEntry {
    return this.batch!.entries[this.entry]
  }

  close(): void {
    this.batch = null
    this.#queue = []
  }

  #learn(conn: number, feed: FeedId): void {
    const index = NUMBER.get(feed)
    if (index !== undefined) this.#feeds.set(conn, index)
  }

  #toReplayBatch(batch: Batch): ReplayBatch {
    const { messages, entries } = batch
    const feed = new Uint8Array(messages.count)
    for (let i = 0; i < messages.count; i++) feed[i] = this.feedOf(messages.conn[i])
    const { count, seq, recvMs, monoNs, conn, flags, offsets, bytes } = messages
    return {
      session: this.#session,
      count,
      feed,
      seq,
      recvMs,
      monoNs,
      conn,
      flags,
      offsets,
      bytes,
      entries,
      upToSeq: lastSeqOf(batch),
    }
  }
}
