/**
 * The WebAssembly that writes rows of text: fixed text between numbers and times. `row-writer.ts` fills its memory and
 * calls it. Whatever is rare (numbers with exponents, times before 2001 or between milliseconds) it leaves to JavaScript.
 */
import {
  done,
  f64,
  func,
  i32,
  i64,
  loopUntilNot,
  loopWhile,
  ModuleBuilder,
  v128,
  when,
} from '../../../base/wasm/assemble.ts'
import { NUMBER_FORM, STYLE } from './number-form.ts'

/** What a step writes before its text. */
export const STEP = {
  /** A number of a column; nothing for NaN. */
  number: 0,
  /** A time as "ms<separator>ISO". */
  msAndIso: 1,
  /** A time in ISO 8601. */
  iso: 2,
} as const

/** Layout of a step: its kind and column, then the text after it. All are 4 bytes. */
export const STEP_BYTES = 24
export const STEP_AT = { kind: 0, values: 4, forms: 8, times: 12, text: 16, length: 20 } as const

/** Layout of a plan: the text before the first step, and the steps. All are 4 bytes. */
export const PLAN_BYTES = 16
export const PLAN_AT = { text: 0, length: 4, steps: 8, end: 12 } as const

/** Layout of the time last written: its second and day, and "1723161255___,2024-08-08T23:54:15.____". */
export const TIMES_BYTES = 80
export const TIMES_AT = { second: 0, day: 8, text: 16, iso: 30 } as const

/** Fixed addresses. Address 0 isn't used. */
export const AT = {
  /** What `rows` returns besides the next row: where its text ends, the count of rows, and the span of their times. */
  end: 16,
  written: 20,
  least: 24,
  greatest: 32,
  /** Bytes 0 to 31, the indexes that move bytes to the left. */
  indexes: 48,
  /** "00" to "99". */
  pairs: 80,
  /** "000Z" to "999Z". */
  millis: 288,
  /** The first free byte. */
  free: 4288,
} as const

/** Most bytes after a number or a text that are overwritten with anything. */
export const SLACK = 32

const { of } = i32
/** Four zeros as text. */
const ZEROS = 0x30303030
/** Doubles from here to twice as much have their whole part in their low bits. */
const WHOLE = 2 ** 52

/**
 * The digits of two whole numbers below 10^8, a byte each. Four digits at a time lie in a lane of 32 bits, then two in one
 * of 16, then each in its own byte. The multiplications divide by 100 and by 10; they are exact for values this small.
 */
const addDigits = (module: ModuleBuilder) =>
  module.add(
    func({ parameters: ['i32', 'i32'] }, ([above, below], frame) => {
      const [a, b] = frame.i32s(2)
      const [fours, hundreds, twos, ones] = [frame.v128(), frame.v128(), frame.v128(), frame.v128()]
      const { all } = v128
      return {
        code: [
          a.set(i32.divU(above, of(10_000))),
          b.set(i32.divU(below, of(10_000))),
          fours.set(
            v128.withLane32(
              v128.withLane32(v128.withLane32(v128.splat32(a), 1, i32.sub(above, i32.mul(a, of(10_000)))), 2, b),
              3,
              i32.sub(below, i32.mul(b, of(10_000))),
            ),
          ),
          hundreds.set(v128.shr32(v128.dot16(fours, all(5243)), of(19))),
          // x - 100 * (x / 100), as a product of two pairs
          twos.set(v128.dot16(v128.or(fours, v128.shl32(hundreds, of(16))), all((-100 << 16) | 1))),
          twos.set(v128.or(hundreds, v128.shl32(twos, of(16)))),
          ones.set(v128.shr16(v128.mul16(twos, all((103 << 16) | 103)), of(10))),
        ],
        result: v128.or(ones, v128.shl16(v128.sub16(twos, v128.mul16(ones, all((10 << 16) | 10))), of(8))),
      }
    }),
  )

const shown = (digits: Parameters<typeof v128.add8>[0]): typeof digits => v128.add8(digits, v128.all(ZEROS))
const moved = (from: Parameters<typeof v128.pickBytes>[0], by: ReturnType<typeof of>): typeof from =>
  v128.pickBytes(from, v128.load(by, AT.indexes))

