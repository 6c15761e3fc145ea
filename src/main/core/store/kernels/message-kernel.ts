/**
 * The WebAssembly that compares messages with a template and reads their numbers. `parse-rows.ts` calls it, and leaves to
 * JavaScript whatever it doesn't match: more than 16 digits, exponents above 0, and numbers that can't be written back.
 */
import {
  done,
  f64,
  func,
  i32,
  loopWhile,
  ModuleBuilder,
  v128,
  when,
  type Code,
  type Expr,
} from '../../../base/wasm/assemble.ts'
import { MAX_DECIMALS, MAX_MANTISSA } from './literal.ts'

/** Most rows of a column. */
export const MAX_COLUMN_ROWS = 8192
/** Most columns. */
export const MAX_COLUMNS = 16
/** Most rows that are loaded at once, and most bytes of their text. */
const MAX_LOADED = 2048
const TEXT_BYTES = 1 << 20
/** Room for templates. */
const PLAN_BYTES = 1 << 17

/** Bytes that are read before and after a text. */
const SLACK = 32
const PAGE = 1 << 16
/** A part of a text and its mask, 16 bytes each. */
const CHUNK_BYTES = 32

/** Layout of a slot: the text before a number as chunks and its length, and where the number goes. All are 4 bytes. */
const SLOT_BYTES = 32
const SLOT = { chunks: 0, chunksEnd: 4, length: 8, mantissa: 12, form: 16, starts: 20, ends: 24 } as const

/** Fixed addresses. Address 0 isn't used. */
const AT = {
  /** 16 zeros, then 16 bytes of ones: loaded from `n` bytes on, the last `n` lanes are ones. */
  lastLanes: 16,
  /** Four digits as a number: 1000, 100, 10 and 1, twice, in lanes of 16 bits. */
  fours: 48,
  /** Two numbers of four digits as one of eight. */
  eights: 64,
  /** 1 for each byte that can be in a literal. */
  inLiteral: 80,
  /** Where each loaded row begins, and where the last one ends. */
  offsets: 336,
} as const
const PLANS_AT = AT.offsets + (MAX_LOADED + 1) * 4 + 12
const TEXT_AT = PLANS_AT + PLAN_BYTES + SLACK
const COLUMNS_AT = TEXT_AT + TEXT_BYTES + SLACK
const COLUMN_BYTES = MAX_COLUMN_ROWS * 17

const { of } = i32
const equals = (a: Expr<'i32'>, b: Expr<'i32'>): Expr<'i32'> => i32.eqz(i32.sub(a, b))
const any = (...conditions: readonly Expr<'i32'>[]): Expr<'i32'> => conditions.reduce((a, b) => i32.or(a, b))
const isDigit = (byte: Expr<'i32'>): Expr<'i32'> => i32.and(i32.gt(byte, of(47)), i32.lt(byte, of(58)))
/** Each byte minus "0". */
const digitsOf = (text: Expr<'v128'>): Expr<'v128'> => v128.add8(text, v128.all(0xd0d0d0d0 | 0))
/** Number of digits at an address, at most 16. */
const countDigits = (at: Expr<'i32'>): Expr<'i32'> =>
  i32.ctz(i32.sub(of(0x1ffff), v128.bits8(v128.below8(digitsOf(v128.load(at)), v128.all(0x0a0a0a0a)))))

