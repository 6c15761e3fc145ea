/**
 * Rebuilds a session's original flushes from its messages and each connection's list of flush sizes. Flushes of
 * different connections may interleave, so a batch is complete whenever no connection is in the middle of a flush. Such
 * a batch holds at most one flush per connection, as it did in the original session.
 */
import type { Batch, MessageColumns, StoredEntry } from '../types/messages.ts'
import type { ChainRuns } from '../types/library.ts'
import { newColumns } from './message-columns.ts'
import type { Rows } from './row-codec.ts'

/** Position in a connection's list of flush sizes. */
interface Chain {
  readonly runs: Uint32Array
  at: number
  repeats: number
  /** Messages that the open flush still needs; 0: no flush is open. */
  open: number
  seq: number
}

export interface RegroupOptions {
  /** The connections that may have messages. */
  readonly connections: Iterable<number>
  /** Flush sizes from the start of the session, also of connections without a chain here. */
  readonly chains: readonly ChainRuns[]
  /** The session may be an excerpt that lacks messages of the original, so its seqs may skip. */
  readonly canSkip: boolean
  /** Where to start: the end of a flush, and what each connection (0: entries) has up to there. Default: the start. */
  readonly after?: { readonly seq: number; readonly counts: ReadonlyMap<number, number> }
  /** Creates the error for data that don't fit together. */
  readonly corrupt: (what: string) => Error
}

export class Regroup {
  readonly #chains = new Map<number, Chain>()
  readonly #pieces: { readonly rows: Rows; readonly connSeq: Uint32Array; from: number; to: number }[] = []
  readonly #canSkip: boolean
  readonly #corrupt: (what: string) => Error
  #entries: StoredEntry[] = []
  #open = 0
  #seq: number
  #messages = 0
  #entryCount = 0

  /** Throws what `corrupt` creates if the chains don't fit the connections. */
  constructor({ connections, chains, canSkip, after, corrupt }: RegroupOptions) {
    this.#canSkip = canSkip
    this.#corrupt = corrupt
    this.#seq = after?.seq ?? 0
    const runs = new Map(chains.map((one) => [one.conn, one.runs]))
    for (const conn of [0, ...connections]) {
      if (this.#chains.has(conn)) throw corrupt('its connections')
      const chain = { runs: runs.get(conn) ?? new Uint32Array(0), at: 0, repeats: 0, open: 0, seq: 0 }
      this.#chains.set(conn, chain)
      this.#skip(chain, after?.counts.get(conn) ?? 0)
    }
    if (chains.some(({ conn }) => !this.#chains.has(conn)) || runs.size !== chains.length)
      throw corrupt('the sizes of its flushes')
  }

  /** Skips whole flushes that hold this many messages. */
  #skip(chain: Chain, count: number): void {
    chain.seq = count
    for (let left = count; left > 0;) {
      const [size = 0, repeats = 0] = chain.runs.subarray(chain.at, chain.at + 2)
      chain.at += 2
      const skipped = Math.min(repeats, Math.floor(left / size))
      if (!(skipped > 0)) throw this.#corrupt('the sizes of its flushes')
      left -= skipped * size
      chain.repeats = repeats - skipped
    }
  }

  /** Takes the next rows and entries, both in seq order, and yields each batch of complete flushes. */
  *take(rows: Rows, entries: readonly StoredEntry[]): Generator<Batch> {
    const connSeq = new Uint32Array(rows.count)
    let from = 0
    let at = 0
    for (const entry of [...entries, null]) {
      for (; at < rows.count && (entry === null || rows.seq[at] < entry.seq); at++) {
        const chain = this.#chains.get(rows.conn[at])
        if (chain === undefined || rows.conn[at] === 0 || !this.#isNext(rows.seq[at]))
          throw this.#corrupt('the order of its messages')
        this.#seq = rows.seq[at]
        this.#messages++
        connSeq[at] = ++chain.seq
        this.#count(chain)
        if (this.#open > 0) continue
        this.#pieces.push({ rows, connSeq, from, to: at + 1 })
        from = at + 1
        yield this.#batch()
      }
      if (entry === null) break
      if (!this.#isNext(entry.seq)) throw this.#corrupt('the order of its entries')
      this.#seq = entry.seq
      this.#entryCount++
      this.#entries.push(entry)
      this.#count(this.#chains.get(0)!)
      if (this.#open > 0) continue
      if (at > from) this.#pieces.push({ rows, connSeq, from, to: at })
      from = at
      yield this.#batch()
    }
    if (at > from) this.#pieces.push({ rows, connSeq, from, to: at })
  }

  /** Call after the last `take`. Throws if a flush is incomplete or absent. */
  finish(): { readonly messages: number; readonly entries: number; readonly lastSeq: number } {
    for (const chain of this.#chains.values()) {
      if (chain.open > 0 || chain.repeats > 0 || chain.at < chain.runs.length) throw this.#corrupt('its messages')
    }
    return { messages: this.#messages, entries: this.#entryCount, lastSeq: this.#seq }
  }

  #isNext(seq: number): boolean {
    return seq === this.#seq + 1 || (this.#canSkip && Number.isSafeInteger(seq) && seq > this.#seq)
  }

  /** Counts one message or entry of a chain: opens the next flush if none is open, and closes it once it is full. */
  #count(chain: Chain): void {
    if (chain.open === 0) {
      if (chain.repeats === 0) {
        if (chain.at + 1 >= chain.runs.length) throw this.#corrupt('the sizes of its flushes')
        chain.repeats = chain.runs[chain.at + 1]
        chain.at += 2
      }
      chain.open = chain.runs[chain.at - 2]
      if (chain.open === 0 || chain.repeats === 0) throw this.#corrupt('the sizes of its flushes')
      chain.repeats--
      this.#open++
    }
    if (--chain.open === 0) this.#open--
  }

  #batch(): Batch {
    const messages = joined(this.#pieces.splice(0))
    const entries = this.#entries
    this.#entries = []
    return { messages, entries }
  }
}

function joined(
  pieces: readonly { readonly rows: Rows; readonly connSeq: Uint32Array; readonly from: number; readonly to: number }[],
): MessageColumns {
  let count = 0
  let size = 0
  for (const { rows, from, to } of pieces) {
    count += to - from
    size += rows.offsets[to] - rows.offsets[from]
  }
  const m = newColumns(count, size)
  let at = 0
  let end = 0
  for (const { rows, connSeq, from, to } of pieces) {
    m.seq.set(rows.seq.subarray(from, to), at)
    m.conn.set(rows.conn.subarray(from, to), at)
    m.connSeq.set(connSeq.subarray(from, to), at)
    m.recvMs.set(rows.recvMs.subarray(from, to), at)
    m.monoNs.set(rows.monoNs.subarray(from, to), at)
    m.flags.set(rows.flags.subarray(from, to), at)
    const start = rows.offsets[from]
    m.bytes.set(rows.bytes.subarray(start, rows.offsets[to]), end)
    for (let i = from; i < to; i++) m.offsets[at + i - from + 1] = end + rows.offsets[i + 1] - start
    at += to - from
    end += rows.offsets[to] - start
  }
  return m
}
