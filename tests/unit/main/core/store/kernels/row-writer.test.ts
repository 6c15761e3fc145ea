import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeLiteral } from '../../../../../../src/main/core/store/kernels/literal.ts'
import { NUMBER_FORM, STYLE, type Style } from '../../../../../../src/main/core/store/kernels/number-form.ts'
import {
  createRowWriter,
  MAX_BATCH,
  type NumberStep,
  type RowWriter,
  type Step,
} from '../../../../../../src/main/core/store/kernels/row-writer.ts'
import { createTimeWriter } from '../../../../../../src/main/features/export/rows/cells.ts'

const NEWLINE = Buffer.from('\n')
const SEMICOLON = 59

function writerOf(steps: readonly Step[], starts: readonly string[] = ['']): RowWriter {
  const writer = createRowWriter({ columns: steps.length, steps, separator: SEMICOLON, maxCells: 200 })
  if (writer === null) throw new Error('WebAssembly can’t run here')
  for (const start of starts) writer.addStart(Buffer.from(start))
  return writer
}

/** The lines of all rows; null for those that the writer leaves to JavaScript. */
function linesOf(writer: RowWriter, count: number, span = { first: Infinity, last: -Infinity }): (string | null)[] {
  const lines: (string | null)[] = []
  for (let row = 0; row < count;) {
    const done = writer.write(row, count, 0, 0, span)
    if (done.written > 0) lines.push(...Buffer.from(done.text).toString('latin1').trimEnd().split('\n'))
    row = done.row
    if (!done.isStuck) continue
    lines.push(null)
    row++
  }
  return lines
}

const number = (column: number, text: Uint8Array = NEWLINE): NumberStep => ({ is: 'number', column, text })

test('numbers are written like writeLiteral writes them, or left to it', () => {
  const writer = writerOf([number(0)], ['>'])
  const digits = fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: 0, max: 2 ** 31 }),
    fc.integer({ min: 0, max: 1e15 }),
    // zeros at the end, and what is next to a power of ten
    fc.tuple(fc.nat(999), fc.nat(12)).map(([n, zeros]) => n * 10 ** zeros),
    fc.tuple(fc.nat(15), fc.constantFrom(-1, 0, 1)).map(([n, by]) => Math.max(0, 10 ** n + by)),
  )
  const mantissa = fc.tuple(digits, fc.boolean()).map(([n, negative]) => (negative && n > 0 ? -n : n))
  const style = fc.constantFrom<Style>(STYLE.fixed, STYLE.js, STYLE.python, STYLE.explicit)
  let left = 0
  let all = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(mantissa, fc.nat(22), style), { minLength: 1, maxLength: 200 }), (rows) => {
      rows.forEach(([value, decimals, how], i) => {
        writer.columns[0].values[i] = value
        writer.columns[0].forms[i] = decimals | NUMBER_FORM[how]
      })
      const expected = rows.map(([value, decimals, how]) => {
        const out = new Uint8Array(64)
        return `>${Buffer.from(out.subarray(0, writeLiteral(out, 0, value, decimals, how))).toString('latin1')}`
      })
      const lines = linesOf(writer, rows.length)
      expect(lines.map((line, i) => line ?? expected[i])).toEqual(expected)
      all += lines.length
      left += lines.filter((line) => line === null).length
    }),
    { numRuns: 400 },
  )
  // Exponents and more than 15 decimals
  expect(left).toBeGreaterThan(0)
  expect(left / all).toBeLessThan(0.6)
})

test('a cell without a number is empty, and anything but a whole number is left to JavaScript', () => {
  const writer = writerOf([number(0)], ['>'])
  const values = [NaN, Infinity, -Infinity, 0.5, 2 ** 53, 4e15 - 1, 7]
  writer.columns[0].values.set(values)
  writer.columns[0].forms.fill(0)
  expect(linesOf(writer, values.length)).toEqual(['>', null, null, null, null, '>3999999999999999', '>7'])
})

