/**
 * Walks the sessions of several recorders in the order in which their messages arrived (decision 61). Times are by the
 * service's clock, UTC ms. Of items at the same time, those of the session that is given first come first.
 */
import { skewAt, type Share } from '../../../shared/core/recording/merged-sessions.ts'
import type { LedgerEntry } from '../../../shared/core/recording/session.ts'
import { monoNs, unixMs, type SessionId } from '../../../shared/base/units.ts'
import { scratch } from '../../../service/codec.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { ReplayBatch } from '../store/types/replay.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { Cursor } from './cursor.ts'
import { isRowCounted, type Counts } from './parts.ts'

export interface MergedSession {
  readonly session: SessionId
  readonly clock: Share['clock']
  /** What comes up to this seq isn't played. */
  readonly afterSeq: number
}

/** What happens in the view of all sessions, in addition to what each of them holds. */
export interface MergedEvent {
  readonly ms: number
  readonly entry: LedgerEntry
}

/** What is there to be walked. A later phase is what was recorded since, and comes after everything of the one before. */
export interface MergePhase {
  /** The last seq of each session, then the number of events. */
  readonly limits: readonly number[]
  /** Which messages of each session count; null: all of them. */
  readonly counts: readonly (Counts | null)[]
}

export interface MergeSource {
  readonly sessions: readonly MergedSession[]
  /** Ascending. */
  readonly events: readonly MergedEvent[]
  readonly phases: readonly MergePhase[]
  /** Nothing that arrived later is played. */
  readonly endMs: number
}

/** The last item walked of each session, then of the events: its seq, and when it arrived. */
export interface MergePlace {
  readonly seqs: readonly number[]
  readonly times: readonly number[]
}

/** A message that counts, and its number in the merge. */
interface MergedRow {
  readonly batch: ReplayBatch
  readonly row: number
  readonly number: number
  /** When it arrived, which can decrease. */
  readonly recvMs: number
}

/** Items that follow one another. */
export class Chunk {
  /** Number of the item before the first one. */
  readonly start: number
  count = 0
  /** By item: the index of its session, its seq there, and when it arrived. */
  readonly lanes: Uint8Array
  readonly seqs: Float64Array
  readonly times: Float64Array
  readonly rows: MergedRow[] = []
  readonly entries: StoredEntry[] = []

  constructor(start: number, size: number) {
    this.start = start
    this.lanes = new Uint8Array(size)
    this.seqs = new Float64Array(size)
    this.times = new Float64Array(size)
  }

  /** The arrival of the last item; -Infinity if there is none. */
  get lastMs(): number {
    return this.count === 0 ? -Infinity : this.times[this.count - 1]
  }
}

type LaneCursor = Pick<Cursor, 'next' | 'nextEntry' | 'batch' | 'row' | 'entry' | 'failure' | 'waitForNext' | 'close'>

interface Lane {
  readonly clock: Share['clock']
  readonly counts: Counts | null
  readonly cursor: LaneCursor
  seq: number
  /** When its last item arrived. Never decreases. */
  timeMs: number
}

/** The most sessions that can be merged, so that their index fits a byte. */
export const MAX_SESSIONS = 200

export class Merge {
  readonly #reader: Pick<StoreReader, 'replay'>
  readonly #source: MergeSource
  #phase: number
  #lanes: readonly Lane[]
  /** When the next item of each lane arrived: Infinity at its end, NaN while it isn't known. */
  readonly #next: Float64Array
  readonly #record = scratch()

  constructor(reader: Pick<StoreReader, 'replay'>, source: MergeSource, { seqs, times }: MergePlace) {
    this.#reader = reader
    this.#source = source
    this.#next = new Float64Array(seqs.length)
    const first = source.phases.findIndex(({ limits }) => limits.some((limit, i) => seqs[i] < limit))
    this.#phase = first < 0 ? source.phases.length - 1 : first
    this.#lanes = this.#open({ seqs, times })
  }

