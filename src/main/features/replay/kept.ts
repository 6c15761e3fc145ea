/** Snapshots that a player took as it passed, so that going back a little costs little. */
import type { Checkpoint } from '../../core/playback/playback-state.ts'

const MAX = 48
const MAX_BYTES = 64 << 20

export class SavedStates {
  readonly #of = new Map<number, Checkpoint[]>()
  #bytes = 0
  #count = 0

  /** Keeps one of a part; one at the same seq is replaced. */
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

  /** The newest of a part at or before a seq and a replay time. */
  before(part: number, seq: number, ms = Infinity): Checkpoint | undefined {
    return this.#of.get(part)?.findLast((saved) => saved.seq <= seq && saved.timeMs <= ms)
  }

  /** The newest of all, or -Infinity: how far the last one lies behind. */
  newestSeq(part: number, seq: number): number {
    return this.before(part, seq)?.seq ?? -Infinity
  }

  /** Lets every second one go, of the part that has most. */
  #thin(): void {
    const [most] = [...this.#of.values()].sort((a, b) => b.length - a.length)
    if (most === undefined) return
    const saved = most.filter((_one, i) => i % 2 === 1)
    for (const one of most) if (!saved.includes(one)) this.#bytes -= one.data.byteLength
    this.#count -= most.length - saved.length
    most.splice(0, most.length, ...saved)
  }
}
