/**
 * Rebuilds a session's original flushes from its messages and each connection's list of flush sizes. Flushes of
 * different connections may interleave, so a batch is written whenever no connection is in the middle of a flush. Such
 * a batch holds at most one flush per connection, as it did in the original session.
 */
import type { Batch, MessageColumns, StoredEntry } from '../../core/store/types/messages.ts'
import type { ChainRuns } from '../../core/store/types/library.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import { newColumns } from '../../core/store/format/message-columns.ts'
import type { Rows } from '../../core/store/format/row-codec.ts'
import { MAX_FLUSH_ENTRIES, MAX_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import { corruptFile, tooLarge } from './parts.ts'

/**
 * Encodes the chains as a part: for each, its connection, the number of runs, then alternating sizes and repeat
 * counts.
 */
export function encodeChains(chains: readonly ChainRuns[]): Buffer {
  const all = chains.flatMap(({ conn, runs }) => [Uint32Array.of(conn, runs.length / 2), runs])
  return Buffer.concat(all.map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength)))
}

/** Decodes the output of `encodeChains`. Throws `store-damaged`. */
export function readChains(content: Buffer): readonly ChainRuns[] {
  if (content.length % 4 !== 0) throw corruptFile('the sizes of its flushes')
  const numbers = new Uint32Array(content.length / 4)
  for (let i = 0; i < numbers.length; i++) numbers[i] = content.readUInt32LE(i * 4)
  const chains: ChainRuns[] = []
  for (let at = 0; at < numbers.length;) {
    const end = at + 2 + (numbers[at + 1] ?? 0) * 2
    if (at + 2 > numbers.length || end > numbers.length) throw corruptFile('the sizes of its flushes')
    chains.push({ conn: numbers[at], runs: numbers.subarray(at + 2, end) })
    at = end
  }
  return chains
}

/** Throws `too-large` if a flush has more entries than one transaction may hold. */
export function checkFlushEntries(chains: readonly ChainRuns[]): void {
  for (const { conn, runs } of chains) {
    if (conn !== 0) continue
    for (let at = 0; at < runs.length; at += 2)
      if (runs[at] > MAX_FLUSH_ENTRIES) throw tooLarge('entries in one flush', MAX_FLUSH_ENTRIES)
  }
}

/** Position in a connection's list of flush sizes. */
interface Chain {
  readonly feed: FeedId | null
  readonly runs: Uint32Array
  at: number
  repeats: number
  /** Messages that the open flush still needs; 0: no flush is open. */
  open: number
  seq: number
}

export class Reflush {
  readonly #chains = new Map<number, Chain>()
  readonly #pieces: { readonly rows: Rows; readonly connSeq: Uint32Array; from: number; to: number }[] = []
  #entries: StoredEntry[] = []
  #open = 0
  #seq = 0
  #messages = 0
  #entryCount = 0
  #gaps = 0

  readonly #isPart: boolean

  /** `isPart`: the session may be an excerpt that lacks messages of the original, so its seqs may skip. */
  constructor(
    connections: readonly { readonly conn: number; readonly feed: FeedId }[],
    chains: readonly ChainRuns[],
    isPart: boolean,
  ) {
    this.#isPart = isPart
    const runs = new Map(chains.map((one) => [one.conn, one.runs]))
    const add = (conn: number, feed: FeedId | null): void => {
      if (this.#chains.has(conn)) throw corruptFile('its connections')
      this.#chains.set(conn, {
        feed,
        runs: runs.get(conn) ?? new Uint32Array(0),
        at: 0,
        repeats: 0,
        open: 0,
        seq: 0,
      })
    }
    add(0, null)
    for (const { conn, feed } of connections) add(conn, feed)
    checkFlushEntries(chains)
    if (chains.some(({ conn }) => !this.#chains.has(conn)) || runs.size !== chains.length) {
      throw corruptFile('the sizes of its flushes')
    }
  }

  /** The batch to write first: every connection, including those without messages. */
  announce(connections: readonly { readonly conn: number; readonly feed: FeedId }[]): Batch {
    return { messages: joined([]), entries: [], connections }
  }

  /** Takes the next rows and entries, both in seq order, and yields each batch of complete flushes. */
  *take(rows: Rows, entries: readonly StoredEntry[]): Generator<Batch> {
    const connSeq = new Uint32Array(rows.count)
    let from = 0
    let at = 0
    for (const entry of [...entries, null]) {
      for (; at < rows.count && (entry === null || rows.seq[at] < entry.seq); at++) {
        const chain = this.#chains.get(rows.conn[at])
        if (chain === undefined || chain.feed === null || !this.#isNext(rows.seq[at]))
          throw corruptFile('the order of its messages')
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
      if (!this.#isNext(entry.seq)) throw corruptFile('the order of its entries')
      this.#seq = entry.seq
      this.#entryCount++
      if (entry.entry.type === 'gap-open' && ++this.#gaps > MAX_SESSION_GAPS) throw tooLarge('gaps', MAX_SESSION_GAPS)
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
      if (chain.open > 0 || chain.repeats > 0 || chain.at < chain.runs.length) throw corruptFile('its messages')
    }
    return { messages: this.#messages, entries: this.#entryCount, lastSeq: this.#seq }
  }

  #isNext(seq: number): boolean {
    return seq === this.#seq + 1 || (this.#isPart && Number.isSafeInteger(seq) && seq > this.#seq)
  }

  /** Counts one message or entry of a chain: opens the next flush if none is open, and closes it once it is full. */
  #count(chain: Chain): void {
    if (chain.open === 0) {
      if (chain.repeats === 0) {
        if (chain.at + 1 >= chain.runs.length) throw corruptFile('the sizes of its flushes')
        chain.repeats = chain.runs[chain.at + 1]
        chain.at += 2
      }
      chain.open = chain.runs[chain.at - 2]
      if (chain.open === 0 || chain.repeats === 0) throw corruptFile('the sizes of its flushes')
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
