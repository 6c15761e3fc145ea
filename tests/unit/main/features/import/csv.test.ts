import { writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { textRoom, writeText } from '../../../../../src/main/features/export/rows/cells.ts'
import { createCsvParser, headOf, separatorOfLine, textOf } from '../../../../../src/main/features/import/csv.ts'
import { undefused } from '../../../../../src/main/features/import/own-rows.ts'
import { SEPARATORS } from '../../../../../src/shared/features/export/export.ts'
import { csvTable, csvText } from '../../../../../src/shared/base/csv.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const encoder = new TextEncoder()
// What is called in its place while a test counts.
const { indexOf } = String.prototype
/** Text that makes CSV hard, often. */
const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('"', ',', ';', '\t', '\n', '\r', '\r\n', "'", '=', '+', '-', '@', '|', 'a', 'ü', '\uff1d', '😀'),
    )
    .map((a) => a.join('')),
)
const written = (text: string, separator: string): string => {
  const bytes = encoder.encode(text)
  const out = new Uint8Array(textRoom(bytes))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    out.subarray(0, writeText(out, 0, bytes, separator.charCodeAt(0))),
  )
}
/** Parses a text that comes in pieces, cut anywhere. */
function parse(text: string, separator: (typeof SEPARATORS)[number], cuts: readonly number[] = []) {
  const parser = createCsvParser(separator)
  const at = [0, ...cuts.map((n) => n % (text.length + 1)).sort((a, b) => a - b), text.length]
  const rows = at.slice(1).flatMap((to, i) => parser.push(text.slice(at[i], to)))
  return [...rows, ...parser.end()]
}

describe('a table', () => {
  it('is read as it was written, wherever its pieces are cut', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(...SEPARATORS),
        fc.array(fc.nat(), { maxLength: 5 }),
        (rows, separator, cuts) => {
          const text = rows.map((row) => `${row.map((one) => written(one, separator)).join(separator)}\n`).join('')
          const read = parse(text, separator, cuts).map(({ cells }) => cells.map(undefused))
          expect(read).toEqual(rows)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('may have CRLF, a byte order mark, empty lines, and no end of line at its end', async () => {
    const folder = makeFolder('csv')
    const path = join(folder, 'a.csv')
    writeFileSync(path, '\ufeffa,b\r\n\r\n1,"x\r\ny"\r\n2,z')
    const parser = createCsvParser(',')
    const rows = []
    for await (const { text } of textOf(path)) rows.push(...parser.push(text))
    rows.push(...parser.end())
    expect(rows).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 3, cells: ['1', 'x\r\ny'] },
      { line: 5, cells: ['2', 'z'] },
    ])
  })

  it('ends in a sentence where a quote is never closed, or a row has no end', () => {
    expect(() => parse('a,"b\nc\n', ',')).toThrow('Line 1: a quote isn’t closed')
    const parser = createCsvParser(',')
    expect(() => {
      for (let i = 0; i < 40; i++) parser.push('x'.repeat(1 << 20))
    }).toThrow('Line 1 is too long')
    expect(() => parse(','.repeat(2_000), ',')).toThrow('more than 1000 columns')
  })

  it('is searched once, however many pieces a row comes in', () => {
    const find = vi.spyOn(String.prototype, 'indexOf')
    let searched = 0
    find.mockImplementation(function (this: string, ...args) {
      searched += this.length
      return indexOf.apply(this, args)
    })
    try {
      const parser = createCsvParser(',')
      for (let i = 0; i < 500; i++) parser.push(i % 100 === 0 ? '"a\n"' : 'x'.repeat(1_000))
      expect(parser.push('\n').length).toBe(1)
    } finally {
      find.mockRestore()
    }
    // A piece for a line feed and for quotes, and the row for its cells; not the row for each piece.
    expect(searched).toBeLessThan(10 * 500_000)
  })

  it('has no more cells in memory than it may have', () => {
    const split = vi.spyOn(String.prototype, 'split')
    try {
      expect(() => parse(','.repeat(100_000), ',')).toThrow('more than 1000 columns')
      expect(split.mock.results.map(({ value }) => (value as string[]).length)).toEqual([1_001])
    } finally {
      split.mockRestore()
    }
    expect(() => parse(`"a"${','.repeat(100_000)}`, ',')).toThrow('more than 1000 columns')
  })

  it('tells its separator by its header', () => {
    for (const separator of SEPARATORS) expect(separatorOfLine(['a', '"b,;|"', 'c d'].join(separator))).toBe(separator)
    expect(separatorOfLine('alone')).toBe(',')
  })
})

describe('text of a window', () => {
  it('is written as an export writes it', () => {
    fc.assert(
      fc.property(cell, (text) => void expect(csvText(text)).toBe(written(text, ','))),
      { numRuns: 500 },
    )
  })

  it('gives numbers every digit, and nothing where nothing is', () => {
    const text = csvTable(
      ['a', '=b'],
      [
        [0.1 + 0.2, null],
        [1e-7, 'x'],
        [NaN, true],
      ],
    )
    expect(text).toBe("a,'=b\n0.30000000000000004,\n1e-7,x\n,true\n")
  })
})

let folder: string
beforeAll(() => {
  folder = makeFolder('csv')
})

it('reads a large file in pieces, without a byte order mark, and stops when asked', async () => {
  const path = join(folder, 'large.csv')
  writeFileSync(path, `\ufeff${'ü,1\n'.repeat(700_000)}`)
  let lines = 0
  let longest = 0
  const parser = createCsvParser(',')
  for await (const { text } of textOf(path)) {
    lines += parser.push(text).filter(({ cells }) => cells[0] === 'ü').length
    longest = Math.max(longest, text.length)
  }
  expect(lines).toBe(700_000)
  // A piece is parsed in one turn of the thread that receives messages.
  expect(longest).toBeLessThanOrEqual(16 << 10)
  const stop = new AbortController()
  const read = async () => {
    for await (const { bytes } of textOf(path, stop.signal)) if (bytes > 0) stop.abort()
  }
  await expect(read()).rejects.toMatchObject({ code: 'cancelled' })
})

it('fails once if the file is gone, as after its dialog was closed: a second error would end the terminal', async () => {
  const missing = join(folder, 'gone.csv')
  await expect(headOf(missing, 10)).rejects.toMatchObject({ code: 'ENOENT' })
  // Files are opened in turn. Vitest fails on an error that nobody handles.
  for (let i = 0; i < 10; i++) await stat(missing).catch(() => undefined)
})
