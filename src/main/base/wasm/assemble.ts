/**
 * Assembles small WebAssembly modules from expressions, for loops that JavaScript runs several times slower. No compiler has to
 * be installed, and nothing has to be built before the sources run (docs/decisions/0120-webassembly-from-typescript.md).
 */

export type ValueType = 'i32' | 'i64' | 'f64' | 'v128'

/** Code that leaves one value on the stack. */
export interface Expr<T extends ValueType> {
  readonly type: T
  readonly code: Code
}

/** Code that leaves nothing on the stack. */
export type Code = readonly number[]

/** A variable of a function, or a parameter. */
export interface Local<T extends ValueType> extends Expr<T> {
  set(value: Expr<T>): Code
}

const TYPES: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b }

/** An unsigned integer, seven bits a byte. */
function unsigned(value: number): number[] {
  const out: number[] = []
  let rest = value
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return [...out, rest]
}

/** A signed integer, seven bits a byte. */
function signed(value: bigint): number[] {
  const out: number[] = []
  let rest = value
  for (;;) {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    if ((rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)) return [...out, low]
    out.push(low | 0x80)
  }
}

const expr = <T extends ValueType>(type: T, ...code: readonly Code[]): Expr<T> => ({ type, code: code.flat() })

const SIMD = 0xfd
const simd = (code: number): Code => [SIMD, ...unsigned(code)]

/** An instruction with one operand. */
const unary =
  <A extends ValueType, R extends ValueType>(type: R, ...op: Code) =>
  (a: Expr<A>): Expr<R> =>
    expr(type, a.code, op)

/** An instruction with two operands. */
const binary =
  <A extends ValueType, R extends ValueType, B extends ValueType = A>(type: R, ...op: Code) =>
  (a: Expr<A>, b: Expr<B>): Expr<R> =>
    expr(type, a.code, b.code, op)

/** A load at an address plus a constant. Nothing is assumed about alignment. */
const load =
  <T extends ValueType>(type: T, ...op: Code) =>
  (at: Expr<'i32'>, offset = 0): Expr<T> =>
    expr(type, at.code, op, [0], unsigned(offset))

/** A store at an address plus a constant. Nothing is assumed about alignment. */
const store =
  <T extends ValueType>(...op: Code) =>
  (at: Expr<'i32'>, value: Expr<T>, offset = 0): Code => [...at.code, ...value.code, ...op, 0, ...unsigned(offset)]

export const i32 = {
  of: (value: number): Expr<'i32'> => expr('i32', [0x41], signed(BigInt(value))),
  add: binary<'i32', 'i32'>('i32', 0x6a),
  sub: binary<'i32', 'i32'>('i32', 0x6b),
  mul: binary<'i32', 'i32'>('i32', 0x6c),
  divU: binary<'i32', 'i32'>('i32', 0x6e),
  and: binary<'i32', 'i32'>('i32', 0x71),
  or: binary<'i32', 'i32'>('i32', 0x72),
  shl: binary<'i32', 'i32'>('i32', 0x74),
  shrU: binary<'i32', 'i32'>('i32', 0x76),
  eqz: unary<'i32', 'i32'>('i32', 0x45),
  ne: binary<'i32', 'i32'>('i32', 0x47),
  lt: binary<'i32', 'i32'>('i32', 0x48),
  gt: binary<'i32', 'i32'>('i32', 0x4a),
  ge: binary<'i32', 'i32'>('i32', 0x4e),
  clz: unary<'i32', 'i32'>('i32', 0x67),
  ctz: unary<'i32', 'i32'>('i32', 0x68),
  ofI64: unary<'i64', 'i32'>('i32', 0xa7),
  /** NaN and anything out of range saturate. */
  ofF64: unary<'f64', 'i32'>('i32', 0xfc, 2),
  ofF64Unsigned: unary<'f64', 'i32'>('i32', 0xfc, 3),
  load: load('i32', 0x28),
  load8: load('i32', 0x2d),
  load16: load('i32', 0x2f),
  store: store<'i32'>(0x36),
  store8: store<'i32'>(0x3a),
  store16: store<'i32'>(0x3b),
}

export const i64 = {
  of: (value: bigint): Expr<'i64'> => expr('i64', [0x42], signed(value)),
  sub: binary<'i64', 'i64'>('i64', 0x7d),
  mul: binary<'i64', 'i64'>('i64', 0x7e),
  divU: binary<'i64', 'i64'>('i64', 0x80),
  and: binary<'i64', 'i64'>('i64', 0x83),
  ofBits: unary<'f64', 'i64'>('i64', 0xbd),
  store: store<'i64'>(0x37),
}

