/** How old the oldest of what waits is: seqs with the time at which they were stored, in bounded memory. Pure. */

interface Mark {
  readonly seq: number
  readonly atMs: number
}

/** Marks kept at most: then every second one is dropped, and the next ones are twice as far apart. */
const MOST_MARKS = 256

export class AgeMarks {
  /** By seq. Each stands for everything up to it since the one before. */
  #marks: Mark[] = []
  readonly #firstStepMs: number
  #stepMs: number

  /** `stepMs`: how exactly ages are known at first. With ten times as many marks as fit, they are known ten times less exactly. */
  constructor(stepMs: number) {
    this.#firstStepMs = stepMs
    this.#stepMs = stepMs
  }

  /** Something was stored up to `seq`. Seqs and times rise. */
  add(seq: number, atMs: number): void {
    const last = this.#marks.at(-1)
    if (last !== undefined && atMs - last.atMs < this.#stepMs) return
    this.#marks.push({ seq, atMs })
    if (this.#marks.length <= MOST_MARKS) return
    this.#stepMs *= 2
    // The oldest one stays: it is the age.
    this.#marks = this.#marks.filter((_, i) => i % 2 === 0)
  }

  /** When the oldest was stored that is behind `seq`; null: nothing that is known of waits. Forgets what is before it. */
  oldestAfter(seq: number): number | null {
    const done = this.#marks.findIndex((mark) => mark.seq > seq)
    this.#marks = done === -1 ? [] : this.#marks.slice(done)
    if (this.#marks.length === 0) this.#stepMs = this.#firstStepMs
    return this.#marks[0]?.atMs ?? null
  }
}
