import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFiles, type Files } from '../../../../../src/main/features/import/uploads.ts'
import { manualClock, type ManualClock } from '../../../../kit/clock.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let files: Files
let clock: ManualClock
beforeEach(() => {
  folder = join(makeFolder('files'), 'incoming')
  clock = manualClock(0)
  files = createFiles(folder, clock)
})
afterEach(async () => {
  await files.close()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})
const base64 = (text: string) => Buffer.from(text).toString('base64')
const send = async (text: string, name = 'a.csv') => {
  const { file } = await files.begin({ name, bytes: Buffer.byteLength(text) })
  await files.chunk({ file, offset: 0, data: base64(text.slice(0, 3)) })
  await files.chunk({ file, offset: 3, data: base64(text.slice(3)) })
  await files.end(file)
  return file
}

it('reads a file of this computer where it lies, and leaves it there', async () => {
  const mine = join(folder, '..', 'mine.tapedeck')
  writeFileSync(mine, 'hello')
  const file = await files.adopt(mine)
  expect(files.received(file)).toMatchObject({ path: mine, name: 'mine.tapedeck', bytes: 5, sha256: null })
  await files.drop(file)
  expect(readFileSync(mine, 'utf8')).toBe('hello')
  expect(() => files.received(file)).toThrow()
  await expect(files.adopt(join(folder, 'none'))).rejects.toMatchObject({ code: 'not-found' })
  await expect(files.adopt(join(folder, '..'))).rejects.toMatchObject({ code: 'not-found' })
})

describe('files that come in pieces', () => {
  it('are whole, hashed, and go when dropped', async () => {
    const file = await send('hello world', '../../evil.csv')
    const { path, name, bytes, sha256 } = files.received(file)
    expect(readFileSync(path, 'utf8')).toBe('hello world')
    // the name is kept for the user only: no path is made of it
    expect(path.startsWith(join(folder, '/'))).toBe(true)
    expect({ name, bytes }).toEqual({ name: '../../evil.csv', bytes: 11 })
    expect(sha256).toBe(createHash('sha256').update('hello world').digest('hex'))
    await files.drop(file)
    expect(readdirSync(folder)).toEqual([])
    expect(() => files.received(file)).toThrow('no longer available')
  })

  it('refuse pieces out of order, beyond the end, and an end before it', async () => {
    const { file } = await files.begin({ name: 'a', bytes: 4 })
    await expect(files.chunk({ file, offset: 1, data: base64('b') })).rejects.toMatchObject({ code: 'bad-arguments' })
    await expect(files.chunk({ file, offset: 0, data: base64('12345') })).rejects.toMatchObject({
      code: 'bad-arguments',
    })
    await files.chunk({ file, offset: 0, data: base64('12') })
    await expect(files.end(file)).rejects.toThrow('Only 2 of 4 bytes')
    expect(() => files.received(file)).toThrow('arrived completely')
    await files.chunk({ file, offset: 2, data: base64('34') })
    await files.end(file)
    await expect(files.chunk({ file, offset: 4, data: '' })).rejects.toMatchObject({ code: 'bad-arguments' })
    await expect(files.chunk({ file: 'other', offset: 0, data: '' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('keep their order also when nobody waits', async () => {
    const { file } = await files.begin({ name: 'a', bytes: 300 })
    const pieces = Array.from({ length: 100 }, (_, i) => String(i).padStart(3, '0'))
    await Promise.all(pieces.map((piece, i) => files.chunk({ file, offset: i * 3, data: base64(piece) })))
    await files.end(file)
    expect(readFileSync(files.received(file).path, 'utf8')).toBe(pieces.join(''))
  })

  it('are few, small enough for the disk, and forgotten after an hour', async () => {
    for (let i = 0; i < 8; i++) await files.begin({ name: String(i), bytes: 1 })
    await expect(files.begin({ name: 'more', bytes: 1 })).rejects.toMatchObject({ code: 'budget' })
    clock.advance(3_600_001)
    await files.begin({ name: 'later', bytes: 1 })
    expect(readdirSync(folder)).toHaveLength(1)
    await expect(files.begin({ name: 'huge', bytes: 1e15 })).rejects.toMatchObject({ code: 'disk-full' })
  })

  it('of an earlier run are removed, and of this one at its end', async () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'left'), 'x')
    const next = createFiles(folder, clock)
    expect(existsSync(join(folder, 'left'))).toBe(false)
    await next.begin({ name: 'a', bytes: 1 })
    await next.close()
    expect(existsSync(folder)).toBe(false)
  })
})