/** The module's bytes. */
function messageModule(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder()
  /**
   * Reads rows while they match. `offset` and `end` are addresses in `offsets`, `plan` and `last` those of a template's first
   * and last slot; `delta` added to an offset is an address. Returns the address of the first offset that doesn't match.
   */
  module.add(
    func(
      { name: 'match', parameters: ['i32', 'i32', 'i32', 'i32', 'i32'] },
      ([offset, end, plan, last, delta], frame) => {
        const [at, to, slot, chunk, text, index, start, negative] = frame.i32s(8)
        const [whole, fraction, total, rest, next, stop, exponent, form] = frame.i32s(8)
        const [digits, value] = [frame.v128(), frame.f64()]
        const fail = done(offset)
        const skipText: readonly Code[] = [
          when(i32.gt(i32.add(at, i32.load(slot, SLOT.length)), to), [fail]),
          chunk.set(i32.load(slot, SLOT.chunks)),
          text.set(at),
          loopWhile(i32.lt(chunk, i32.load(slot, SLOT.chunksEnd)), [
            when(v128.anyBit(v128.and(v128.xor(v128.load(text), v128.load(chunk)), v128.load(chunk, 16))), [fail]),
            chunk.set(i32.add(chunk, of(CHUNK_BYTES))),
            text.set(i32.add(text, of(16))),
          ]),
          at.set(i32.add(at, i32.load(slot, SLOT.length))),
        ]
        const lastLanes = (count: Expr<'i32'>): Expr<'v128'> => v128.load(count, AT.lastLanes)
        const readNumber: readonly Code[] = [
          start.set(at),
          negative.set(equals(i32.load8(at), of(45))),
          at.set(i32.add(at, negative)),
          whole.set(countDigits(at)),
          rest.set(i32.add(at, whole)),
          next.set(i32.load8(rest)),
          fraction.set(of(0)),
          when(equals(next, of(46)), [
            fraction.set(countDigits(i32.add(rest, of(1)))),
            when(i32.eqz(fraction), [fail]),
            rest.set(i32.add(rest, i32.add(fraction, of(1)))),
            next.set(i32.load8(rest)),
          ]),
          total.set(i32.add(whole, fraction)),
          stop.set(rest),
          form.set(
            i32.or(
              fraction,
              i32.shl(i32.and(i32.ne(fraction, of(0)), equals(i32.load8(i32.sub(rest, of(1))), of(48))), of(7)),
            ),
          ),
          when(i32.and(equals(next, of(101)), equals(i32.load8(rest, 1), of(45))), [
            exponent.set(of(0)),
            stop.set(i32.add(rest, of(2))),
            next.set(i32.load8(stop)),
            loopWhile(i32.and(isDigit(next), i32.lt(exponent, of(MAX_DECIMALS))), [
              exponent.set(i32.add(i32.mul(exponent, of(10)), i32.sub(next, of(48)))),
              stop.set(i32.add(stop, of(1))),
              next.set(i32.load8(stop)),
            ]),
            exponent.set(i32.add(exponent, fraction)),
            when(
              any(
                i32.gt(exponent, of(MAX_DECIMALS)),
                equals(stop, i32.add(rest, of(2))),
                i32.gt(stop, i32.add(rest, of(5))),
              ),
              [fail],
            ),
            form.set(i32.or(exponent, of(64))),
          ]),
          when(
            any(
              i32.eqz(whole),
              i32.gt(total, of(16)),
              i32.gt(stop, to),
              i32.load8(next, AT.inLiteral),
              i32.and(i32.gt(whole, of(1)), equals(i32.load8(at), of(48))),
            ),
            [fail],
          ),
          // the digits end in the last lane, without the point between them
          digits.set(
            v128.pickBits(
              v128.load(i32.sub(rest, of(16))),
              v128.load(i32.sub(i32.add(at, total), of(16))),
              lastLanes(fraction),
            ),
          ),
          digits.set(v128.and(digitsOf(digits), lastLanes(total))),
          ...asNumbers(digits, frame.v128()),
          value.set(
            f64.add(f64.mul(f64.ofI32(v128.lane32(digits, 0)), f64.of(1e8)), f64.ofI32(v128.lane32(digits, 2))),
          ),
          when(any(f64.lt(f64.of(MAX_MANTISSA), value), i32.and(negative, f64.lt(value, f64.of(1)))), [fail]),
          f64.store(
            i32.add(i32.load(slot, SLOT.mantissa), i32.shl(index, of(3))),
            f64.mul(value, f64.ofI32(i32.sub(of(1), i32.shl(negative, of(1))))),
          ),
          i32.store8(i32.add(i32.load(slot, SLOT.form), index), form),
          i32.store(i32.add(i32.load(slot, SLOT.starts), i32.shl(index, of(2))), i32.sub(start, delta)),
          i32.store(i32.add(i32.load(slot, SLOT.ends), i32.shl(index, of(2))), i32.sub(stop, delta)),
          at.set(stop),
        ]
        return {
          code: [
            loopWhile(i32.lt(offset, end), [
              at.set(i32.add(i32.load(offset), delta)),
              to.set(i32.add(i32.load(offset, 4), delta)),
              slot.set(plan),
              loopWhile(i32.lt(slot, last), [...skipText, ...readNumber, slot.set(i32.add(slot, of(SLOT_BYTES)))]),
              ...skipText,
              when(i32.ne(at, to), [fail]),
              index.set(i32.add(index, of(1))),
              offset.set(i32.add(offset, of(4))),
            ]),
          ],
          result: offset,
        }
      },
    ),
  )
  return module.build(1)
}

