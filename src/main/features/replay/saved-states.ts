/** Checkpoints that a player takes as it plays, so that going back a little is fast. */
import type { Checkpoint } from '../../core/playback/playback-state.ts'

const MAX = 48
const MAX_BYTES = 64 << 20

export class SavedStates {
  readonly #of = new Map<number, Checkpoint[]>()
  #bytes = 0
  #count = 0

  /** Saves a checkpoint of a part, unless one at the same seq exists. Thins the others if there are too many. */
  add(part: number, saved: Checkpoint): void {
    const list = this.#of.get(part) ?? []
    this.#of.set(part, list)
    const at = list.findIndex(({ seq }) => seq >= saved.seq)
    if (at >= 0 && list[at].seq === saved.seq) return
    list.splice(at < 0 ? list.length : at, 0, saved)
    this.#bytes += saved.data.byteLength
    this.#count += 1
    while ((this.#count > MAX || this.#bytes > MAX_BYTES) && this.#count > 1) this.#thin()
  }

  /** The part's newest checkpoint at or before a seq and a replay time (UTC ms). */
  before(part: number, seq: number, ms = Infinity): Checkpoint | undefined {
    return this.#of.get(part)?.findLast((saved) => saved.seq <= seq && saved.timeMs <= ms)
  }

  /** Seq of the part's newest checkpoint at or before `seq`, or -Infinity. */
  newestSeq(part: number, seq: number): number {
    return this.before(part, seq)?.seq ?? -Infinity
  }

  /** Removes every other checkpoint of the part that has the most. */
  #thin(): void {
    const [most] = [...this.#of.values()].sort((a, b) => b.length - a.length)
    if (most === undefined) return
    const saved = most.filter((_one, i) => i % 2 === 1)
    for (const one of most) if (!saved.includes(one)) this.#bytes -= one.data.byteLength
    this.#count -= most.length - saved.length
    most.splice(0, most.length, ...saved)
  }
}