  /** How far it has come. */
  get place(): MergePlace {
    return { seqs: this.#lanes.map(({ seq }) => seq), times: this.#lanes.map(({ timeMs }) => timeMs) }
  }

  /** Adds the next items to a chunk until it has `size`. False: nothing more will come. Rejects if reading fails. */
  async fill(chunk: Chunk, size: number): Promise<boolean> {
    while (chunk.count < size) {
      const at = this.#findNext()
      if (at === undefined) for (const { cursor } of this.#lanes) await cursor.waitForNext()
      else if (at < 0) return false
      else this.#take(at, chunk)
    }
    return true
  }

  close(): void {
    for (const { cursor } of this.#lanes) cursor.close()
  }

  #open({ seqs, times }: MergePlace): readonly Lane[] {
    const { sessions, events } = this.#source
    const { limits, counts } = this.#source.phases[this.#phase]
    this.#next.fill(NaN)
    return seqs.map((seq, i): Lane => {
      const session = sessions.at(i)
      if (session === undefined) {
        const cursor = new EventCursor(events, seq, limits[i])
        return { clock: SAME_CLOCK, counts: null, cursor, seq, timeMs: times[i] }
      }
      const cursor = new Cursor(this.#reader, session.session, seq, limits[i])
      cursor.begin()
      return { clock: session.clock, counts: counts[i], cursor, seq, timeMs: times[i] }
    })
  }

  /** The lane whose item comes next; -1 at the end of all, undefined while one isn't known. */
  #findNext(): number | undefined {
    for (;;) {
      let first = -1
      for (const [at, lane] of this.#lanes.entries()) {
        if (Number.isNaN(this.#next[at])) this.#next[at] = timeOfNext(lane)
        if (Number.isNaN(this.#next[at])) return undefined
        if (this.#next[at] < (first < 0 ? Infinity : this.#next[first])) first = at
      }
      if (first >= 0) return this.#next[first] > this.#source.endMs ? -1 : first
      if (this.#phase + 1 >= this.#source.phases.length) return -1
      const { place } = this
      this.close()
      this.#phase += 1
      this.#lanes = this.#open(place)
    }
  }

  #take(at: number, chunk: Chunk): void {
    const lane = this.#lanes[at]
    const { cursor, counts } = lane
    const number = chunk.start + chunk.count + 1
    lane.timeMs = this.#next[at]
    this.#next[at] = NaN
    if (cursor.next() === 'message') {
      const batch = cursor.batch!
      const { row } = cursor
      cursor.row = row + 1
      lane.seq = batch.seq[row]
      if (counts === null || isRowCounted(counts, batch, row, this.#record))
        chunk.rows.push({ batch, row, number, recvMs: batch.recvMs[row] + skewAt(lane, lane.seq) })
    } else {
      const { seq, entry } = cursor.nextEntry()
      cursor.entry += 1
      lane.seq = seq
      const merged = this.#source.sessions.at(at) === undefined ? entry : entryOfMerge(entry, at, this.#lanes.length)
      if (merged !== null) chunk.entries.push({ seq: number, wallMs: unixMs(lane.timeMs), monoNs: monoNs(0), entry: merged }) // oxfmt-ignore
    }
    chunk.lanes[chunk.count] = at
    chunk.seqs[chunk.count] = lane.seq
    chunk.times[chunk.count] = lane.timeMs
    chunk.count += 1
  }
}

/**
 * An entry of one session in the merge: its connections get numbers of their own. Null: it is of that session alone.
 * Gaps are, because another session may have filled them, and so are digests.
 */
export function entryOfMerge(entry: LedgerEntry, lane: number, lanes: number): LedgerEntry | null {
  switch (entry.type) {
    case 'gap-open':
    case 'gap-close':
    case 'clock':
    case 'digest':
      return null
    case 'connecting':
    case 'connected':
    case 'disconnected':
    case 'subscribe':
    case 'unsubscribe':
    case 'acknowledged':
    case 'released':
    case 'state':
    case 'oversize':
      return { ...entry, conn: entry.conn * lanes + lane }
  }
}

const SAME_CLOCK: Share['clock'] = [{ fromSeq: 0, skewMs: 0 }]

/** Infinity at the end, NaN while it isn't read yet. Throws why reading failed. */
function timeOfNext({ cursor, clock, timeMs }: Lane): number {
  const kind = cursor.next()
  if (cursor.failure !== null) throw cursor.failure
  if (kind === 'pending') return NaN
  if (kind === 'end') return Infinity
  if (kind === 'message') {
    const batch = cursor.batch!
    return Math.max(timeMs, batch.recvMs[cursor.row] + skewAt({ clock }, batch.seq[cursor.row]))
  }
  const { seq, wallMs } = cursor.nextEntry()
  return Math.max(timeMs, wallMs + skewAt({ clock }, seq))
}

/** Events as a session of entries, numbered from 1. */
class EventCursor implements LaneCursor {
  readonly batch = null
  readonly failure = null
  row = 0
  entry: number
  readonly #events: readonly MergedEvent[]
  readonly #limit: number

  constructor(events: readonly MergedEvent[], after: number, limit: number) {
    this.#events = events
    this.#limit = limit
    this.entry = after
  }

  next(): 'entry' | 'end' {
    return this.entry < this.#limit ? 'entry' : 'end'
  }

  nextEntry(): StoredEntry {
    const { ms, entry } = this.#events[this.entry]
    return { seq: this.entry + 1, wallMs: unixMs(ms), monoNs: monoNs(0), entry }
  }

  waitForNext(): Promise<void> {
    return Promise.resolve()
  }

  close(): void {
    // Nothing is open.
  }
}
