import { openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { probeFolder, type ProbeDisk } from '../../../../../src/main/hosts/cli/probe-folder.ts'
import { makeFolder as makeTestFolder } from '../../../../kit/folder.ts'

const WORKS: ProbeDisk = {
  makeFolder: () => null,
  create: (path) => openSync(path, 'wx'),
  write: () => undefined,
  sync: () => undefined,
  rename: () => undefined,
  freeFiles: () => 1_000,
}
const fails = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: it failed`), { code })
}

it('leaves nothing where something can be recorded', () => {
  const folder = makeTestFolder('probe')
  expect(probeFolder(folder)).toBeNull()
  expect(probeFolder(join(folder, 'a', 'b'))).toBeNull()
  expect(readdirSync(folder)).toEqual([])
})

it('explains a file in place of a folder', () => {
  const folder = makeTestFolder('probe')
  writeFileSync(join(folder, 'file'), '')
  expect(probeFolder(join(folder, 'file'))).toContain('can’t be created. Use --home')
  expect(probeFolder(join(folder, 'file', 'x'))).toContain('can’t be created. Use --home')
})

it.each<[string, Partial<ProbeDisk>, RegExp]>([
  ['a full disk', { write: fails('ENOSPC') }, /^The disk of .* is full\. Free some space/],
  ['a full disk that says so late', { sync: fails('ENOSPC') }, /^The disk of .* is full\./],
  ['a disk without inodes', { create: fails('ENOSPC'), freeFiles: () => 0 }, /no room for another file.*Delete files/],
  ['a quota', { write: fails('EDQUOT') }, /^Your quota on the disk of .* is used up\./],
  ['a read-only disk', { create: fails('EROFS') }, /is on a read-only disk\. Use --home/],
  ['missing permissions', { create: fails('EACCES') }, /isn’t writable\. Change its permissions/],
  ['a folder that can’t be made', { makeFolder: fails('ENOENT') }, /can’t be created\. Use --home/],
  ['a disk without renaming', { rename: fails('EIO') }, /^Writing in .* failed: EIO: it failed\. Check the disk/],
])('explains %s, and leaves nothing', (_what, failing, sentence) => {
  const folder = makeTestFolder('probe')
  expect(probeFolder(folder, { ...WORKS, ...failing })).toMatch(sentence)
  expect(readdirSync(folder)).toEqual([])
})