/** Writes a number in a form. Returns the address after it, or -1 for JavaScript to write it. */
const addNumbers = (module: ModuleBuilder, digitsOf: ReturnType<typeof addDigits>) =>
  module.add(
    func({ parameters: ['i32', 'f64', 'i32'] }, ([to, given, form], frame) => {
      const [value, whole, digits] = [frame.f64(), frame.f64(), frame.v128()]
      const [bits, high] = [frame.i64(), frame.i64()]
      const [decimals, used, first, point, fraction] = frame.i32s(5)
      const isPython = i32.and(form, of(NUMBER_FORM[STYLE.python]))
      return {
        code: [
          when(f64.ne(given, given), [done(to)]),
          value.set(f64.abs(given)),
          decimals.set(i32.and(form, of(NUMBER_FORM.decimals))),
          whole.set(f64.add(value, f64.of(WHOLE))),
          when(
            i32.or(
              i32.or(i32.eqz(f64.lt(value, f64.of(4e15))), f64.ne(f64.sub(whole, f64.of(WHOLE)), value)),
              i32.gt(decimals, of(15)),
            ),
            [done(of(-1))],
          ),
          bits.set(i64.and(i64.ofBits(whole), i64.of((1n << 52n) - 1n))),
          when(
            f64.lt(value, f64.of(1e8)),
            [digits.set(digitsOf(of(0), i32.ofI64(bits)))],
            [
              high.set(i64.divU(bits, i64.of(100_000_000n))),
              digits.set(digitsOf(i32.ofI64(high), i32.ofI64(i64.sub(bits, i64.mul(high, i64.of(100_000_000n)))))),
            ],
          ),
          used.set(v128.bits8(v128.ne8(digits, v128.all(0)))),
          first.set(i32.ctz(i32.or(used, of(0x10000)))),
          point.set(i32.sub(of(16), decimals)),
          fraction.set(decimals),
          when(i32.gt(form, of(NUMBER_FORM.decimals)), [
            // The shortest form: below 10^-6 (JavaScript) and 10^-4 (Python), it has an exponent.
            when(
              i32.and(
                i32.ne(used, of(0)),
                i32.lt(i32.sub(i32.sub(of(15), first), decimals), i32.sub(i32.shrU(isPython, of(5)), of(6))),
              ),
              [done(of(-1))],
            ),
            // Zeros at the end are left out; there are clz - 16 of them.
            fraction.set(i32.sub(decimals, i32.sub(i32.clz(used), of(16)))),
            when(i32.lt(fraction, of(0)), [fraction.set(of(0))]),
            when(i32.and(isPython, i32.shl(i32.eqz(fraction), of(6))), [fraction.set(i32.gt(decimals, of(0)))]),
          ]),
          when(i32.ge(first, point), [first.set(i32.sub(point, of(1)))]),
          digits.set(shown(digits)),
          i32.store8(to, of(45)),
          to.set(i32.add(to, f64.lt(given, f64.of(0)))),
          v128.store(to, moved(digits, first)),
          to.set(i32.add(to, i32.sub(point, first))),
          when(
            fraction,
            [
              i32.store8(to, of(46)),
              v128.store(to, moved(digits, point), 1),
              to.set(i32.add(to, i32.add(fraction, of(1)))),
            ],
            [when(isPython, [i32.store16(to, of(0x302e)), to.set(i32.add(to, of(2)))])],
          ),
        ],
        result: to,
      }
    }),
  )

/** Writes a time. Returns the address after it, or -1 for JavaScript to write it and to set the day. */
const addTimes = (module: ModuleBuilder, digitsOf: ReturnType<typeof addDigits>) =>
  module.add(
    func({ parameters: ['i32', 'f64', 'i32', 'i32'] }, ([to, ms, times, isIso], frame) => {
      const [rest, second, text] = [frame.f64(), frame.f64(), frame.v128()]
      const [s, minutes, hours, milli] = [frame.i32(), frame.i32(), frame.i32(), frame.i32()]
      const isIn = (length: number): ReturnType<typeof of> =>
        i32.and(f64.ge(rest, f64.of(0)), f64.lt(rest, f64.of(length)))
      const iso = TIMES_AT.text + 14
      const pair = (value: typeof s, offset: number): ReturnType<typeof i32.store16> =>
        i32.store16(times, i32.load16(i32.shl(value, of(1)), AT.pairs), iso + offset)
      return {
        code: [
          rest.set(f64.sub(ms, f64.load(times, TIMES_AT.second))),
          when(i32.eqz(isIn(1000)), [
            rest.set(f64.sub(ms, f64.load(times, TIMES_AT.day))),
            when(i32.eqz(isIn(86_400_000)), [done(of(-1))]),
            s.set(i32.divU(i32.ofF64(rest), of(1000))),
            second.set(f64.add(f64.load(times, TIMES_AT.day), f64.mul(f64.ofI32(s), f64.of(1000)))),
            f64.store(times, second, TIMES_AT.second),
            rest.set(f64.sub(ms, second)),
            // ten digits: two, then eight
            minutes.set(i32.ofF64Unsigned(f64.div(second, f64.of(1000)))),
            hours.set(i32.divU(minutes, of(100_000_000))),
            text.set(moved(shown(digitsOf(hours, i32.sub(minutes, i32.mul(hours, of(100_000_000))))), of(6))),
            i64.store(times, v128.lane64(text, 0), TIMES_AT.text),
            i32.store16(times, v128.lane32(text, 2), TIMES_AT.text + 8),
            minutes.set(i32.divU(s, of(60))),
            hours.set(i32.divU(minutes, of(60))),
            s.set(i32.sub(s, i32.mul(minutes, of(60)))),
            minutes.set(i32.sub(minutes, i32.mul(hours, of(60)))),
            pair(hours, 11),
            pair(minutes, 14),
            pair(s, 17),
          ]),
          milli.set(i32.ofF64(rest)),
          when(f64.ne(f64.ofI32(milli), rest), [done(of(-1))]),
          milli.set(i32.load(i32.shl(milli, of(2)), AT.millis)),
          when(
            isIso,
            [
              v128.store(to, v128.load(times, iso)),
              v128.store(to, v128.load(times, iso + 16), 16),
              i32.store(to, milli, 20),
              to.set(i32.add(to, of(24))),
            ],
            [
              v128.store(to, v128.load(times, TIMES_AT.text)),
              v128.store(to, v128.load(times, TIMES_AT.text + 16), 16),
              v128.store(to, v128.load(times, TIMES_AT.text + 32), 32),
              // The separator's place is after the three digits, so the Z goes first.
              i32.store8(to, i32.load8(times, TIMES_AT.text + 13), 13),
              i32.store16(to, milli, 10),
              i32.store8(to, i32.shrU(milli, of(16)), 12),
              i32.store(to, milli, 34),
              to.set(i32.add(to, of(38))),
            ],
          ),
        ],
        result: to,
      }
    }),
  )

