/** Bursts on the tape: consecutive prints of one side, of the same event millisecond or a short time, as one row. Pure. */
import type { TradeSide } from '../../../shared/core/market/flow/side.ts'
import type { Print } from '../../../shared/core/market/market.ts'

/** The newest print of a burst, with the sum of the sizes. `prints`: how many there are, 1 for a single print. */
export interface TapeRow extends Print {
  readonly prints?: number
}

const isWithin = (firstMs: number, ms: number | null, withinMs: number): boolean =>
  ms === firstMs || (ms !== null && ms > firstMs && ms - firstMs < withinMs)

/** Joins bursts, oldest first. A print without a settled side stays alone. A row that didn't change is reused. */
export class Bursts {
  /** By first print. */
  #rows = new WeakMap<Print, TapeRow>()

  /** `withinMs`: how far after the first print the others of a burst may be, exclusive; 0: in its millisecond. */
  join(prints: readonly Print[], sideOf: (print: Print) => TradeSide | null, withinMs = 0): TapeRow[] {
    const rows: TapeRow[] = []
    for (let i = 0; i < prints.length;) {
      const first = prints[i]
      const side = sideOf(first)
      let end = i + 1
      if (side !== null && first.eventMs !== null)
        while (
          end < prints.length &&
          isWithin(first.eventMs, prints[end].eventMs, withinMs) &&
          sideOf(prints[end])?.side === side.side
        )
          end++
      rows.push(end === i + 1 ? first : this.#row(prints.slice(i, end)))
      i = end
    }
    return rows
  }

  #row(burst: readonly Print[]): TapeRow {
    const first = burst[0]
    const last = burst[burst.length - 1]
    const before = this.#rows.get(first)
    if (before !== undefined && before.prints === burst.length && before.seq === last.seq) return before
    const sizes = burst.flatMap(({ size }) => (size === null ? [] : [size]))
    // Sizes have at most eight decimals, which their sum as doubles may not have.
    const size = sizes.length === 0 ? null : Number(sizes.reduce((sum, one) => sum + one, 0).toFixed(8))
    const row = { ...last, size, prints: burst.length }
    this.#rows.set(first, row)
    return row
  }
}
