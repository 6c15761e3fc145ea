/** Writes the texts of a batch's messages, or their lines, many at a time in WebAssembly. */
import { createRowWriter, type NumberStep, type RowWriter } from '../kernels/row-writer.ts'
import type { TextRows } from '../blocks/open-block.ts'
import { hasBreak, LINE } from './message-line.ts'

/** Most rows of a batch. */
export const MAX_ROWS = 8192
/** Most numbers of a message; with more, it is written in JavaScript. */
const MAX_NUMBERS = 16
/** Columns after those of the messages' own numbers. */
const RECV = MAX_NUMBERS
const SEQ = MAX_NUMBERS + 1
/** Most numbers of all templates together. */
const MAX_STEPS = 16_384

const kernels = new Map<boolean, TextKernel | null>()

/** The kernel of this thread, for one batch at a time; null where WebAssembly or its SIMD isn't available. */
export function textKernel(areLines: boolean): TextKernel | null {
  let kernel = kernels.get(areLines)
  if (kernel === undefined) kernels.set(areLines, (kernel = createKernel(areLines)))
  return kernel
}

function createKernel(areLines: boolean): TextKernel | null {
  const columns = MAX_NUMBERS + 2
  const writer = createRowWriter({ columns, steps: [], separator: 0, maxCells: 0, rows: MAX_ROWS, ownSteps: MAX_STEPS })
  return writer === null ? null : new TextKernel(writer, areLines)
}

export class TextKernel implements TextRows {
  round: object = {}
  readonly #writer: RowWriter
  readonly #areLines: boolean
  readonly #span = { first: Infinity, last: -Infinity }

  constructor(writer: RowWriter, areLines: boolean) {
    this.#writer = writer
    this.#areLines = areLines
  }

  get numbers(): RowWriter['columns'] {
    return this.#writer.columns
  }

  get templates(): Uint16Array {
    return this.#writer.starts
  }

  get isSingle(): Uint8Array {
    return this.#writer.flags
  }

  /** Begins a batch of at most `count` rows. */
  begin(count: number): void {
    this.isSingle.fill(0, 0, count)
    // What a batch adds has room in the other half, unless it has a lot of templates. Those are written in JavaScript.
    if (this.#writer.fullness < 0.5) return
    this.#writer.clearStarts()
    this.round = {}
  }

  addTemplate(feed: number, parts: readonly Uint8Array[]): number | undefined {
    if (parts.length > MAX_NUMBERS + 1) return undefined
    const steps = parts.slice(1).map((text, column): NumberStep => ({ is: 'number', column, text }))
    if (!this.#areLines) return this.#writer.addStart(parts[0], steps)
    if (parts.some(hasBreak)) return undefined
    const before: readonly NumberStep[] = [
      { is: 'number', column: RECV, text: LINE.seq },
      { is: 'number', column: SEQ, text: Buffer.concat([LINE.message, parts[0]]) },
    ]
    const all = [...before, ...steps]
    const last = all[all.length - 1]
    all[all.length - 1] = { ...last, text: Buffer.concat([last.text, LINE.end]) }
    return this.#writer.addStart(LINE.feeds[feed], all)
  }

  /** Takes what lines have besides the messages. */
  setStamps(recvMs: Float64Array, seq: Float64Array): void {
    this.#writer.columns[RECV].values.set(recvMs)
    this.#writer.columns[SEQ].values.set(seq)
  }

  /**
   * Writes rows [row, end) in order until its memory is full or it can't write one; then `isStuck`. `text` and `ends`, which
   * count from `outAt`, are valid until the next call.
   */
  write(row: number, end: number): { readonly row: number; readonly text: Uint8Array; readonly isStuck: boolean } {
    return this.#writer.write(row, end, 0, RECV, this.#span)
  }

  get ends(): Uint32Array {
    return this.#writer.ends
  }

  get outAt(): number {
    return this.#writer.outAt
  }
}