test('times are written like createTimeWriter writes them, or left to it', () => {
  for (const is of ['msAndIso', 'iso'] as const) {
    const writer = writerOf([{ is, column: 0, text: NEWLINE }], ['>'])
    const slow = createTimeWriter(SEMICOLON, is === 'iso')
    const near = fc.integer({ min: 0, max: 200_000_000 }).map((ms) => 1.7e12 + ms)
    const ms = fc.oneof(
      near,
      near,
      fc.integer({ min: -6e13, max: 2.6e14 }),
      near.map((at) => at + 0.5),
    )
    fc.assert(
      fc.property(fc.array(ms, { minLength: 1, maxLength: 100 }), (times) => {
        const out = new Uint8Array(128)
        const expected = times.map((at) => {
          const end = slow.write(out, new DataView(out.buffer), 0, at)
          return `>${Buffer.from(out.subarray(0, end)).toString('latin1')}`
        })
        writer.columns[0].values.set(times)
        const lines: (string | null)[] = []
        for (let row = 0; row < times.length;) {
          const done = writer.write(row, times.length, 0, 0, { first: Infinity, last: -Infinity })
          if (done.written > 0) lines.push(...Buffer.from(done.text).toString('latin1').trimEnd().split('\n'))
          row = done.row
          if (!done.isStuck) continue
          writer.setDay(times[row])
          lines.push(null)
          row++
        }
        expect(lines.map((line, i) => line ?? expected[i])).toEqual(expected)
      }),
    )
    writer.setDay(1.7e12)
    writer.columns[0].values.set([1.7e12, 1.7e12 + 1, 1.7e12 + 60_000])
    expect(linesOf(writer, 3)).not.toContain(null)
  }
})

test('each row has its start, rows with a flag are left out, and the span is that of the rows written', () => {
  const writer = writerOf([number(0, Buffer.from(';')), number(1)], ['a,', '', 'a start of more than sixteen bytes,'])
  const count = MAX_BATCH
  for (let row = 0; row < count; row++) {
    writer.columns[0].values[row] = row
    writer.columns[1].values[row] = -row
    writer.starts[row] = row % 3
    writer.flags[row] = row % 5 === 0 ? 4 : 8
  }
  const span = { first: Infinity, last: -Infinity }
  const parts: string[] = []
  let written = 0
  for (let row = 0; row < count;) {
    const done = writer.write(row, count, 4, 0, span)
    expect(done.isStuck).toBe(false)
    parts.push(Buffer.from(done.text).toString('latin1'))
    written += done.written
    row = done.row
  }
  const starts = ['a,', '', 'a start of more than sixteen bytes,']
  const expected = Array.from({ length: count }, (_, row) =>
    row % 5 === 0 ? '' : `${starts[row % 3]}${row};${row === 0 ? 0 : -row}\n`,
  )
  expect(parts.join('')).toBe(expected.join(''))
  expect(written).toBe(expected.filter((line) => line !== '').length)
  expect(span).toEqual({ first: 1, last: 4094 })
})

test('refuses starts without room until they are cleared', () => {
  const writer = writerOf([number(0)], [])
  expect(writer.addStart(Buffer.alloc(100_000, 'x'))).toBe(undefined)
  let added = 0
  while (writer.addStart(Buffer.alloc(1_000, 'x')) !== undefined) added++
  expect(added).toBeGreaterThan(200)
  writer.clearStarts()
  expect(writer.addStart(Buffer.from('y'))).toBe(0)
  writer.columns[0].values[0] = 1
  writer.starts[0] = 0
  expect(linesOf(writer, 1)).toEqual(['y1'])
})

test('a start can have numbers of its own, and each row says where it ends', () => {
  const writer = createRowWriter({
    columns: 3,
    steps: [],
    separator: SEMICOLON,
    maxCells: 0,
    rows: 5_000,
    ownSteps: 8,
  })!
  const text = (name: string): Buffer => Buffer.from(name)
  const starts = [
    writer.addStart(text('none\n'), []),
    writer.addStart(text('a '), [number(2, text(' and more than sixteen bytes\n'))]),
    writer.addStart(text(''), [number(0, text(';')), number(1, text(';')), number(2)]),
  ]
  expect(starts).toEqual([0, 1, 2])
  const lineOf = (row: number): string =>
    ['none\n', `a ${3 * row} and more than sixteen bytes\n`, `${row};${2 * row};${3 * row}\n`][row % 3]
  for (let row = 0; row < 5_000; row++) {
    for (let column = 0; column < 3; column++) writer.columns[column].values[row] = (column + 1) * row
    writer.starts[row] = row % 3
  }
  const lines: string[] = []
  for (let row = 0; row < 5_000;) {
    const done = writer.write(row, 5_000, 0, 0, { first: Infinity, last: -Infinity })
    const all = Buffer.from(done.text).toString('latin1')
    for (let at = 0; row < done.row; row++) {
      const end = writer.ends[row] - writer.outAt
      lines.push(all.slice(at, end))
      at = end
    }
  }
  expect(lines).toEqual(Array.from({ length: 5_000 }, (_, row) => lineOf(row)))
  // Room for four more numbers
  expect(
    writer.addStart(
      text('x'),
      Array.from({ length: 5 }, () => number(0)),
    ),
  ).toBeUndefined()
  expect(
    writer.addStart(
      text('x'),
      Array.from({ length: 4 }, () => number(0)),
    ),
  ).toBe(3)
  expect(writer.fullness).toBe(1)
  writer.clearStarts()
  expect(writer.fullness).toBeLessThan(0.1)
})
