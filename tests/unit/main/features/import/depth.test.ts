import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readManifest } from '../../../../../src/main/features/import/manifest.ts'
import { incoming } from '../../../../../src/main/features/import/rows.ts'
import { decodeEntries, readMeta } from '../../../../../src/main/features/sessions/meta.ts'
import { MAX_JSON_DEPTH } from '../../../../../src/shared/base/json-depth.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const DEEP = '['.repeat(MAX_JSON_DEPTH + 1) + ']'.repeat(MAX_JSON_DEPTH + 1)

let folder: string
let file: string
beforeEach(() => {
  folder = makeFolder('depth')
  file = join(folder, 'file')
  writeFileSync(file, DEEP)
})
afterEach(() => {
  vi.restoreAllMocks()
})

it.each([
  ['a manifest', () => readManifest(file), null],
  [
    'a line of an import',
    async () => {
      const found = []
      for await (const { problems } of incoming(file, { is: 'lines', raw: true }, null)) found.push(...problems)
      return found
    },
    [{ line: 1, text: 'it isn’t JSON' }],
  ],
  ['the description of a session file', async () => readMeta(Buffer.from(DEEP)), /store-damaged/],
  ['the entries of a session file', () => decodeEntries(Buffer.from(DEEP)), /store-damaged/],
])('%s that nests too deep is refused before it is parsed', async (_name, read, outcome) => {
  const parse = vi.spyOn(JSON, 'parse')
  const found = await read().catch((thrown: { code: string }) => thrown.code)
  if (outcome instanceof RegExp) expect(found).toMatch(outcome)
  else expect(found).toEqual(outcome)
  expect(parse.mock.calls.filter(([text]) => text === DEEP)).toEqual([])
})

it('a line of an import that has no end is searched once, and refused', async () => {
  const split = vi.spyOn(String.prototype, 'split')
  writeFileSync(file, `{"feed":"${'x'.repeat(2_000_000)}`)
  const readAll = async () => {
    const problems = []
    for await (const portion of incoming(file, { is: 'lines', raw: true }, null)) problems.push(...portion.problems)
    return problems
  }
  const found = await readAll()
  const searched = split.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0)
  expect(found).toEqual([{ line: 1, text: 'it isn’t JSON' }])
  expect(searched).toBeLessThan(2_100_000)

  writeFileSync(file, `{}\n{"feed":"${'x'.repeat((64 << 20) + 1)}`)
  await expect(readAll()).rejects.toMatchObject({
    code: 'bad-file',
    message: 'Line 2 is too long.',
  })
})
