/**
 * When a recording's seqs were received, coarsely: from its entries (a digest a minute, connections, steps of
 * the clock) and, where those lie far apart, from blocks that were looked into. Kept from question to question.
 */
import { firstAfter } from './ascending.ts'
import { stampsOf } from './replay-cursor.ts'
import type { BlockPlace, ReviewedRecording, ReviewSql } from './review-sql.ts'

/**
 * How far wall time may run back without an entry that says so, and as far again to be sure: the recorder
 * writes one when wall and monotonic clock are 100 ms apart.
 */
export const CLOCK_SLACK_MS = 400
/** How far before a step back of the clock its latest time is looked for. */
const PEAK_SEQS = 2048
/** Of a block that was looked into, every so manyth row becomes a mark. */
const ROWS_A_MARK = 64

/** Marks in the order of seq. */
interface Marks {
  readonly seq: Float64Array
  /** Wall time at receipt of the mark's seq, as it was. */
  readonly wallMs: Float64Array
}

export class TimeMarks {
  readonly #sql: ReviewSql
  readonly #recording: ReviewedRecording
  #seq: number[] = [0]
  #wall: number[]
  /** Seqs of all entries, ascending. */
  #entries: number[] = []
  /** First and last seq of torn flushes, ascending. */
  readonly #torn: [number, number][] = []
  #lastSeq = 0
  #looked = new Set<string>()
  #cache: { marks?: Marks; replay?: Float64Array } = {}

  constructor(sql: ReviewSql, recording: ReviewedRecording) {
    this.#sql = sql
    this.#recording = recording
    this.#wall = [recording.startedMs]
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Takes in what was stored since. */
  update(): void {
    const { id } = this.#recording
    const lastSeq = this.#sql.read(() => this.#sql.lastSeq(id))
    if (lastSeq === this.#lastSeq) return
    for (const { seq, wallMs, shiftMs } of [...this.#sql.stamps(id, this.#entries.at(-1) ?? 0)]) {
      if (seq > lastSeq) break
      this.#entries.push(seq)
      // What came just before the clock was set back came as late as it ever gets for a while.
      if (shiftMs < 0 && seq > 1) this.#add([seq - 1], [this.#latest(Math.max(0, seq - 1 - PEAK_SEQS), seq - 1)])
      this.#add([seq], [wallMs])
    }
    this.#torn.push(...this.#sql.read(() => this.#sql.torn(id, this.#lastSeq, lastSeq)))
    if (this.#lastSeq === 0) this.#wall[0] = Math.min(this.#wall[0], this.#latest(0, 1))
    this.#lastSeq = lastSeq
    this.#add([lastSeq], [this.#latest(lastSeq - 1, lastSeq)])
  }

  /** The latest wall time in (after, upTo]. */
  #latest(afterSeq: number, upToSeq: number): number {
    let latest = -Infinity
    for (const { wallMs } of stampsOf(this.#sql, { recording: this.#recording.key, afterSeq, upToSeq })) {
      latest = Math.max(latest, wallMs)
    }
    return latest
  }

  /** All marks. */
  get marks(): Marks {
    return (this.#cache.marks ??= { seq: Float64Array.from(this.#seq), wallMs: Float64Array.from(this.#wall) })
  }

  /** Replay time of the marks: wall time made never to decrease. */
  get replayMs(): Float64Array {
    const known = this.#cache.replay
    if (known !== undefined) return known
    const made = this.marks.wallMs.slice()
    for (let i = 1; i < made.length; i++) if (made[i] < made[i - 1]) made[i] = made[i - 1]
    return (this.#cache.replay = made)
  }

  /** Messages (not entries) up to a seq that can be read. */
  messagesUpTo(seq: number): number {
    let messages = seq - countUpTo(this.#entries, seq)
    for (const [first, last] of this.#torn) {
      if (first > seq) break
      const upTo = Math.min(seq, last)
      // Entries are rows of their own: a torn flush takes none with it.
      messages -= upTo - first + 1 - (countUpTo(this.#entries, upTo) - countUpTo(this.#entries, first - 1))
    }
    return messages
  }

  /**
   * Looks into the block in the middle of (after, upTo] of the series that has most there; false where there is
   * none that was not looked into already.
   */
  look(after: number, upTo: number): boolean {
    return this.#sql.read(() => {
      let best: { series: number; place: BlockPlace; rows: number } | null = null
      for (const { id } of this.#sql.series(this.#recording.id)) {
        const places = this.#sql.blocksWithin(id, after, upTo)
        const place = places[places.length >> 1]
        if (place === undefined) continue
        const rows = places.reduce((sum, { count }) => sum + count, 0)
        if (best === null || rows > best.rows) best = { series: id, place, rows }
      }
      if (best === null) return false
      const { series, place } = best
      const name = `${series} ${place.min_seq} ${place.max_seq}`
      if (this.#looked.has(name)) return false
      this.#looked.add(name)
      const block = this.#sql.open(this.#recording.key, series, place, true)
      const { seq, recvMs, count } = block.within(-Infinity, Infinity)
      const seqs: number[] = []
      const walls: number[] = []
      for (let row = 0; row < count; row = row === count - 1 ? count : Math.min(row + ROWS_A_MARK, count - 1)) {
        if (seq[row] > this.#lastSeq) break
        seqs.push(seq[row])
        walls.push(recvMs[row])
      }
      this.#add(seqs, walls)
      return true
    })
  }

  /** Puts ascending marks in their places; of two at a seq, the later time stands. */
  #add(seqs: readonly number[], walls: readonly number[]): void {
    if (seqs.length === 0) return
    this.#cache = {}
    const last = this.#seq.at(-1)!
    if (seqs[0] > last) {
      this.#seq.push(...seqs)
      this.#wall.push(...walls)
      return
    }
    const at = firstAfter(Float64Array.from(this.#seq), seqs[0] - 1)
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

/** How many of ascending numbers are at most `value`. */
export function countUpTo(numbers: ArrayLike<number>, value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** The marks of the recordings that were asked about last. */
export class MarksCache {
  readonly #sql: ReviewSql
  readonly #kept = new Map<string, TimeMarks>()

  constructor(sql: ReviewSql) {
    this.#sql = sql
  }

  /** Up to date; throws `not-found`. */
  of(key: ReviewedRecording['key']): TimeMarks {
    const recording = this.#sql.recording(key)
    let marks = this.#kept.get(key)
    if (marks === undefined) marks = new TimeMarks(this.#sql, recording)
    this.#kept.delete(key)
    this.#kept.set(key, marks)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= 400) break
      this.#kept.delete(oldest)
    }
    marks.update()
    return marks
  }
}