export const f64 = {
  of: (value: number): Expr<'f64'> => expr('f64', [0x44], [...new Uint8Array(Float64Array.of(value).buffer)]),
  add: binary<'f64', 'f64'>('f64', 0xa0),
  sub: binary<'f64', 'f64'>('f64', 0xa1),
  mul: binary<'f64', 'f64'>('f64', 0xa2),
  div: binary<'f64', 'f64'>('f64', 0xa3),
  min: binary<'f64', 'f64'>('f64', 0xa4),
  max: binary<'f64', 'f64'>('f64', 0xa5),
  abs: unary<'f64', 'f64'>('f64', 0x99),
  ne: binary<'f64', 'i32'>('i32', 0x62),
  lt: binary<'f64', 'i32'>('i32', 0x63),
  ge: binary<'f64', 'i32'>('i32', 0x66),
  ofI32: unary<'i32', 'f64'>('f64', 0xb7),
  load: load('f64', 0x2b),
  store: store<'f64'>(0x39),
}

const shift = (op: number) => binary<'v128', 'v128', 'i32'>('v128', ...simd(op))
const lanes = (op: number) => binary<'v128', 'v128'>('v128', ...simd(op))

export const v128 = {
  load: load('v128', ...simd(0)),
  store: store<'v128'>(...simd(11)),
  and: lanes(78),
  or: lanes(80),
  xor: lanes(81),
  /** Bits of the first operand where the third has ones, of the second elsewhere. */
  pickBits: (a: Expr<'v128'>, b: Expr<'v128'>, mask: Expr<'v128'>): Expr<'v128'> =>
    expr('v128', a.code, b.code, mask.code, simd(82)),
  /** 1 if any bit is set. */
  anyBit: unary<'v128', 'i32'>('i32', ...simd(83)),
  /** Bytes of the first operand, picked by the indexes in the second. */
  pickBytes: lanes(14),
  /** Adds the products of neighboring 16-bit lanes into one 32-bit lane. */
  dot16: lanes(186),
  /** Four equal 32-bit lanes. */
  all: (lane: number): Expr<'v128'> =>
    expr('v128', simd(12), [...new Uint8Array(Int32Array.of(lane, lane, lane, lane).buffer)]),
  add8: lanes(110),
  ne8: lanes(36),
  /** All ones in each byte that is less than the other operand's, unsigned. */
  below8: lanes(38),
  /** The highest bit of each byte. */
  bits8: unary<'v128', 'i32'>('i32', ...simd(100)),
  sub16: lanes(145),
  mul16: lanes(149),
  shl16: shift(139),
  shr16: shift(141),
  splat32: unary<'i32', 'v128'>('v128', ...simd(17)),
  shl32: shift(171),
  shr32: shift(173),
  add32: lanes(174),
  mul32: lanes(181),
  /** Eight bytes, and eight zeros after them. */
  load64: load('v128', ...simd(93)),
  /** The first and the last eight bytes as 16-bit lanes. */
  widen8: unary<'v128', 'v128'>('v128', ...simd(137)),
  widenHigh8: unary<'v128', 'v128'>('v128', ...simd(138)),
  /** The first and the last four 16-bit lanes as 32-bit lanes. */
  widenLow16: unary<'v128', 'v128'>('v128', ...simd(169)),
  widenHigh16: unary<'v128', 'v128'>('v128', ...simd(170)),
  /** 32-bit lanes of two operands, picked by number: 0 to 3 of the first, 4 to 7 of the second. */
  pick32: (a: Expr<'v128'>, b: Expr<'v128'>, picked: readonly [number, number, number, number]): Expr<'v128'> =>
    expr(
      'v128',
      a.code,
      b.code,
      simd(13),
      picked.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]),
    ),
  /** The first two 32-bit lanes as doubles. */
  doublesOf32: unary<'v128', 'v128'>('v128', ...simd(254)),
  splatF64: unary<'f64', 'v128'>('v128', ...simd(20)),
  addF64: lanes(240),
  lane32: (a: Expr<'v128'>, lane: number): Expr<'i32'> => expr('i32', a.code, simd(27), [lane]),
  withLane32: (a: Expr<'v128'>, lane: number, value: Expr<'i32'>): Expr<'v128'> =>
    expr('v128', a.code, value.code, simd(28), [lane]),
  lane64: (a: Expr<'v128'>, lane: number): Expr<'i64'> => expr('i64', a.code, simd(29), [lane]),
}

const VOID = 0x40

