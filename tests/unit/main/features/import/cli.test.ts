/** What an import of the command line says of files that it can't read. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { commandContext } from '../../hosts/cli/context.ts'

it.each([
  ['trades.zip', 'PK\u0003\u0004…', 2, 'trades.zip is a zip file or a workbook. Unpack the zip file'],
  ['empty.csv', '', 1, 'empty.csv is empty.'],
  ['monday.tapedeck', 'TAPE', 1, 'monday.tapedeck isn’t a session file of Tapedeck, or its start is corrupt.'],
  ['short.parquet', 'PAR1', 1, 'short.parquet as Parquet. Check that the file is complete.\n'],
  ['longer.parquet', `PAR1${'x'.repeat(14)}PAR1`, 1, 'longer.parquet as Parquet. Check that the file is complete.\n'],
  ['odd.csv', 'foo,bar\n1,2\n', 2, 'odd.csv isn’t a Tapedeck export: name the feed of its rows with --feed'],
])('%s is refused for what it is', async (name, content, expected, sentence) => {
  const folder = makeFolder('import')
  writeFileSync(join(folder, name), content, 'latin1')
  const context = commandContext({ dataDir: folder })
  const code = await runCommandLine(['import', join(folder, name)], context)
  expect([code, context.output(), context.errors()]).toEqual([expected, '', expect.stringContaining(sentence)])
})

it.each([
  ['A'.repeat(5_000_000), 'its symbol "AAAAAAAAAAAAAAAAAAAA…" is longer than 64 characters'],
  ['', 'it has no symbol'],
  ['BTC\u0007', 'its symbol contains a control character or half of a character'],
])('a symbol that can’t be one is said to be the problem (%#)', async (symbol, problem) => {
  const folder = makeFolder('import')
  const file = join(folder, 'trades.csv')
  writeFileSync(file, `time,symbol,price,size\n2026-01-05T09:30:00Z,${symbol},1,1\n`)
  const context = commandContext({ dataDir: folder })
  expect(await runCommandLine(['import', file, '--feed', 'crypto/XT'], context)).toBe(1)
  expect(context.errors()).toBe(`tapedeck: Couldn’t read anything in trades.csv. Line 2: ${problem}.\n`)
})

it('a folder and a device are called what they are', async () => {
  const folder = makeFolder('import')
  const said = async (path: string) => {
    const context = commandContext({ dataDir: folder })
    return [await runCommandLine(['import', path, '--feed', 'crypto/XT'], context), context.errors()]
  }
  expect(await said(folder)).toEqual([2, `tapedeck: ${folder} is a folder. Name the files in it one by one.\n`])
  if (!existsSync('/dev/null')) return
  expect(await said('/dev/null')).toEqual([
    2,
    'tapedeck: /dev/null is a device or pipe, which can be read only once. Import what it contains with: tapedeck import - < /dev/null\n',
  ])
})

it('an empty name is refused, and doesn’t mean the current folder', async () => {
  const context = commandContext({ dataDir: makeFolder('import') })
  expect(await runCommandLine(['import', 'a.csv', ''], context)).toBe(2)
  expect(context.errors()).toContain('argument 2 is empty')
})

it('a wrong option with standard input is wrong usage, not an error of the disk', async () => {
  const context = commandContext({ dataDir: makeFolder('import'), input: Readable.from(['time,symbol,price,size\n']) })
  expect(await runCommandLine(['import', '-', '--feed', 'crypto'], context)).toBe(2)
  expect(context.errors()).toMatch(/^tapedeck: --feed takes one of /)
})
