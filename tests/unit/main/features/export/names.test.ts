import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { findExisting } from '../../../../../src/main/features/export/names.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder = ''
beforeEach(() => (folder = makeFolder('names')))

it.each([
  ['ticks.csv', 'ticks.csv', false, 'ticks.csv'],
  ['ticks.BTC-USD.csv', 'ticks.csv', false, undefined],
  ['ticks.BTC-USD.csv', 'ticks.csv', true, 'ticks.BTC-USD.csv'],
  ['ticks.2026-01-05', 'ticks', true, 'ticks.2026-01-05'],
  // A split export never writes these.
  ['ticks.csv', 'ticks.csv', true, undefined],
  ['ticks.csv.manifest.json', 'ticks.csv', true, undefined],
  ['ticks.manifest.json', 'ticks', true, undefined],
  ['other.BTC-USD.csv', 'ticks.csv', true, undefined],
])('of %s, an export to %s (split: %s) would replace %s', async (there, out, split, found) => {
  writeFileSync(join(folder, there), 'kept')
  expect(await findExisting(join(folder, out), split)).toBe(found === undefined ? undefined : join(folder, found))
})
