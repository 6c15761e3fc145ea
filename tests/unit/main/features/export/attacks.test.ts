/** Texts of a hostile server in tables, and hostile tables: spreadsheets, names of files, endless and odd files. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { needsDefusing, textRoom, writeMessage, writeText } from '../../../../../src/main/features/export/rows/cells.ts'
import { nameOfSymbol, partPath } from '../../../../../src/main/features/export/names.ts'
import { previewText } from '../../../../../src/main/features/import/run.ts'
import { readManifest } from '../../../../../src/main/features/import/manifest.ts'
import { undefused, undefusedSymbol } from '../../../../../src/main/features/import/own-rows.ts'
import { isFileName } from '../../../../../src/main/base/file-names.ts'
import { csvText, isFormula } from '../../../../../src/shared/base/csv.ts'
import { SEPARATORS } from '../../../../../src/shared/features/export/export.ts'
import { parseCsv } from '../../../../../src/shared/features/research/csv.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
beforeAll(() => {
  folder = makeFolder('csv-attacks')
})

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
function written(text: string, separator: string, parts = true): string {
  const bytes = bytesOf(text)
  const out = new Uint8Array(textRoom(bytes))
  const end = writeText(out, 0, bytes, separator.charCodeAt(0), parts)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(out.subarray(0, end))
}

const asMessage = (text: string): string => {
  const bytes = bytesOf(text)
  const out = new Uint8Array(textRoom(bytes))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(out.subarray(0, writeMessage(out, 0, bytes, 44)))
}

describe('a message as a cell', () => {
  it.each(['\n{"ev":"XT"}', '\t[1]', '\r\n {"a":1}', '{"a":1}', ' {}'])(
    'that is JSON stays as it arrived: %j',
    (text) => {
      const cell = asMessage(text)
      expect(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).toBe(text)
    },
  )

  it.each(['=cmd()', '\t=cmd()', '+1', '@x', '\n-1', "'=1"])('that is none is defused: %j', (text) => {
    expect(asMessage(text).replace(/^"/, '')).toMatch(/^'/)
  })

  it('reads back as it was, whatever it is', () => {
    const pieces = fc.array(fc.constantFrom('{', '[', "'", '=', '\t', '\n', '\r', ' ', '"', ',', 'a', '1'), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(pieces, (some) => {
        const text = some.join('')
        const cell = asMessage(text)
        expect(undefused(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a cell that would be a formula', () => {
  const SIGNS = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20', '\ufe66', '\ufe62', '\ufe63', '\ufe6b']
  const UNSEEN = [
    '',
    ' ',
    '\u0000',
    '\t',
    '\r\n',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\u202e',
    '\u2066',
    '\u2060',
    ' \u0001\ufeff ',
  ]

  it.each(UNSEEN)('is defused behind %j, in every width of its sign', (before) => {
    for (const sign of SIGNS) {
      const text = `${before}${sign}cmd|' /C calc'!A0`
      expect(isFormula(text)).toBe(true)
      expect(needsDefusing(bytesOf(text))).toBe(true)
      expect(parseCsv(`${csvText(text)}\n`)).toEqual([[`'${text}`]])
      expect(undefused(`'${text}`)).toBe(text)
    }
  })

  it('is the same for a window and for an export', () => {
    const unit = fc.constantFrom(
      '=',
      '-',
      "'",
      '\uff1d',
      '\ufe66',
      ' ',
      '\u0000',
      '\u00a0',
      '\ufeff',
      '\u200f',
      '\u2066',
      '\t',
      'a',
      'é',
      '\u2070',
      '😀',
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        expect(needsDefusing(bytesOf(text))).toBe(isFormula(text))
      }),
      { numRuns: 3_000 },
    )
  })

  it.each(SEPARATORS)('does not come to be when a file with %j is opened with another separator', (separator) => {
    for (const other of SEPARATORS) {
      const line = `crypto/XT${separator}${written(`X${other}=cmd|' /C calc'!A0`, separator)}${separator}1`
      for (const piece of line.split(other)) expect(piece).not.toMatch(/^[=+@]/)
    }
  })

  it('gives the symbol back, whatever stands in it, and fits into its room', () => {
    const unit = fc.constantFrom('=', '-', "'", '"', ',', ';', '|', '\t', '\n', '\r', ' ', '\uff1d', '\u00a0', 'a')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.constantFrom(...SEPARATORS), (text, separator) => {
        const cell = written(text, separator)
        expect(bytesOf(cell).length).toBeLessThanOrEqual(textRoom(bytesOf(text)))
        const inner = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(undefusedSymbol(inner)).toBe(text)
        const exact = written(text, separator, false)
        expect(undefused(exact.startsWith('"') ? exact.slice(1, -1).replaceAll('""', '"') : exact)).toBe(text)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('names of files', () => {
  const ODD = [
    '../../etc/passwd',
    'CON',
    'a\u202egpj.exe',
    '\ud800',
    'x'.repeat(5_000),
    '~',
    '.',
    '..',
    'a/b',
    'a\\b',
    'C:',
    '\u0000',
    '-rf',
    '$(id)',
    'ünïcode',
    'Com1.csv',
    '',
  ]
  it.each(ODD)('%j as a symbol becomes a name in the folder, and of no other symbol', (symbol) => {
    const part = partPath(join(folder, 'ticks.csv'), nameOfSymbol(symbol))
    expect(part.startsWith(join(folder, 'ticks.'))).toBe(true)
    expect(part.slice(folder.length + 1)).toMatch(/^ticks\.[A-Za-z0-9_.-]{1,60}\.csv$/)
    expect(new Set(ODD.map(nameOfSymbol)).size).toBe(ODD.length)
  })
  it.each([
    '../x.csv',
    'a/b.csv',
    'a\\b.csv',
    'x\u0000.csv',
    'C:x.csv',
    '.hidden',
    'x. ',
    'a\nb.csv',
    `${'é'.repeat(101)}.csv`,
  ])('%j is no name of an export', (name) => {
    expect(isFileName(name)).toBe(false)
  })
  it.each(['a\u202evsc.exe', '\u2066x.csv', 'CON', 'con.csv', 'LPT1.txt', 'nul'])(
    '%j, which is not what it looks like or no file on every system, is none either',
    (name) => {
      expect(isFileName(name)).toBe(false)
    },
  )
})

describe('a hostile table', () => {
  const preview = async (content: string | Uint8Array): Promise<unknown> => {
    const path = join(folder, 'table.csv')
    writeFileSync(path, content)
    return previewText({ path, name: 'table.csv', bytes: content.length }, null).then(
      (shown) => shown,
      (thrown: unknown) => {
        expect(thrown).toHaveProperty('code')
        return thrown
      },
    )
  }
  it.each([
    ['byte order marks in a row', '\ufeff\ufeff\ufefftime,price\n2026-01-05T10:00:00Z,1\n'],
    ['UTF-16 with its mark', Buffer.from('\ufefftime,price\n2026-01-05T10:00:00Z,1\n', 'utf16le')],
    ['NUL in every place', 'time,\u0000price\u0000\n\u00002026-01-05T10:00:00Z,1\u0000\n'],
    [
      'overlong UTF-8 and halves of surrogates',
      Buffer.from([...Buffer.from('time,price\n'), 0xc0, 0xaf, 0x2c, 0xed, 0xa0, 0x80, 10]),
    ],
    ['columns of prototypes', '__proto__,constructor,toString,time,price\n1,2,3,2026-01-05T10:00:00Z,4\n'],
    ['a hundred thousand separators', `time${','.repeat(100_000)}\n`],
    ['the same column for ever', `${'time,'.repeat(900)}price\n${'1,'.repeat(900)}2\n`],
    ['numbers beyond numbers', 'time,price\n1e309,1e309\nNaN,NaN\n-1e309,0x10\n'],
  ])('with %s is shown or refused with a sentence', async (_what, content) => {
    const shown = await preview(content)
    expect(shown).toBeTypeOf('object')
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })

  it('manifests that are devices, and manifests of a million pairs, are read in no time', async () => {
    const link = join(folder, 'x.csv.manifest.json')
    symlinkSync('/dev/zero', link)
    expect(await readManifest(link)).toBeNull()
    expect(await readManifest(folder)).toBeNull()
    const many = join(folder, 'many.json')
    const sessions = Array.from({ length: 20_000 }, (_, i) => `s${i}`)
    const gaps = sessions.map((session) => ({
      session,
      feed: 'crypto/XT',
      symbols: [],
      cause: 'drop',
      from: '2026-01-05T10:00:00Z',
      to: null,
      from_seq: 1,
      to_seq: null,
    }))
    writeFileSync(many, JSON.stringify({ schema: 'tapedeck/ticks/1', sessions, sha256: 'a'.repeat(64), gaps }))
    const read = await readManifest(many)
    expect(read?.count).toBe(20_000)
    expect(read?.entries).toHaveLength(20_000)
  })
})