/** Makes two numbers of eight digits from 16 bytes, in lanes 0 and 2 of 32 bits. */
function asNumbers(
  digits: ReturnType<Parameters<Parameters<typeof func>[1]>[1]['v128']>,
  above: typeof digits,
): readonly Code[] {
  const weights = (at: number): Expr<'v128'> => v128.load(of(0), at)
  return [
    above.set(v128.dot16(v128.widen8(digits), weights(AT.fours))),
    digits.set(v128.dot16(v128.widenHigh8(digits), weights(AT.fours))),
    digits.set(
      v128.mul32(
        v128.add32(v128.pick32(above, digits, [0, 2, 4, 6]), v128.pick32(above, digits, [1, 3, 5, 7])),
        weights(AT.eights),
      ),
    ),
    digits.set(v128.add32(digits, v128.pick32(digits, digits, [1, 0, 3, 2]))),
  ]
}

/** The numbers of a column: each one's digits, its decimals and `FORM` bits, and where its text begins and ends. */
export interface NumberBuffers {
  readonly mantissa: Float64Array
  readonly form: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

type MatchFunction = (offset: number, end: number, plan: number, last: number, delta: number) => number

let compiled: WebAssembly.Module | undefined

/** Creates a kernel with memory of its own; null where WebAssembly, its SIMD or room for its memory isn't available. */
export function createMessageKernel(): MessageKernel | null {
  try {
    compiled ??= new WebAssembly.Module(messageModule())
    return new MessageKernel(compiled)
  } catch {
    return null
  }
}

/** Reads the numbers of messages into columns. */
export class MessageKernel {
  readonly columns: readonly NumberBuffers[]
  readonly #match: MatchFunction
  readonly #bytes: Uint8Array
  readonly #words: Uint32Array
  #planAt = PLANS_AT
  #loaded = 0
  #delta = 0

  constructor(module: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(module)
    // `messageModule` exports exactly these two
    const { memory, match } = exports as { memory: WebAssembly.Memory; match: MatchFunction }
    memory.grow(Math.ceil((COLUMNS_AT + MAX_COLUMNS * COLUMN_BYTES) / PAGE) - 1)
    const { buffer } = memory
    this.#match = match
    this.#bytes = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
    this.columns = Array.from({ length: MAX_COLUMNS }, (_, i) => {
      const at = COLUMNS_AT + i * COLUMN_BYTES
      return {
        mantissa: new Float64Array(buffer, at, MAX_COLUMN_ROWS),
        starts: new Uint32Array(buffer, at + 8 * MAX_COLUMN_ROWS, MAX_COLUMN_ROWS),
        ends: new Uint32Array(buffer, at + 12 * MAX_COLUMN_ROWS, MAX_COLUMN_ROWS),
        form: new Uint8Array(buffer, at + 16 * MAX_COLUMN_ROWS, MAX_COLUMN_ROWS),
      }
    })
    this.#bytes.fill(255, AT.lastLanes + 16, AT.lastLanes + 32)
    new Int16Array(buffer, AT.fours, 8).set([1000, 100, 10, 1, 1000, 100, 10, 1])
    new Int32Array(buffer, AT.eights, 4).set([10_000, 1, 10_000, 1])
    for (const c of Buffer.from('0123456789+-.eE', 'latin1')) this.#bytes[AT.inLiteral + c] = 1
  }