/** Runs `then` if a condition isn't 0, `otherwise` if it is. */
export function when(condition: Expr<'i32'>, then: readonly Code[], otherwise: readonly Code[] = []): Code {
  const other = otherwise.length === 0 ? [] : [0x05, ...otherwise.flat()]
  return [...condition.code, 0x04, VOID, ...then.flat(), ...other, 0x0b]
}

/** Repeats `body` while a condition isn't 0. */
export function loopWhile(condition: Expr<'i32'>, body: readonly Code[]): Code {
  return [0x03, VOID, ...when(condition, [...body, [0x0c, 1]]), 0x0b]
}

/** Runs `body` at least once, and again while a condition isn't 0. */
export function loopUntilNot(body: readonly Code[], condition: Expr<'i32'>): Code {
  return [0x03, VOID, ...body.flat(), ...condition.code, 0x0d, 0, 0x0b]
}

/** Returns from the function. */
export const done = (value: Expr<ValueType>): Code => [...value.code, 0x0f]

/** A function that other functions of its module call, and JavaScript if it has a name. */
export interface Func<R extends ValueType> {
  readonly name: string | null
  readonly parameters: readonly ValueType[]
  readonly locals: readonly ValueType[]
  readonly body: Code
  readonly result: R
}

/** Gives a function its variables. */
export interface Frame {
  i32(): Local<'i32'>
  i32s(count: number): readonly Local<'i32'>[]
  i64(): Local<'i64'>
  f64(): Local<'f64'>
  v128(): Local<'v128'>
}

type Locals<P extends readonly ValueType[]> = { readonly [K in keyof P]: Local<P[K]> }

function local<T extends ValueType>(type: T, index: number): Local<T> {
  const at = unsigned(index)
  return { type, code: [0x20, ...at], set: (value) => [...value.code, 0x21, ...at] }
}

/** A function with parameters of some types; `write` returns its code and its result. */
export function func<R extends ValueType, const P extends readonly ValueType[]>(
  { name = null, parameters }: { readonly name?: string | null; readonly parameters: P },
  write: (parameters: Locals<P>, frame: Frame) => { readonly code: readonly Code[]; readonly result: Expr<R> },
): Func<R> {
  const locals: ValueType[] = []
  const make = <T extends ValueType>(type: T): Local<T> => local(type, parameters.length + locals.push(type) - 1)
  const frame: Frame = {
    i32: () => make('i32'),
    i32s: (count) => Array.from({ length: count }, () => make('i32')),
    i64: () => make('i64'),
    f64: () => make('f64'),
    v128: () => make('v128'),
  }
  // `map` keeps the order and number of types
  const given = parameters.map((type, i) => local(type, i)) as unknown as Locals<P>
  const { code, result } = write(given, frame)
  return { name, parameters, locals, body: [...code.flat(), ...result.code], result: result.type }
}

/** A module in the making: its functions get their numbers in the order in which they are added. */
export class ModuleBuilder {
  readonly #functions: Func<ValueType>[] = []

  /** Adds a function. Returns how to call it. */
  add<R extends ValueType>(made: Func<R>): (...values: readonly Expr<ValueType>[]) => Expr<R> {
    const index = this.#functions.push(made) - 1
    return (...values) =>
      expr(
        made.result,
        values.flatMap(({ code }) => code),
        [0x10, ...unsigned(index)],
      )
  }

  /** The bytes of the module. It exports its named functions, and its memory as `memory`. */
  build(pages: number): Uint8Array<ArrayBuffer> {
    const all = this.#functions
    const exported = all.flatMap(({ name }, i) => (name === null ? [] : [[...text(name), 0, ...unsigned(i)]]))
    return Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(
        1,
        all.map(({ parameters, result }) => [
          0x60,
          ...unsigned(parameters.length),
          ...parameters.map((type) => TYPES[type]),
          1,
          TYPES[result],
        ]),
      ),
      ...section(
        3,
        all.map((_, i) => unsigned(i)),
      ),
      ...section(5, [[0, ...unsigned(pages)]]),
      ...section(7, [[...text('memory'), 2, 0], ...exported]),
      ...section(
        10,
        all.map(({ locals, body }) => {
          const code = [...unsigned(locals.length), ...locals.flatMap((type) => [1, TYPES[type]]), ...body, 0x0b]
          return [...unsigned(code.length), ...code]
        }),
      ),
    ])
  }
}

const text = (name: string): Code => [...unsigned(name.length), ...Buffer.from(name, 'latin1')]

function section(id: number, entries: readonly Code[]): Code {
  const content = [...unsigned(entries.length), ...entries.flat()]
  return [id, ...unsigned(content.length), ...content]
}
