/**
 * A coarse index from a session's seqs to receive times: from its entries (a digest each minute, connections, clock
 * shifts), and from blocks where those are far apart. It is cached between queries.
 */
import { upperBound } from '../../../../shared/base/search.ts'
import { stampsOf } from './replay-cursor.ts'
import type { BlockRange, ReplaySession, ReplaySql } from '../read/replay-sql.ts'
import type { SeqRange } from '../format/corrupt-flushes.ts'

/**
 * How far wall time can run back without an entry, with a margin of the same size, ms. The recorder writes an entry
 * when the wall and monotonic clocks are 100 ms apart.
 */
export const CLOCK_SLACK_MS = 400
/** Seqs before a backward clock shift that are searched for the latest time. */
const PEAK_SEQS = 2048
/** Every n-th row of an inspected block becomes a mark. */
const ROWS_PER_MARK = 64
/** A seq distance that marks missing data in an imported part of a session. */
const MIN_GAP_SEQS = 1_024

/** Marks, ordered by seq. */
interface Marks {
  readonly seq: Float64Array
  /** Wall time at receipt of the mark's seq, UTC ms, not adjusted. */
  readonly wallMs: Float64Array
}

export class TimeMarks {
  readonly #sql: ReplaySql
  readonly #session: ReplaySession
  #seq: number[] = [0]
  #wall: number[]
  /** Seqs of all entries, ascending. */
  #entries: number[] = []
  /** First and last seq of corrupt flushes, ascending. */
  readonly #corruptFlushes: SeqRange[] = []
  #lastSeq = 0
  #inspected = new Set<string>()
  #cache: { marks?: Marks; replay?: Float64Array; messages?: Float64Array } = {}
  /** For an import that lacks some of its seqs: message counts per block, by block name. Null otherwise. */
  #counts: Map<string, BlockCount> | null = null