  /** Forgets all templates. */
  clear(): void {
    this.#planAt = PLANS_AT
    this.#loaded = 0
  }

  /**
   * Adds a template whose numbers go to these columns. Returns its number for `match`; undefined if it has no room, or has a
   * column twice.
   */
  addTemplate(parts: readonly Uint8Array[], columns: readonly number[]): number | undefined {
    const chunks = parts.reduce((sum, { length }) => sum + Math.ceil(length / 16), 0)
    const size = parts.length * SLOT_BYTES + chunks * CHUNK_BYTES
    if (this.#planAt + size > PLANS_AT + PLAN_BYTES) return undefined
    if (columns.some((c) => c >= MAX_COLUMNS) || new Set(columns).size < columns.length) return undefined
    const plan = this.#planAt
    let at = plan + parts.length * SLOT_BYTES
    for (const [s, part] of parts.entries()) {
      const slot = (plan + s * SLOT_BYTES) >> 2
      this.#words[slot + SLOT.chunks / 4] = at
      for (let i = 0; i < part.length; i += 16) {
        const chunk = part.subarray(i, i + 16)
        this.#bytes.fill(0, at, at + CHUNK_BYTES).set(chunk, at)
        this.#bytes.fill(255, at + 16, at + 16 + chunk.length)
        at += CHUNK_BYTES
      }
      this.#words[slot + SLOT.chunksEnd / 4] = at
      this.#words[slot + SLOT.length / 4] = part.length
    }
    this.#planAt = at
    return plan
  }

  /** Loads rows [from, to) for `match`. Returns the first row that wasn't loaded; `from` if that one is too long. */
  load(bytes: Uint8Array, offsets: Uint32Array, from: number, to: number): number {
    let end = Math.min(to, from + MAX_LOADED)
    while (end > from && offsets[end] - offsets[from] > TEXT_BYTES) end = from + ((end - from) >> 1)
    this.#loaded = end - from
    this.#delta = TEXT_AT - offsets[from]
    this.#bytes.set(bytes.subarray(offsets[from], offsets[end]), TEXT_AT)
    this.#words.set(offsets.subarray(from, end + 1), AT.offsets >> 2)
    return end
  }

  /**
   * Reads the numbers of loaded rows from number `first` on into `columns`, each from place `counts` of its column on, while the
   * rows match a template. Returns how many do.
   */
  match(template: number, first: number, columns: readonly number[], counts: (column: number) => number): number {
    let slot = template >> 2
    for (const column of columns) {
      const at = COLUMNS_AT + column * COLUMN_BYTES
      const count = counts(column)
      this.#words[slot + SLOT.mantissa / 4] = at + 8 * count
      this.#words[slot + SLOT.starts / 4] = at + 8 * MAX_COLUMN_ROWS + 4 * count
      this.#words[slot + SLOT.ends / 4] = at + 12 * MAX_COLUMN_ROWS + 4 * count
      this.#words[slot + SLOT.form / 4] = at + 16 * MAX_COLUMN_ROWS + count
      slot += SLOT_BYTES / 4
    }
    const from = AT.offsets + 4 * first
    const last = template + columns.length * SLOT_BYTES
    return (this.#match(from, AT.offsets + 4 * this.#loaded, template, last, this.#delta) - from) / 4
  }
}
