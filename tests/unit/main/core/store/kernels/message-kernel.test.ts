import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseLiteral } from '../../../../../../src/main/core/store/kernels/literal.ts'
import {
  createMessageKernel,
  MAX_COLUMN_ROWS,
  type MessageKernel,
} from '../../../../../../src/main/core/store/kernels/message-kernel.ts'

const kernelOrThrow = (): MessageKernel => {
  const kernel = createMessageKernel()
  if (kernel === null) throw new Error('WebAssembly can’t run here')
  return kernel
}

const kernel = kernelOrThrow()

/** Texts one after another, with others before and after them. */
function textsOf(rows: readonly string[]): { bytes: Uint8Array; offsets: Uint32Array } {
  const before = '77'
  const offsets = Uint32Array.from(
    { length: rows.length + 1 },
    (_, i) => before.length + rows.slice(0, i).join('').length,
  )
  return { bytes: Buffer.from(`${before}${rows.join('')}99`, 'latin1'), offsets }
}

const partsOf = (...parts: readonly string[]): Uint8Array[] => parts.map((part) => Buffer.from(part, 'latin1'))

const usual = fc.oneof(
  fc
    .integer({ min: -999_999_999, max: 1e15 })
    .filter((n) => n !== 0)
    .map(String),
  fc.tuple(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 1, max: 4 })).map(([n, d]) => (n / 1e4).toFixed(d)),
  fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 18 })).map(([n, e]) => `${n}e-${e}`),
  fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 99 })).map(([n, e]) => `1.${n}e-0${e % 10}`),
  fc.constantFrom('0', '0.0', '1000000000000000', '0.000000000000001', '-0.5', '12.50'),
)
const odd = fc.oneof(
  fc.double().map(String),
  fc.constantFrom('-0', '01', '-01', '1.', '.5', '', '-', '1e5', '1E-5', '1e-', '1e-0005', '1e-23', '1.5.5', '12-3'),
  fc.constantFrom('1000000000000001', '12345678901234567', '0.12345678901234567', '1723161254036059768', '+1', '1x'),
)

test('numbers are those of JavaScript, and usual ones are all read', () => {
  let matched = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: usual }, odd), usual, fc.boolean()), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.nat(20),
      (rows, start) => {
        const texts = rows.map(([p, s, isOther]) => `{"pair":"BTC-USD","p":${p},"s":${s}${isOther ? ' }' : '}'}`)
        const { bytes, offsets } = textsOf(texts)
        kernel.clear()
        const template = kernel.addTemplate(partsOf('{"pair":"BTC-USD","p":', ',"s":', '}'), [3, 0])
        if (template === undefined) throw new Error('there is no room')
        expect(kernel.load(bytes, offsets, 0, rows.length)).toBe(rows.length)
        let count = start
        for (let row = 0; row < rows.length; row++) {
          const from = row
          const n = kernel.match(template, row, [3, 0], () => count)
          for (; row < from + n; row++, count++) {
            const at = offsets[row] + '{"pair":"BTC-USD","p":'.length
            const second = at + rows[row][0].length + ',"s":'.length
            expect(numberAt(3, count)).toEqual(literalAt(bytes, at, offsets[row + 1]))
            expect(numberAt(0, count)).toEqual(literalAt(bytes, second, offsets[row + 1]))
            expect(rows[row][2]).toBe(false)
            matched++
          }
          if (row === rows.length) break
          const [p, s, isOther] = rows[row]
          expect(isOther || !isUsual(p) || !isUsual(s)).toBe(true)
        }
      },
    ),
    { numRuns: 300 },
  )
  expect(matched).toBeGreaterThan(300)
})

const numberAt = (column: number, place: number): unknown => {
  const { mantissa, form, starts, ends } = kernel.columns[column]
  return [mantissa[place], form[place], starts[place], ends[place]]
}

function literalAt(bytes: Uint8Array, at: number, to: number): unknown {
  const parsed = { mantissa: 0, form: 0, end: 0 }
  parseLiteral(bytes, at, to, parsed)
  return [parsed.mantissa, parsed.form, at, parsed.end]
}

/** Whether a text is a number whose digits, at most 16, and decimals say everything. */
function isUsual(text: string): boolean {
  const found = /^-?(\d+)(?:\.(\d+))?(?:e-(\d{1,3}))?$/.exec(text)
  if (found === null) return false
  const [, whole = '', fraction = '', exponent = '0'] = found
  const digits = Number(whole + fraction)
  return (
    (whole === '0' || !whole.startsWith('0')) &&
    whole.length + fraction.length <= 16 &&
    digits <= 1e15 &&
    fraction.length + Number(exponent) <= 22 &&
    !(text.startsWith('-') && digits === 0)
  )
}

test('a row that ends within a number or a text doesn’t match', () => {
  const rows = ['{"p":1}', '{"p":12', '{"p":', '{"p"', '', '3}', '{"p":4}5', '{"p":6}']
  const { bytes, offsets } = textsOf(rows)
  kernel.clear()
  const template = kernel.addTemplate(partsOf('{"p":', '}'), [0])
  if (template === undefined) throw new Error('there is no room')
  kernel.load(bytes, offsets, 0, rows.length)
  expect(rows.map((_, row) => kernel.match(template, row, [0], () => 0))).toEqual([1, 0, 0, 0, 0, 0, 0, 1])
})

test('a text is compared to its last byte, whatever its length', () => {
  for (let length = 0; length < 40; length++) {
    const part = 'x'.repeat(length)
    const wrong = Array.from({ length }, (_, i) => `${part.slice(0, i)}y${part.slice(i + 1)}`)
    const rows = [part, ...wrong].map((text) => `${text}1`)
    const { bytes, offsets } = textsOf(rows)
    kernel.clear()
    const template = kernel.addTemplate(partsOf(part, ''), [0])
    if (template === undefined) throw new Error('there is no room')
    kernel.load(bytes, offsets, 0, rows.length)
    expect(rows.map((_, row) => kernel.match(template, row, [0], () => 0))).toEqual([1, ...wrong.map(() => 0)])
  }
})

test('templates and rows that don’t fit are refused', () => {
  kernel.clear()
  expect(kernel.addTemplate(partsOf('a', 'b', 'c'), [1, 1])).toBeUndefined()
  expect(kernel.addTemplate(partsOf('a', 'b'), [99])).toBeUndefined()
  expect(kernel.addTemplate([Buffer.alloc(1 << 20)], [])).toBeUndefined()
  const rows = Array.from({ length: MAX_COLUMN_ROWS }, () => '1')
  const offsets = Uint32Array.from({ length: rows.length + 1 }, (_, i) => i)
  expect(kernel.load(Buffer.alloc(rows.length), offsets, 5, rows.length)).toBeLessThan(rows.length)
  const size = 3 << 20
  expect(kernel.load(Buffer.alloc(size), Uint32Array.of(0, size), 0, 1)).toBe(0)
})

test('without memory for it, there is none', () => {
  const instance = vi.spyOn(WebAssembly, 'Instance').mockImplementation(() => {
    throw new RangeError('could not allocate memory')
  })
  expect(createMessageKernel()).toBeNull()
  instance.mockRestore()
  expect(createMessageKernel()).not.toBeNull()
})
