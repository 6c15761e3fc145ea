/** Snapshots that a player took as it passed, so that going back a little costs little. */
import type { Checkpoint } from '../../core/playback/playback-state.ts'

const MOST = 48
const MOST_BYTES = 64 << 20

export class KeptSnapshots {
  readonly #of = new Map<number, Checkpoint[]>()
  #bytes = 0
  #count = 0

  /** Keeps one of a part; one at the same seq is replaced. */
  add(part: number, kept: Checkpoint): void {
    const list = this.#of.get(part) ?? []
    this.#of.set(part, list)
    const at = list.findIndex(({ seq }) => seq >= kept.seq)
    if (at >= 0 && list[at].seq === kept.seq) return
    list.splice(at < 0 ? list.length : at, 0, kept)
    this.#bytes += kept.data.byteLength
    this.#count += 1
    while ((this.#count > MOST || this.#bytes > MOST_BYTES) && this.#count > 1) this.#thin()
  }

  /** The newest of a part at or before a seq and a replay time. */
  before(part: number, seq: number, ms = Infinity): Checkpoint | undefined {
    return this.#of.get(part)?.findLast((kept) => kept.seq <= seq && kept.timeMs <= ms)
  }

  /** The newest of all, or -Infinity: how far the last one lies behind. */
  newestSeq(part: number, seq: number): number {
    return this.before(part, seq)?.seq ?? -Infinity
  }

  /** Lets every second one go, of the part that has most. */
  #thin(): void {
    const [most] = [...this.#of.values()].sort((a, b) => b.length - a.length)
    if (most === undefined) return
    const kept = most.filter((_one, i) => i % 2 === 1)
    for (const one of most) if (!kept.includes(one)) this.#bytes -= one.data.byteLength
    this.#count -= most.length - kept.length
    most.splice(0, most.length, ...kept)
  }
}
