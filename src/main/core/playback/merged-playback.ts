/**
 * Several sessions of a team as one session for players (decision 61): its seqs number what the sessions hold, in the
 * order in which it arrived, and its messages are those that count. Times are by the service's clock, UTC ms.
 */
import { sessionId, type SessionId } from '../../../shared/base/units.ts'
import type { Market } from '../market/market.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { EntryQuery, Position, PositionQuery, ReplayBatch, ReplayQuery } from '../store/types/replay.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { Chunk, Merge, type MergedEvent, type MergePhase, type MergePlace, type MergeSource } from './merge.ts'
import { MergedTracker } from './merged-tracker.ts'
import type { Part } from './parts.ts'

/** Items in a batch, and between two places that are remembered. */
const CHUNK = 2_048
/** Chunks whose items are remembered one by one: more than players read ahead. */
const DETAILED = 128

export type PlaybackReader = Pick<StoreReader, 'replay' | 'snapshot' | 'entries' | 'findPosition'>

const WHY = 'Recorders write digests of their own sessions, and this plays several as one.'

export class MergedPlayback implements PlaybackReader {
  readonly #reader: Pick<StoreReader, 'replay'>
  readonly #source: MergeSource & { events: MergedEvent[]; phases: MergePhase[] }
  /** Where each chunk begins that was reached. */
  readonly #places: MergePlace[]
  readonly #chunks = new Map<number, Pick<Chunk, 'count' | 'lanes' | 'seqs'>>()
  readonly #entries: StoredEntry[]
  /** Entries up to this number are in `#entries`. */
  #entriesTo = 0

  /** `before`: entries of the sessions from before the range, as `entryOfMerge` returns them. */
  constructor(reader: Pick<StoreReader, 'replay'>, source: MergeSource, before: readonly StoredEntry[]) {
    this.#reader = reader
    this.#source = { ...source, events: [...source.events], phases: [...source.phases] }
    const seqs = [...source.sessions.map(({ afterSeq }) => afterSeq), 0]
    this.#places = [{ seqs, times: seqs.map(() => -Infinity) }]
    this.#entries = before.map((entry) => ({ ...entry, seq: 0 }))
  }

  /** The merge as the only part of a replay, UTC ms. */
  part(fromMs: number, toMs: number): Part {
    const newTracker = (): MergedTracker => new MergedTracker(this.#source.sessions.length)
    return {
      session: sessionId('merge'),
      fromMs,
      toMs,
      lastSeq: this.#lastSeq,
      counts: null,
      clean: true,
      merged: { newTracker, why: WHY },
    }
  }

  /** Adds what was recorded since; returns the last number. `events` come after those of before. */
  grow(phase: Omit<MergePhase, 'limits'> & { readonly lastSeqs: readonly number[] }, events: readonly MergedEvent[]) {
    this.#source.events.push(...events)
    this.#source.phases.push({ counts: phase.counts, limits: [...phase.lastSeqs, this.#source.events.length] })
    return this.#lastSeq
  }

  /** The number of the last item, or more if the range ends before it. */
  get #lastSeq(): number {
    const { limits } = this.#source.phases[this.#source.phases.length - 1]
    const [{ seqs }] = this.#places
    return limits.reduce((sum, limit, i) => sum + Math.max(0, limit - seqs[i]), 0)
  }

  /** Passes the records of the merge on to a market, with their seqs in their own sessions. */
  into(market: Market): Market {
    const apply: Market['sink']['apply'] = (feed, number, recvMs, record) =>
      market.sink.apply(feed, this.originOf(number)?.seq ?? 0, recvMs, record)
    const { sink } = market
    return {
      ...market,
      sink: {
        apply,
        feedState: (...args) => sink.feedState(...args),
        acknowledged: (...args) => sink.acknowledged(...args),
        gapOpened: (...args) => sink.gapOpened(...args),
        gapClosed: (...args) => sink.gapClosed(...args),
      },
    }
  }

  /** The message or entry with a number; null if it is of no session, or was read too long ago to be known. */
  originOf(number: number): { readonly session: SessionId; readonly seq: number } | null {
    const chunk = this.#chunks.get(chunkOf(number))
    const at = (number - 1) % CHUNK
    if (chunk === undefined || at >= chunk.count) return null
    const session = this.#source.sessions.at(chunk.lanes[at])
    return session === undefined ? null : { session: session.session, seq: chunk.seqs[at] }
  }