  constructor(sql: ReplaySql, session: ReplaySession) {
    this.#sql = sql
    this.#session = session
    this.#wall = [session.startedMs]
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Adds what was stored since the last call. */
  update(): void {
    const { id } = this.#session
    const lastSeq = this.#sql.read(() => this.#sql.journal.lastSeq(id))
    if (lastSeq === this.#lastSeq) return
    for (const { seq, wallMs, shiftMs } of [...this.#sql.stamps(id, this.#entries.at(-1) ?? 0)]) {
      if (seq > lastSeq) break
      this.#entries.push(seq)
      // The messages just before a backward clock shift have the latest times for a while.
      if (shiftMs < 0 && seq > 1) this.#add([seq - 1], [this.#findLatest(Math.max(0, seq - 1 - PEAK_SEQS), seq - 1)])
      this.#add([seq], [wallMs])
    }
    this.#corruptFlushes.push(...this.#sql.read(() => this.#sql.corruptFlushes.all(id, this.#lastSeq, lastSeq)))
    if (this.#lastSeq === 0) this.#wall[0] = Math.min(this.#wall[0], this.#findLatest(0, 1))
    this.#lastSeq = lastSeq
    if (id < 0) this.#counts = this.#countBlocks()
    this.#add([lastSeq], [this.#findLatest(lastSeq - 1, lastSeq)])
  }

  /** The latest wall time in (after, upTo], UTC ms. */
  #findLatest(afterSeq: number, upToSeq: number): number {
    let latest = -Infinity
    for (const { wallMs } of stampsOf(this.#sql, { session: this.#session.key, afterSeq, upToSeq })) {
      latest = Math.max(latest, wallMs)
    }
    return latest
  }

  get marks(): Marks {
    return (this.#cache.marks ??= { seq: Float64Array.from(this.#seq), wallMs: Float64Array.from(this.#wall) })
  }

  /** Replay time of the marks, UTC ms: wall time that never decreases. */
  get replayMs(): Float64Array {
    const known = this.#cache.replay
    if (known !== undefined) return known
    const made = this.marks.wallMs.slice()
    for (let i = 1; i < made.length; i++) if (made[i] < made[i - 1]) made[i] = made[i - 1]
    return (this.#cache.replay = made)
  }

  /** Readable messages (not entries) up to each mark. */
  get messages(): Float64Array {
    return (this.#cache.messages ??=
      this.#counts === null
        ? this.marks.seq.map((seq) => this.#messagesUpTo(seq))
        : countMarks(this.marks.seq, this.#counts.values()))
  }

  /** Message counts of an import's blocks, which no longer change; null if every seq between them is a message. */
  #countBlocks(): Map<string, BlockCount> | null {
    const counts = new Map<string, BlockCount>()
    let messages = 0
    this.#sql.read(() => {
      for (const { id } of this.#sql.series(this.#session.id)) {
        for (const { min_seq: first, max_seq: last, count } of this.#sql.blocksWithin(id, 0, Number.MAX_SAFE_INTEGER)) {
          counts.set(blockName(id, first, last), { seqs: [first - 1, last], upTo: [0, count] })
          messages += count
        }
      }
    })
    return messages === this.#messagesUpTo(this.#lastSeq) ? null : counts
  }

  #messagesUpTo(seq: number): number {
    let messages = seq - upperBound(this.#entries, seq)
    for (const [first, last] of this.#corruptFlushes) {
      if (first > seq) break
      const upTo = Math.min(seq, last)
      // Entries have rows of their own, so a corrupt flush doesn't remove any.
      messages -= upTo - first + 1 - (upperBound(this.#entries, upTo) - upperBound(this.#entries, first - 1))
    }
    return messages
  }

  /** Inspects stored data in (after, upTo] for more marks. Returns false if everything there was inspected before. */
  inspect(after: number, upTo: number): boolean {
    return this.#inspectBlock(after, upTo) || this.#inspectJournal(after, upTo)
  }

  /** Inspects the journal, which holds everything unsealed. */
  #inspectJournal(after: number, upTo: number): boolean {
    const { id, key: session } = this.#session
    const from = Math.max(after, this.#sql.journal.sealedSeq(id))
    const name = `journal ${from} ${upTo}`
    if (from >= upTo || this.#inspected.has(name)) return false
    this.#inspected.add(name)
    const seqs: number[] = []
    const walls: number[] = []
    let row = 0
    for (const { seq, wallMs } of stampsOf(this.#sql, { session, afterSeq: from, upToSeq: upTo })) {
      if (row++ % ROWS_PER_MARK > 0) continue
      seqs.push(seq)
      walls.push(wallMs)
    }
    this.#add(seqs, walls)
    return seqs.length > 0
  }

  /** Inspects the middle block of the series with the most blocks there. */
  #inspectBlock(after: number, upTo: number): boolean {
    return this.#sql.read(() => {
      let best: { series: number; place: BlockRange; rows: number } | null = null
      for (const { id } of this.#sql.series(this.#session.id)) {
        const blocks = this.#sql.blocksWithin(id, after, upTo)
        const middle = blocks[blocks.length >> 1]
        // With missing seqs, one block tells nothing about the others.
        const isNew = (one: BlockRange): boolean => !this.#inspected.has(blockName(id, one.min_seq, one.max_seq))
        const place = this.#counts === null || middle === undefined || isNew(middle) ? middle : blocks.find(isNew)
        if (place === undefined) continue
        const rows = blocks.reduce((sum, { count }) => sum + count, 0)
        if (best === null || rows > best.rows) best = { series: id, place, rows }
      }
      if (best === null) return false
      const { series, place } = best
      const name = blockName(series, place.min_seq, place.max_seq)
      if (this.#inspected.has(name)) return false
      this.#inspected.add(name)
      const block = this.#sql.open(this.#session.key, series, place, true)
      const { seq, recvMs, count } = block.within(-Infinity, Infinity)
      const seqs: number[] = []
      const walls: number[] = []
      const counts = this.#counts
      const known: BlockCount = { seqs: [place.min_seq - 1], upTo: [0] }
      for (let row = 0, last = -ROWS_PER_MARK; row < count; row++) {
        const isEdge =
          counts !== null &&
          ((row > 0 && seq[row] - seq[row - 1] > MIN_GAP_SEQS) ||
            (row < count - 1 && seq[row + 1] - seq[row] > MIN_GAP_SEQS))
        if (row - last < ROWS_PER_MARK && row < count - 1 && !isEdge) continue
        if (seq[row] > this.#lastSeq) break
        last = row
        seqs.push(seq[row])
        walls.push(recvMs[row])
        known.seqs.push(seq[row])
        known.upTo.push(row + 1)
      }
      counts?.set(name, known)
      this.#add(seqs, walls)
      return true
    })
  }

  /** Inserts ascending marks. Of two marks with the same seq, the later time wins. */
  #add(seqs: readonly number[], walls: readonly number[]): void {
    if (seqs.length === 0) return
    this.#cache = {}
    const last = this.#seq.at(-1)!
    if (seqs[0] > last) {
      this.#seq.push(...seqs)
      this.#wall.push(...walls)
      return
    }
    const at = upperBound(Float64Array.from(this.#seq), seqs[0] - 1)
    const tail = this.#seq.splice(at)
    const tailWalls = this.#wall.splice(at)
    let i = 0
    let j = 0
    while (i < tail.length || j < seqs.length) {
      const a = tail[i] ?? Infinity
      const b = seqs[j] ?? Infinity
      this.#seq.push(Math.min(a, b))
      if (a === b) this.#wall.push(Math.max(tailWalls[i++], walls[j++]))
      else this.#wall.push(a < b ? tailWalls[i++] : walls[j++])
    }
  }
}

/** How many messages of a block are up to some of its seqs, both ascending, spread evenly in between. */
interface BlockCount {
  readonly seqs: number[]
  readonly upTo: number[]
}

const blockName = (series: number, first: number, last: number): string => `${series} ${first} ${last}`

/** Messages of blocks up to each of ascending seqs. */
function countMarks(marks: Float64Array, blocks: Iterable<BlockCount>): Float64Array {
  const sums = new Float64Array(marks.length)
  /** Messages of blocks that end between a mark and the previous one. */
  const ended = new Float64Array(marks.length + 1)
  for (const { seqs, upTo } of blocks) {
    let i = upperBound(marks, seqs[0])
    let at = 1
    for (; i < marks.length && marks[i] < seqs[seqs.length - 1]; i++) {
      while (seqs[at] <= marks[i]) at++
      const share = (marks[i] - seqs[at - 1]) / (seqs[at] - seqs[at - 1])
      sums[i] += upTo[at - 1] + share * (upTo[at] - upTo[at - 1])
    }
    ended[i] += upTo[upTo.length - 1]
  }
  for (let i = 0, before = 0; i < marks.length; i++) {
    before += ended[i]
    sums[i] += before
  }
  return sums
}

/** Caches the marks of the sessions queried last. */
export class MarksCache {
  readonly #sql: ReplaySql
  readonly #marks = new Map<string, TimeMarks>()

  constructor(sql: ReplaySql) {
    this.#sql = sql
  }

  /** The updated marks of a session. Throws `not-found`. */
  of(key: ReplaySession['key']): TimeMarks {
    const session = this.#sql.session(key)
    let marks = this.#marks.get(key)
    if (marks === undefined) marks = new TimeMarks(this.#sql, session)
    this.#marks.delete(key)
    this.#marks.set(key, marks)
    for (const oldest of this.#marks.keys()) {
      if (this.#marks.size <= 400) break
      this.#marks.delete(oldest)
    }
    marks.update()
    return marks
  }
}
