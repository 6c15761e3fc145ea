/** What an import of the command line says of files that it can't read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { commandContext } from '../../hosts/cli/context.ts'

it.each([
  ['trades.zip', 'PK\u0003\u0004…', 2, 'trades.zip is a zip file or a workbook. Unpack the zip file'],
  ['empty.csv', '', 1, 'empty.csv is empty.'],
  ['monday.tapedeck', 'TAPE', 1, 'monday.tapedeck isn’t a session file of Tapedeck, or its start is corrupt.'],
  ['odd.csv', 'foo,bar\n1,2\n', 2, 'odd.csv isn’t a Tapedeck export: name the feed of its rows with --feed'],
])('%s is refused for what it is', async (name, content, expected, sentence) => {
  const folder = makeFolder('import')
  writeFileSync(join(folder, name), content, 'latin1')
  const context = commandContext({ dataDir: folder })
  const code = await runCommandLine(['import', join(folder, name)], context)
  expect([code, context.output(), context.errors()]).toEqual([expected, '', expect.stringContaining(sentence)])
})

it('an empty name is refused, and doesn’t mean the current folder', async () => {
  const context = commandContext({ dataDir: makeFolder('import') })
  expect(await runCommandLine(['import', 'a.csv', ''], context)).toBe(2)
  expect(context.errors()).toContain('argument 2 is empty')
})
