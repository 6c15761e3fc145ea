/** Arrays that one opened block after the other decodes into: fresh memory is what reading would cost most. */
export class BlockScratch {
  readonly #floats: Float64Array[] = []
  #used = 0

  /** All that was handed out may be handed out again. */
  reset(): void {
    this.#used = 0
  }

  /** `n` numbers of any values. */
  floats(n: number): Float64Array {
    const at = this.#used++
    let array = this.#floats[at]
    if (array === undefined || array.length < n) this.#floats[at] = array = new Float64Array(n)
    return array.length === n ? array : array.subarray(0, n)
  }
}
