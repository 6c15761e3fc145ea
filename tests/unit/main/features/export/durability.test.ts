/** An exported file is on the disk, in its order, before it has its name. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSafeFile } from '../../../../../src/main/base/file-sink.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let handles: FileHandle
const calls: string[] = []
let underWay = 0

beforeEach(async () => {
  folder = makeFolder('sink')
  calls.length = 0
  const probe = await open(join(folder, 'probe'), 'w')
  await probe.close()
  rmSync(join(folder, 'probe'))
  handles = Object.getPrototypeOf(probe) as FileHandle // what every handle of this process inherits
  const { write, sync } = handles
  // Late answers, as of a slow disk: a write that doesn't wait for the one before it is seen.
  vi.spyOn(handles, 'write').mockImplementation(async function (this: FileHandle, ...args: Parameters<typeof write>) {
    underWay += 1
    calls.push(`write ${underWay}`)
    await new Promise((resolve) => setImmediate(resolve))
    const done = await write.apply(this, args)
    underWay -= 1
    return done
  })
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    calls.push(`sync ${underWay} ${named()}`)
    await sync.apply(this)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const named = (): string => (readdirSync(folder).includes('out.csv') ? 'named' : 'unnamed')

it('writes one piece after the other, syncs all of them, and only then names the file', async () => {
  const file = await createSafeFile(join(folder, 'out.csv'))
  const piece = 'x'.repeat((1 << 20) + 1)
  for (let i = 0; i < 4; i++) {
    file.text(`${i}${piece}`)
    await file.drain()
  }
  await file.finish()
  // No write began while another was under way: a file position never depends on which of two is faster.
  expect(calls).toEqual(['write 1', 'write 1', 'write 1', 'write 1', 'sync 0 unnamed'])
  await file.commit()
  // The folder is synced once it holds the name, where the system can.
  if (process.platform === 'linux') expect(calls.slice(5)).toEqual(['sync 0 named'])
  expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe([0, 1, 2, 3].map((i) => `${i}${piece}`).join(''))
})

it('fails if the disk couldn’t store a piece that was written long before the end', async () => {
  let syncs = 0
  vi.spyOn(handles, 'datasync').mockImplementation(async () => {
    syncs += 1
    await new Promise((resolve) => setImmediate(resolve))
    if (syncs === 1) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
  })
  const file = await createSafeFile(join(folder, 'out.csv'))
  const piece = 'x'.repeat(1 << 20)
  for (let i = 0; i < 20; i++) {
    file.text(piece)
    await file.drain()
  }
  await expect(file.finish()).rejects.toMatchObject({ code: 'disk-error' })
  // The error is that of the first sync: a disk that reports one doesn't report it again.
  expect(syncs).toBeGreaterThan(1)
  await file.discard()
  expect(readdirSync(folder)).toEqual([])
})