  /** The last seq of each session at a number; 0: nothing of it yet. */
  limitsAt(number: number): SeqLimits {
    const index = Math.min(number === 0 ? 0 : chunkOf(number), this.#places.length - 1)
    const seqs = [...this.#places[index].seqs]
    const chunk = this.#chunks.get(index)
    // Of a chunk that isn't remembered, its beginning: too little rather than what is yet to come.
    const upTo = Math.min(number - index * CHUNK, chunk?.count ?? 0)
    for (let i = 0; i < upTo; i++) seqs[chunk!.lanes[i]] = chunk!.seqs[i]
    return new Map(this.#source.sessions.map(({ session }, i) => [session, seqs[i]]))
  }

  async *replay({ afterSeq, upToSeq = Infinity, upToMs = Infinity }: ReplayQuery): AsyncGenerator<ReplayBatch> {
    for await (const chunk of this.#read(Math.floor(afterSeq / CHUNK))) {
      const batch = batchOf(chunk, afterSeq, upToSeq)
      if (batch.count > 0 || batch.entries.length > 0) yield batch
      if (chunk.start + chunk.count >= upToSeq || chunk.lastMs > upToMs) return
    }
  }

  /** The entries reached so far, also those that are reached later: states begin only at what was reached. */
  entries(_query: EntryQuery): Promise<readonly StoredEntry[]> {
    return Promise.resolve(this.#entries)
  }

  /** Nobody stores states of a merge. */
  snapshot(): Promise<null> {
    return Promise.resolve(null)
  }

  async findPosition({ ms }: PositionQuery): Promise<Position | null> {
    let found: Position | null = null
    const from = this.#places.findLastIndex(({ times }) => Math.max(...times) <= ms)
    for await (const chunk of this.#read(Math.max(0, from))) {
      const later = chunk.times.subarray(0, chunk.count).findIndex((time) => time > ms)
      const count = later < 0 ? chunk.count : later
      if (count > 0) found = { seq: chunk.start + count, ms: chunk.times[count - 1] }
      if (later >= 0) break
      found ??= { seq: chunk.start, ms }
    }
    return found?.seq === 0 ? null : found
  }

  /** Reads chunks from one on, as far back as it has to begin. */
  async *#read(index: number): AsyncGenerator<Chunk> {
    const first = Math.min(index, this.#places.length - 1)
    const merge = new Merge(this.#reader, this.#source, this.#places[first])
    try {
      for (let at = first; ; at++) {
        const chunk = new Chunk(at * CHUNK, CHUNK)
        const isFull = await merge.fill(chunk, CHUNK)
        this.#remember(at, chunk)
        if (isFull && at + 1 >= this.#places.length) this.#places.push(merge.place)
        if (at >= index && chunk.count > 0) yield chunk
        if (!isFull) return
      }
    } finally {
      merge.close()
    }
  }

  #remember(at: number, chunk: Chunk): void {
    for (const entry of chunk.entries) if (entry.seq > this.#entriesTo) this.#entries.push(entry)
    this.#entriesTo = Math.max(this.#entriesTo, chunk.start + chunk.count)
    const known = this.#chunks.get(at)
    this.#chunks.delete(at)
    this.#chunks.set(at, known !== undefined && known.count > chunk.count ? known : chunk)
    const [oldest] = this.#chunks.keys()
    if (this.#chunks.size > DETAILED) this.#chunks.delete(oldest)
  }
}

const chunkOf = (number: number): number => Math.floor((number - 1) / CHUNK)

/** The messages of a chunk that count, and its entries, in (after, upTo]. */
function batchOf(chunk: Chunk, after: number, upTo: number): ReplayBatch {
  const rows = chunk.rows.filter(({ number }) => number > after && number <= upTo)
  const size = rows.reduce((sum, { batch, row }) => sum + batch.offsets[row + 1] - batch.offsets[row], 0)
  const columns = {
    feed: new Uint8Array(rows.length),
    seq: new Float64Array(rows.length),
    recvMs: new Float64Array(rows.length),
    flags: new Uint8Array(rows.length),
    offsets: new Uint32Array(rows.length + 1),
    bytes: new Uint8Array(size),
  }
  let end = 0
  for (const [i, { batch, row, number, recvMs }] of rows.entries()) {
    columns.feed[i] = batch.feed[row]
    columns.seq[i] = number
    columns.recvMs[i] = recvMs
    columns.flags[i] = batch.flags[row]
    columns.bytes.set(batch.bytes.subarray(batch.offsets[row], batch.offsets[row + 1]), end)
    end += batch.offsets[row + 1] - batch.offsets[row]
    columns.offsets[i + 1] = end
  }
  return {
    session: sessionId('merge'),
    count: rows.length,
    ...columns,
    monoNs: new Float64Array(0),
    conn: new Uint32Array(0),
    entries: chunk.entries.filter(({ seq }) => seq > after && seq <= upTo),
    upToSeq: Math.min(upTo, chunk.start + chunk.count),
  }
}
