/**
 * The numbers that records are compared with, of all watches side by side in one array: a few lines of it stay near
 * the processor where as many objects would not.
 */

/** An array that another takes the place of when it grows: look it up anew after anything that may add to it. */
export interface Numbers {
  values: Float64Array
}

/** Rows of one length. */
export class Cells implements Numbers {
  values: Float64Array
  readonly #length: number
  #end = 0
  readonly #free: number[] = []
  #left: number[] = []

  constructor(length: number) {
    this.#length = length
    this.values = new Float64Array(length * 16)
  }

  /** Where a row begins that nobody has. */
  take(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    const row = this.#end
    this.#end += this.#length
    if (this.#end > this.values.length) {
      const more = new Float64Array(this.values.length * 2)
      more.set(this.values)
      this.values = more
    }
    return row
  }

  /** Nobody looks at a row any more once `sweep` is called. */
  leave(row: number): void {
    this.#left.push(row)
  }

  /** Rows that were left may be taken: call where no record is being measured. */
  sweep(): void {
    if (this.#left.length === 0) return
    this.#free.push(...this.#left)
    this.#left = []
  }
}
