/** Rows of several blocks in one order, as tick columns. */
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import type { OpenBlock } from '../blocks/open-block.ts'
import type { BatchNumbers, LiteralWriter, RowSymbols, TickColumns } from '../types/ticks.ts'

export const BATCH_ROWS = 4096

export class MergedTicks implements TickColumns {
  readonly session: SessionId
  count = 0
  readonly #blocks: OpenBlock[] = []
  readonly #ids = new Map<OpenBlock, number>()
  readonly #which = new Uint16Array(BATCH_ROWS)
  readonly #rows = new Uint32Array(BATCH_ROWS)
  #using = 0
  #cache: {
    seq?: Float64Array
    recvMs?: Float64Array
    eventMs?: Float64Array
    flags?: Uint8Array
    conn?: Uint32Array
    connSeq?: Uint32Array
    keys?: readonly string[]
  } = {}

  constructor(session: SessionId) {
    this.session = session
  }

  /** Sets the block of the rows added next. */
  use(block: OpenBlock): void {
    const known = this.#ids.get(block)
    this.#using = known ?? this.#blocks.push(block) - 1
    if (known === undefined) this.#ids.set(block, this.#using)
  }

  add(row: number): void {
    this.#which[this.count] = this.#using
    this.#rows[this.count++] = row
  }

  get feed(): FeedId {
    return this.#blocks[0].feed // called only for batches with rows
  }
  get seq(): Float64Array {
    return (this.#cache.seq ??= this.#gather((b) => b.seq))
  }
  get recvMs(): Float64Array {
    return (this.#cache.recvMs ??= this.#gather((b) => b.recvMs))
  }
  get eventMs(): Float64Array {
    return (this.#cache.eventMs ??= this.#gather((b) => b.eventMs))
  }
  get flags(): Uint8Array {
    return (this.#cache.flags ??= Uint8Array.from(this.#gather((b) => b.flags)))
  }
  get conn(): Uint32Array {
    return (this.#cache.conn ??= Uint32Array.from(this.#gather((b) => b.conn)))
  }
  get connSeq(): Uint32Array {
    return (this.#cache.connSeq ??= Uint32Array.from(this.#gather((b) => b.connSeq)))
  }
  get keys(): readonly string[] {
    return (this.#cache.keys ??= [...new Set(this.#blocks.flatMap((b) => [...b.keys]))])
  }
  get symbols(): RowSymbols | undefined {
    const names = this.#blocks.flatMap(({ onlySymbol }) => onlySymbol ?? [])
    return names.length === this.#blocks.length ? { names, which: this.#which } : undefined
  }
  symbol(row: number): string {
    return this.#block(row).symbol(this.#rows[row])
  }
  column(key: string): Float64Array {
    return this.#gather((b) => b.column(key))
  }
  literal(key: string, row: number): string {
    return this.#block(row).literal(key, this.#rows[row])
  }
  writer(key: string): LiteralWriter {
    const writers = this.#blocks.map((b) => b.writer(key))
    const gatherNumbers = (): BatchNumbers => {
      const all = writers.map((writer) => writer.numbers)
      const values = new Float64Array(this.count)
      const forms = new Uint8Array(this.count)
      for (let i = 0; i < this.count; i++) {
        const own = all[this.#which[i]]
        values[i] = own.values[this.#rows[i]]
        forms[i] = typeof own.forms === 'number' ? own.forms : own.forms[this.#rows[i]]
      }
      return { values, forms }
    }
    let numbers: BatchNumbers | undefined
    return {
      maxBytes: Math.max(...writers.map((w) => w.maxBytes)),
      write: (row, out, at) => writers[this.#which[row]].write(this.#rows[row], out, at),
      get numbers() {
        return (numbers ??= gatherNumbers())
      },
    }
  }
  raw(row: number): Uint8Array {
    return this.#block(row).raw(this.#rows[row])
  }

  #block(row: number): OpenBlock {
    const block = this.#blocks[this.#which[row]]
    if (block === undefined || row >= this.count) throw new RangeError(`row ${row} of ${this.count}`)
    return block
  }

  #gather(of: (block: OpenBlock) => Float64Array | Uint32Array | Uint8Array): Float64Array {
    const columns = this.#blocks.map(of)
    const out = new Float64Array(this.count)
    for (let i = 0; i < this.count; i++) out[i] = columns[this.#which[i]][this.#rows[i]]!
    return out
  }
}
