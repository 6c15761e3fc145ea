/** The column of sizes of a tape: as many decimals as the shown sizes have, and no wider than they need. */
import type { Tape } from './tape.svelte.ts'

/** Rows that are measured: as many as fit on a screen. */
const MEASURED = 40
const MAX_DECIMALS = 6

/** Create it during component initialization. Neither value shrinks until the tape shows something else. */
export class SizeColumn {
  decimals = $state(0)
  /** Characters of the longest size. */
  length = $state(0)

  constructor(tape: () => Pick<Tape, 'ready' | 'count' | 'at'>, textOf: (size: number, decimals: number) => string) {
    $effect(() => {
      const shown = tape()
      // Until the first prints of another instrument arrive, the old ones are still on screen.
      if (!shown.ready) {
        this.decimals = this.length = 0
        return
      }
      for (let i = 0; i < Math.min(MEASURED, shown.count); i++) {
        const size = shown.at(i)?.size
        if (size === null || size === undefined) continue
        const decimals = Math.min(MAX_DECIMALS, (String(size).split('.')[1] ?? '').length)
        if (decimals > this.decimals) this.decimals = decimals
        this.length = Math.max(this.length, textOf(size, this.decimals).length)
      }
    })
  }
}
