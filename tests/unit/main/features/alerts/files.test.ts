import { readdirSync, readFileSync } from 'node:fs'
import type * as FsPromises from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { alertFiles } from '../../../../../src/main/features/alerts/files.ts'
import { makeFolder } from '../../../../kit/folder.ts'

/** What was done to files, in order, and a promise that a rename waits for. */
const disk = vi.hoisted(() => ({ steps: [] as string[], renameAfter: [] as Promise<void>[] }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FsPromises>()
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      const handle = await real.open(...args)
      const name = basename(String(args[0]))
      const { sync, writeFile } = handle
      handle.writeFile = async (...written: Parameters<typeof writeFile>) => {
        disk.steps.push(`write ${name}`)
        return writeFile.apply(handle, written)
      }
      handle.sync = async () => {
        await sync.call(handle)
        disk.steps.push(`synced ${name}`)
      }
      return handle
    },
    async rename(from: string, to: string) {
      await disk.renameAfter.shift()
      disk.steps.push(`rename ${basename(from)} to ${basename(to)}`)
      return real.rename(from, to)
    },
  }
})

let folder: string
beforeEach(() => {
  folder = makeFolder('alerts')
  disk.steps.length = 0
  disk.renameAfter.length = 0
})

test('a file is on the disk before it takes the place of the one before', async () => {
  await alertFiles(folder).save('alerts', 'text')
  const draft = `alerts.json.${process.pid}.tmp`
  expect(disk.steps).toEqual([`write ${draft}`, `synced ${draft}`, `rename ${draft} to alerts.json`])
  expect(readdirSync(folder)).toEqual(['alerts.json'])
})

test('an older text never comes to stand over a newer one, however long its rename takes', async () => {
  const files = alertFiles(folder)
  const slow = Promise.withResolvers<void>()
  disk.renameAfter.push(slow.promise)
  const older = files.save('alerts', 'older')
  const newer = files.save('alerts', 'newer')
  // Time for the newer one to overtake the older one, if it may.
  await vi.waitFor(() => expect(disk.steps.filter((step) => step.startsWith('synced')).length).toBeGreaterThan(0))
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  slow.resolve()
  await Promise.allSettled([older, newer])
  expect(readFileSync(join(folder, 'alerts.json'), 'utf8')).toBe('newer')
  expect(disk.steps.map((step) => step.split(' ')[0])).toEqual([
    'write',
    'synced',
    'rename',
    'write',
    'synced',
    'rename',
  ])
})

test('a text that could not be saved keeps no later one from being saved, nor one of another file', async () => {
  const files = alertFiles(folder)
  const failing = Promise.withResolvers<void>()
  disk.renameAfter.push(failing.promise)
  const first = files.save('alerts', 'first')
  const second = files.save('alerts', 'second')
  await vi.waitFor(() => expect(disk.steps).toHaveLength(2))
  await files.save('history', 'other')
  failing.reject(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  await second
  expect(readFileSync(join(folder, 'alerts.json'), 'utf8')).toBe('second')
  expect(readdirSync(folder).sort()).toEqual(['alerts-history.json', 'alerts.json'])
})
