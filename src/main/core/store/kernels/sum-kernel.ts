/**
 * The WebAssembly that sums up columns of differences, eight at a time. `read-ints.ts` has the same in JavaScript for short
 * runs and differences of more bits.
 */
import { f64, func, i32, loopWhile, ModuleBuilder, v128, when } from '../../../base/wasm/assemble.ts'

/** Most values of a call. */
export const MAX_VALUES = 8192
/** Most values that are summed up as 32-bit integers. */
export const SHORT_RUN = 1024

/** Bytes that are read and written after the last value. */
const SLACK = 64
/** Fixed addresses. Address 0 isn't used. */
const ONES = SLACK
const TWOS = ONES + MAX_VALUES + SLACK
const OUT = TWOS + MAX_VALUES + SLACK
const PAGES = 2

/** Sums up `n` differences of one or two bytes from `ones` and `twos` on. */
export interface SumKernel {
  /** The differences' low bytes and high bytes. */
  readonly ones: Uint8Array
  readonly twos: Uint8Array
  readonly out: Float64Array
  /**
   * Writes the sums of the first `n` differences, each times `unit` plus `floor`, to `out`, and returns the last one. The sum of
   * SHORT_RUN of them must fit in 32 bits.
   */
  readonly sumBytes: (n: number, unit: number, floor: number, sum: number) => number
  readonly sumPairs: (n: number, unit: number, floor: number, sum: number) => number
}

const { of } = i32

function sumFunction(name: string, hasTwos: boolean): Parameters<ModuleBuilder['add']>[0] {
  return func({ name, parameters: ['i32', 'i32', 'i32', 'f64'] }, ([n, unit, floor, sum], frame) => {
    const [at, end, to] = frame.i32s(3)
    const [eight, low, high, carry, units, floors, base] = [
      frame.v128(),
      frame.v128(),
      frame.v128(),
      frame.v128(),
      frame.v128(),
      frame.v128(),
      frame.v128(),
    ]
    const zero = v128.all(0)
    /** Each lane becomes the sum of itself and those before it. */
    const summed = (of: typeof low): readonly (readonly number[])[] => [
      of.set(v128.add32(of, v128.pick32(zero, of, [0, 4, 5, 6]))),
      of.set(v128.add32(v128.add32(of, v128.pick32(zero, of, [0, 0, 4, 5])), carry)),
      carry.set(v128.pick32(of, of, [3, 3, 3, 3])),
    ]
    const written = (of: typeof low, offset: number): readonly (readonly number[])[] => [
      v128.store(to, v128.addF64(base, v128.doublesOf32(of)), OUT + offset),
      v128.store(to, v128.addF64(base, v128.doublesOf32(v128.pick32(of, of, [2, 3, 2, 3]))), OUT + offset + 16),
    ]
    const scaled = (lanes: ReturnType<typeof v128.mul32>): typeof lanes => v128.add32(v128.mul32(lanes, units), floors)
    return {
      code: [
        units.set(v128.splat32(unit)),
        floors.set(v128.splat32(floor)),
        loopWhile(i32.lt(at, n), [
          end.set(i32.add(at, of(SHORT_RUN))),
          when(i32.gt(end, n), [end.set(n)]),
          base.set(v128.splatF64(sum)),
          carry.set(zero),
          loopWhile(i32.lt(at, end), [
            eight.set(v128.widen8(v128.load64(at, ONES))),
            ...(hasTwos ? [eight.set(v128.or(eight, v128.shl16(v128.widen8(v128.load64(at, TWOS)), of(8))))] : []),
            low.set(scaled(v128.widenLow16(eight))),
            high.set(scaled(v128.widenHigh16(eight))),
            ...summed(low),
            ...summed(high),
            to.set(i32.shl(at, of(3))),
            ...written(low, 0),
            ...written(high, 32),
            at.set(i32.add(at, of(8))),
          ]),
          at.set(end),
          sum.set(f64.load(i32.shl(end, of(3)), OUT - 8)),
        ]),
      ],
      result: sum,
    }
  })
}

let kernel: SumKernel | null | undefined

/** The kernel of this thread; null where WebAssembly or its SIMD isn't available. */
export function sumKernel(): SumKernel | null {
  return kernel === undefined ? (kernel = createKernel()) : kernel
}

function createKernel(): SumKernel | null {
  const module = new ModuleBuilder()
  module.add(sumFunction('sumBytes', false))
  module.add(sumFunction('sumPairs', true))
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.build(PAGES)))
    // the module exports exactly these
    const { memory, sumBytes, sumPairs } = exports as { memory: WebAssembly.Memory } & Pick<
      SumKernel,
      'sumBytes' | 'sumPairs'
    >
    return {
      ones: new Uint8Array(memory.buffer, ONES, MAX_VALUES),
      twos: new Uint8Array(memory.buffer, TWOS, MAX_VALUES),
      out: new Float64Array(memory.buffer, OUT, MAX_VALUES),
      sumBytes,
      sumPairs,
    }
  } catch {
    return null
  }
}
