/** Orders the rows of many blocks by seq. */
import { corruptBlock } from '../blocks/bytes.ts'
import { ArrayScratch, type OpenBlock } from '../blocks/open-block.ts'

/** Rows of a block, ascending. */
export interface SelectedRows {
  readonly block: OpenBlock
  readonly rows: Uint32Array | { readonly from: number; readonly to: number }
}

export const rowAt = ({ rows }: SelectedRows, at: number): number =>
  rows instanceof Uint32Array ? rows[at] : rows.from + at
export const rowCount = ({ rows }: SelectedRows): number =>
  rows instanceof Uint32Array ? rows.length : rows.to - rows.from

/** Rows that a window should have: enough that blocks cost little per window, few enough that they stay in a core's cache. */
const MIN_ROWS = 4096
const MAX_ROWS = 16_384
const MAX_WINDOW = 1 << 18

/** Rows of a block in a window, entries [from, to) of `OrderedRows`. */
export interface Segment {
  readonly block: OpenBlock
  readonly from: number
  readonly to: number
}

/**
 * The rows of a window, segment by segment: each one's row in its block and its place in the window's order. Columns are put in
 * order by reading each block's from its first row to its last, which is faster than going from row to row.
 */
export interface OrderedRows {
  readonly segments: readonly Segment[]
  readonly rows: Uint32Array
  readonly places: Uint32Array
  /** In order. */
  readonly seq: Float64Array
}

/**
 * Marks each row's place in a window of seqs instead of comparing rows with each other: the seqs of a session have no gaps, so
 * the window is about as long as its rows are many, or longer by as much as other feeds have. One window at a time.
 */
export class SeqOrder {
  #window = MAX_ROWS
  /** Whether a seq of the window has a row, and the number of rows before it. */
  #isTaken = new Uint8Array(MAX_ROWS)
  #before = new Uint32Array(MAX_ROWS)
  #rows = new Uint32Array(MAX_ROWS)
  /** Distance of each row's seq from the window's first one. */
  #distances = new Uint32Array(MAX_ROWS)
  #from = 0
  #count = 0
  #segments: Segment[] = []
  readonly #scratch: ArrayScratch | undefined

  /** With `scratch`, a window's arrays are used only until the next window begins. */
  constructor(scratch?: ArrayScratch) {
    this.#scratch = scratch
  }

  /** Begins a window at a seq. Returns the seq after its last one. */
  begin(from: number): number {
    if (this.#isTaken.length < this.#window) {
      this.#isTaken = new Uint8Array(this.#window)
      this.#before = new Uint32Array(this.#window)
      this.#rows = new Uint32Array(this.#window)
      this.#distances = new Uint32Array(this.#window)
    }
    this.#scratch?.reset()
    this.#from = from
    this.#count = 0
    this.#segments = []
    return from + this.#window
  }

  /**
   * Adds rows from number `at` on that are in the window. Returns the number of the first one after it. Throws
   * `store-damaged` if there are more rows than seqs, or a seq isn't after the window's first one.
   */
  add(selected: SelectedRows, at: number): number {
    const { seq } = selected.block
    const from = this.#from
    const until = from + this.#window
    const isTaken = this.#isTaken
    const rows = this.#rows
    const distances = this.#distances
    const n = Math.min(rowCount(selected), at + this.#window - this.#count)
    const first = this.#count
    let k = first
    for (let i = at; i < n; i++) {
      const row = rowAt(selected, i)
      const next = seq[row]
      if (!(next < until)) break
      const distance = next - from
      isTaken[distance] = 1
      rows[k] = row
      distances[k++] = distance
    }
    if (k === first) throw notOfASession()
    this.#count = k
    this.#segments.push({ block: selected.block, from: first, to: k })
    return at + k - first
  }

  /** The window's rows in order. Throws `store-damaged` if two of them have the same seq, or don't ascend in their block. */
  end(): OrderedRows {
    const count = this.#count
    const size = this.#window
    const isTaken = this.#isTaken
    const before = this.#before
    const distances = this.#distances
    const scratch = this.#scratch ?? new ArrayScratch()
    const seq = scratch.floats(count)
    let n = 0
    for (let distance = 0; distance < size; distance++) {
      // Without a branch: whether a seq is of this feed can't be predicted. What is written past the end is ignored.
      before[distance] = n
      seq[n] = this.#from + distance
      n += isTaken[distance]
    }
    isTaken.fill(0, 0, size)
    if (n !== count) throw notOfASession()
    const places = scratch.ints(count)
    for (let k = 0; k < count; k++) places[k] = before[distances[k]]!
    if (n < MIN_ROWS) this.#window = Math.min(MAX_WINDOW, size * 2)
    else if (n > MAX_ROWS) this.#window = Math.ceil(size / 2)
    const rows = scratch.ints(count)
    rows.set(this.#rows.subarray(0, count))
    return { segments: this.#segments, rows, places, seq }
  }
}

const notOfASession = (): Error => corruptBlock('its seqs aren’t those of a session')
