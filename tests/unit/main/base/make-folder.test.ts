import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../../src/main/base/make-folder.ts'
import { makeFolder as makeTemporary } from '../../../kit/folder.ts'

test('makes a folder with those it is in, and returns the outermost one that is new', () => {
  const at = makeTemporary('make-folder')
  expect(makeFolder(join(at, 'a', 'b', 'c'), 0o700)).toBe(join(at, 'a'))
  expect(statSync(join(at, 'a', 'b', 'c')).isDirectory()).toBe(true)
  expect(makeFolder(join(at, 'a', 'b', 'c'))).toBeNull()
  expect(makeFolder(join(at, 'a', 'd'))).toBe(join(at, 'a', 'd'))
  mkdirSync(join(at, 'target'))
  symlinkSync(join(at, 'target'), join(at, 'link'))
  expect(makeFolder(join(at, 'link'))).toBeNull()
  expect(makeFolder('/')).toBeNull()
})

test('refuses what can’t be a folder', () => {
  const at = makeTemporary('make-folder')
  writeFileSync(join(at, 'file'), '')
  symlinkSync(join(at, 'nowhere', 'x'), join(at, 'dangling'))
  expect(() => makeFolder(join(at, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(at, 'file', 'x'))).toThrow('ENOTDIR')
  expect(() => makeFolder(join(at, 'dangling'))).toThrow('EEXIST')
  expect(() => makeFolder(join(at, 'dangling', 'x'))).toThrow('EEXIST')
})

test.runIf(process.platform === 'linux')(
  'refuses folders below /proc, where `recursive` never returns [needs linux]',
  () => {
    expect(() => makeFolder('/proc/x')).toThrow('ENOENT')
    expect(() => makeFolder('/proc/x/y')).toThrow('ENOENT')
  },
)
