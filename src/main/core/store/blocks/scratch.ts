/** Arrays reused from one open block to the next, because allocating memory is the most expensive part of reading. */
export class BlockScratch {
  readonly #floats: Float64Array[] = []
  #used = 0

  /** Makes all arrays available again. */
  reset(): void {
    this.#used = 0
  }

  /** Returns an array of `n` numbers with arbitrary content. */
  floats(n: number): Float64Array {
    const at = this.#used++
    let array = this.#floats[at]
    if (array === undefined || array.length < n) this.#floats[at] = array = new Float64Array(n)
    return array.length === n ? array : array.subarray(0, n)
  }
}