/**
 * Writes rows [row, end) from `to` on, while `limit` isn't reached. `plans`, `planOf` and `skip` are the addresses of plans,
 * of each row's plan and of each row's flags; rows with a flag of `mask` are left out. `ends` is the address of where each
 * row's text ends. Returns the row that it couldn't write, or `end`.
 */
const addRows = (
  module: ModuleBuilder,
  writeNumber: ReturnType<typeof addNumbers>,
  writeTime: ReturnType<typeof addTimes>,
) =>
  module.add(
    func(
      { name: 'rows', parameters: ['i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32'] },
      ([row, end, to, limit, plans, planOf, skip, mask, moments, ends], frame) => {
        const [plan, step, last, at, written, source, length, kind, index] = frame.i32s(9)
        const [least, greatest, value] = [frame.f64(), frame.f64(), frame.f64()]
        /** Copies text 16 bytes at a time, mostly once. */
        const copy = [
          index.set(of(0)),
          loopUntilNot(
            [v128.store(i32.add(at, index), v128.load(i32.add(source, index))), index.set(i32.add(index, of(16)))],
            i32.lt(index, length),
          ),
          at.set(i32.add(at, length)),
        ]
        return {
          code: [
            written.set(of(0)),
            least.set(f64.load(of(0), AT.least)),
            greatest.set(f64.load(of(0), AT.greatest)),
            loopWhile(i32.and(i32.lt(row, end), i32.lt(to, limit)), [
              when(i32.eqz(i32.and(i32.load8(i32.add(skip, row)), mask)), [
                at.set(to),
                plan.set(i32.add(plans, i32.shl(i32.load16(i32.add(planOf, i32.shl(row, of(1)))), of(4)))),
                source.set(i32.load(plan, PLAN_AT.text)),
                length.set(i32.load(plan, PLAN_AT.length)),
                ...copy,
                step.set(i32.load(plan, PLAN_AT.steps)),
                last.set(i32.load(plan, PLAN_AT.end)),
                loopWhile(i32.and(i32.lt(step, last), i32.gt(at, of(0))), [
                  kind.set(i32.load(step, STEP_AT.kind)),
                  value.set(f64.load(i32.add(i32.load(step, STEP_AT.values), i32.shl(row, of(3))))),
                  when(
                    kind,
                    [at.set(writeTime(at, value, i32.load(step, STEP_AT.times), i32.sub(kind, of(STEP.msAndIso))))],
                    [at.set(writeNumber(at, value, i32.load8(i32.add(i32.load(step, STEP_AT.forms), row))))],
                  ),
                  when(i32.gt(at, of(0)), [
                    source.set(i32.load(step, STEP_AT.text)),
                    length.set(i32.load(step, STEP_AT.length)),
                    ...copy,
                  ]),
                  step.set(i32.add(step, of(STEP_BYTES))),
                ]),
                when(i32.lt(at, of(0)), [
                  i32.store(of(0), to, AT.end),
                  i32.store(of(0), written, AT.written),
                  f64.store(of(0), least, AT.least),
                  f64.store(of(0), greatest, AT.greatest),
                  done(row),
                ]),
                to.set(at),
                i32.store(i32.add(ends, i32.shl(row, of(2))), to),
                written.set(i32.add(written, of(1))),
                value.set(f64.load(i32.add(moments, i32.shl(row, of(3))))),
                least.set(f64.min(least, value)),
                greatest.set(f64.max(greatest, value)),
              ]),
              row.set(i32.add(row, of(1))),
            ]),
            i32.store(of(0), to, AT.end),
            i32.store(of(0), written, AT.written),
            f64.store(of(0), least, AT.least),
            f64.store(of(0), greatest, AT.greatest),
          ],
          result: row,
        }
      },
    ),
  )

/** The module's bytes. */
export function rowModule(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder()
  const digitsOf = addDigits(module)
  addRows(module, addNumbers(module, digitsOf), addTimes(module, digitsOf))
  return module.build(1)
}
