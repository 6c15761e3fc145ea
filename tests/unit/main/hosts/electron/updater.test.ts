import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { makeFolder } from '../../../../kit/folder.ts'

const autoUpdater = Object.assign(new EventEmitter(), {
  httpExecutor: { request: () => Promise.resolve(null), createRequest: () => new EventEmitter() },
  quitAndInstall: vi.fn(),
})
vi.mock('electron-updater', () => ({ default: { autoUpdater } }))
const { installedUpdater } = await import('../../../../../src/main/hosts/electron/updater.ts')

let resources: string
beforeEach(() => {
  resources = makeFolder('updater')
})

test('the installer begins only when the host has closed what runs', async () => {
  writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\n')
  const begins: (() => void)[] = []
  const updater = await installedUpdater(true, resources, (begin) => begins.push(begin))
  if ('off' in updater) throw new Error(updater.off)
  updater.install()
  expect(autoUpdater.quitAndInstall).not.toHaveBeenCalled()
  begins[0]()
  expect(autoUpdater.quitAndInstall).toHaveBeenCalledOnce()
})

test('a checkout and a package without an address look for nothing, and say so', async () => {
  const over = vi.fn()
  expect(await installedUpdater(false, resources, over)).toMatchObject({ off: expect.stringContaining('checkout') })
  expect(await installedUpdater(true, resources, over)).toMatchObject({
    off: expect.stringContaining('Install new versions yourself'),
  })
})
