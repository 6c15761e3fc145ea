import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { lockStore } from '../../../../../src/main/core/store/schema/lock.ts'
import { openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
beforeEach(async () => {
  folder = makeFolder('cli-move')
  const writer = await openStoreWriter({ file: join(folder, 'home', 'tapedeck.db') })
  await writer.close()
})

const run = async (...args: string[]) => {
  const context = commandContext({ dataDir: join(folder, 'home') })
  return { code: await runCommandLine(['move', ...args], context), out: context.output(), err: context.errors() }
}

describe('tapedeck move', () => {
  it('moves the store, and every later command finds it', async () => {
    const from = join(folder, 'home', 'tapedeck.db')
    const { code, out } = await run(join(folder, 'large'), '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ from, to: join(folder, 'large', 'tapedeck.db') })
    expect([from, `${from}-wal`, `${from}.lock`].filter((file) => existsSync(file))).toEqual([])
    expect((await run(join(folder, 'large'))).err).toContain('already in this folder')
    const back = await run(join(folder, 'home'), '--json')
    expect(JSON.parse(back.out)).toMatchObject({ to: from })
  })

  it('to nowhere is refused, and doesn’t mean the current folder', async () => {
    expect(await run('')).toMatchObject({ code: 2, err: expect.stringContaining('argument 1 is empty') as string })
    expect(existsSync(join(folder, 'home', 'tapedeck.db'))).toBe(true)
  })

  it('that is interrupted says that the store stays, and leaves nothing of the copy', async () => {
    const stop = new AbortController()
    const from = join(folder, 'home', 'tapedeck.db')
    const before = readFileSync(from)
    const context = commandContext({ dataDir: join(folder, 'home'), signal: stop.signal })
    const done = runCommandLine(['move', join(folder, 'large')], context)
    stop.abort()
    expect(await done).toBe(130)
    expect(context.errors()).toBe('The move was canceled. The store stays where it was; the partial copy is removed.\n')
    expect(readFileSync(from).equals(before)).toBe(true)
    expect(existsSync(join(folder, 'large'))).toBe(false)
    expect(await run(join(folder, 'large'))).toMatchObject({ code: 0 })
  })

  it('refuses what records, what is no folder, and a store that is not the app’s own', async () => {
    const held = lockStore(join(folder, 'home', 'tapedeck.db'))
    expect(await run(join(folder, 'large'))).toMatchObject({ code: 1 })
    held.release()
    expect(await run()).toMatchObject({ code: 2 })
    expect(await run(join(folder, 'large'), '--store', 'other.db')).toMatchObject({ code: 2 })
    expect(existsSync(join(folder, 'large'))).toBe(false)
  })
})
