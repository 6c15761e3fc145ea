import { EventEmitter } from 'node:events'
import type { Session } from 'electron'
import { beforeEach, describe, expect, test, vi } from 'vitest'

const showMessageBox = vi.hoisted(() => vi.fn(() => Promise.resolve({ response: 0, checkboxChecked: false })))
vi.mock('electron', () => ({ dialog: { showMessageBox } }))
const { followSaves, isOwnFile } = await import('../../../../../src/main/hosts/electron/downloads.ts')

const OWN = 'app://tapedeck/'
const BLOB = 'blob:app://tapedeck/7f1e'

beforeEach(() => showMessageBox.mockClear())

/** Begins a download; answers whether it was denied, how to end it, and what was logged. */
function begin(url: string) {
  const session = new EventEmitter()
  const log = vi.fn()
  // As much of a session as is touched.
  followSaves(session as unknown as Session, OWN, log)
  const item = Object.assign(new EventEmitter(), {
    getURL: () => url,
    getSavePath: () => '/full/disk/picture.png',
    getFilename: () => 'picture.png',
  })
  const preventDefault = vi.fn()
  session.emit('will-download', { preventDefault }, item)
  return { item, log, preventDefault }
}

test('only what a page of ours made is a file of ours', () => {
  expect(isOwnFile(BLOB, OWN)).toBe(true)
  expect(isOwnFile('blob:http://localhost:5173/7f1e', 'http://localhost:5173')).toBe(true)
  for (const url of [
    OWN,
    `${OWN}index.html`,
    'https://evil.test/x.exe',
    'blob:https://evil.test/7f1e',
    'blob:null/7f',
    'data:text/plain,x',
    '',
  ])
    expect(isOwnFile(url, OWN), url).toBe(false)
})

describe('a download', () => {
  test('of our own is silent unless it couldn’t be written', () => {
    for (const state of ['completed', 'cancelled', 'interrupted']) {
      const { item, log, preventDefault } = begin(BLOB)
      item.emit('done', {}, state)
      expect(preventDefault).not.toHaveBeenCalled()
      const times = state === 'interrupted' ? 1 : 0
      expect(showMessageBox).toHaveBeenCalledTimes(times)
      expect(log).toHaveBeenCalledTimes(times)
      if (times === 0) continue
      expect(log).toHaveBeenCalledWith('error', 'Couldn’t save a file', '/full/disk/picture.png')
      expect(showMessageBox).toHaveBeenCalledWith(
        expect.objectContaining({ detail: expect.stringContaining('/full/disk/picture.png') as string }),
      )
    }
  })

  test('from elsewhere is denied', () => {
    const { item, log, preventDefault } = begin('https://evil.test/x.exe')
    expect(preventDefault).toHaveBeenCalledOnce()
    expect(log).toHaveBeenCalledWith('warn', 'A page’s attempt to download a file was denied')
    expect(item.listenerCount('done')).toBe(0)
  })
})
