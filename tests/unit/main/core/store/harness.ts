/** Shared by the tests of the store: batches without a recorder, and reading everything back. */
import { ColumnsBuilder, newColumns } from '../../../../../src/main/core/store/format/message-columns.ts'
import type { Batch, MessageColumns, StoredEntry } from '../../../../../src/main/core/store/types/messages.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { LedgerEntry, Source } from '../../../../../src/shared/core/recording/session.ts'
import { FEED_IDS, type FeedId, type SessionId } from '../../../../../src/shared/base/units.ts'

export const DEMO: Source = { kind: 'demo', origin: 'demo', user: '' }
export const T0 = Date.UTC(2026, 0, 5, 10, 0, 0)
const encoder = new TextEncoder()

/** One message or entry to write. */
export type Item =
  | { readonly conn: number; readonly data: Uint8Array | string; readonly flags?: number; readonly recvMs?: number }
  | { readonly entry: LedgerEntry; readonly wallMs?: number }

/** Numbers items like a recorder: one order, connections from 1. */
export class Writer {
  seq = 0
  readonly #connSeq = new Map<number, number>()
  readonly #known = new Set<number>()
  readonly feeds: readonly FeedId[]

  constructor(feeds: readonly FeedId[] = ['crypto/XT', 'crypto/XQ']) {
    this.feeds = feeds
  }

  batch(items: readonly Item[]): Batch {
    const rows = new ColumnsBuilder(16, 256)
    const entries: StoredEntry[] = []
    const connections: { conn: number; feed: FeedId }[] = []
    for (const item of items) {
      const seq = ++this.seq
      if ('entry' in item) {
        entries.push({ seq, wallMs: item.wallMs ?? T0 + seq, monoNs: seq * 1_000_000, entry: item.entry })
        continue
      }
      const { conn, flags = 0, recvMs = T0 + seq } = item
      if (!this.#known.has(conn)) {
        this.#known.add(conn)
        connections.push({ conn, feed: this.feeds[conn - 1] })
      }
      const connSeq = (this.#connSeq.get(conn) ?? 0) + 1
      this.#connSeq.set(conn, connSeq)
      const bytes = typeof item.data === 'string' ? encoder.encode(item.data) : item.data
      const one: MessageColumns = {
        count: 1,
        seq: Float64Array.of(seq),
        conn: Uint32Array.of(conn),
        connSeq: Uint32Array.of(connSeq),
        recvMs: Float64Array.of(recvMs),
        monoNs: Float64Array.of(seq * 1_000_000),
        flags: Uint8Array.of(flags),
        offsets: Uint32Array.of(0, bytes.length),
        bytes,
      }
      rows.add(one, 0, 1)
    }
    const done = rows.count === 0 ? newColumns(0, 0) : rows.build()
    return { messages: done, entries, connections }
  }
}

export interface Row {
  readonly seq: number
  readonly recvMs: number
  readonly flags: number
  readonly raw: string
  readonly symbol: string
}

/** Everything a reader returns of a feed, raw bytes as latin1 text. */
export async function readAll(reader: StoreReader, feed: FeedId, session?: SessionId): Promise<Row[]> {
  const rows: Row[] = []
  for await (const ticks of reader.ticks({ feed, instruments: null, session })) {
    for (let i = 0; i < ticks.count; i++) {
      rows.push({
        seq: ticks.seq[i],
        recvMs: ticks.recvMs[i],
        flags: ticks.flags[i],
        raw: Buffer.from(ticks.raw(i)).toString('latin1'),
        symbol: ticks.symbol(i),
      })
    }
  }
  return rows
}

/** Every message of every feed, by seq. */
export async function readEverything(reader: StoreReader, session?: SessionId): Promise<Row[]> {
  const all: Row[] = []
  for (const feed of FEED_IDS) all.push(...(await readAll(reader, feed, session)))
  return all.sort((a, b) => a.seq - b.seq)
}

export const latin1 = (data: Uint8Array | string): string =>
  Buffer.from(typeof data === 'string' ? encoder.encode(data) : data).toString('latin1')
