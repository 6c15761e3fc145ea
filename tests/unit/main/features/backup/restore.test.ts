import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeBackup } from '../../../../../src/main/features/backup/backup.ts'
import { systemDisk, type Disk } from '../../../../../src/main/features/backup/disk.ts'
import { restoreBackup, type Restored } from '../../../../../src/main/features/backup/restore.ts'
import { readNote, settleRestore } from '../../../../../src/main/features/backup/restore-note.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { isLocked, lockStore } from '../../../../../src/main/core/store/schema/lock.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { realStorePath } from '../../../../../src/main/core/store/schema/store-path.ts'
import { settleAtStart, settleUnfinished } from '../../../../../src/main/hosts/finish-interrupted.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { DEMO, readEverything, T0, Writer } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
let home: string
let store: string
let backup: string
beforeEach(() => {
  folder = makeStoreFolder()
  home = join(folder.path, 'home')
  store = join(folder.path, 'disk', 'tapedeck.db')
  backup = join(folder.path, 'backup')
  mkdirSync(join(home, 'drawings'), { recursive: true })
})
afterEach(() => folder.remove())

/** Records one session of so many messages. */
async function record(file: string, count: number): Promise<void> {
  const writer = await openStoreWriter({ file })
  await writer.begin(DEMO, unixMs(T0))
  const batches = new Writer()
  writer.append(
    batches.batch(Array.from({ length: count }, (_, i) => ({ conn: 1, data: tradeText('BTC-USD', i, 1, T0 + i) }))),
  )
  await writer.end(unixMs(T0 + 1_000), [])
  await writer.close()
}
const back = (disk?: Disk): ReturnType<typeof makeBackup> =>
  makeBackup({ store, dataDir: home, out: backup, nowMs: T0, version: 'test', lock: lockStore, disk })
const restore = (disk?: Disk, from = backup): Promise<Restored> =>
  restoreBackup({ from, store, dataDir: home, storePath: store, nowMs: T0, lock: lockStore, disk })

const messages = async (file: string): Promise<number> => {
  const reader = await openStoreReader({ file })
  try {
    expect((await reader.verify(null)).problems).toEqual([])
    return (await readEverything(reader)).length
  } finally {
    await reader.close()
  }
}
const everyFile = (at: string): string[] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** A disk on which the program dies right before the step of this number: nothing happens any more, cleaning up included. */
function dyingDisk(at: number): { readonly disk: Disk; readonly died: () => boolean } {
  let steps = 0
  const step = <A extends unknown[], R>(run: (...args: A) => R) => {
    return (...args: A): R => {
      if (++steps >= at) throw new Error('killed')
      return run(...args)
    }
  }
  const { makeFolder, copy, write, rename, move, remove, syncFolder } = systemDisk
  return {
    disk: {
      makeFolder: step(makeFolder),
      copy: step(copy),
      write: step(write),
      rename: step(rename),
      move: step(move),
      remove: step(remove),
      syncFolder: step(syncFolder),
    },
    died: () => steps >= at,
  }
}

/** A home and a store of 30 messages, and a backup with 20, other settings and another drawing. */
async function prepare(): Promise<void> {
  await record(store, 20)
  writeFileSync(join(home, 'settings.json'), '{"zone":"UTC"}')
  writeFileSync(join(home, 'drawings', 'a.json'), '{"old":true}')
  await back()
  rmSync(dirname(store), { recursive: true })
  await record(store, 30)
  // What a crash leaves goes where its store goes.
  writeFileSync(`${store}-wal`, '')
  writeFileSync(join(home, 'settings.json'), '{"zone":"local"}')
  writeFileSync(join(home, 'drawings', 'a.json'), '{"new":true}')
}

describe('a restore that is killed', () => {
  test('before any of its steps: the next start finishes or undoes it and says so', async () => {
    await prepare()
    const now = join(folder.path, 'now')
    renameSync(join(folder.path, 'disk'), `${now}-disk`)
    renameSync(home, `${now}-home`)
    const seen = new Set<string>()
    for (let at = 1; ; at++) {
      for (const [name, path] of [
        ['disk', join(folder.path, 'disk')],
        ['home', home],
      ] as const) {
        rmSync(path, { recursive: true, force: true })
        mkdirSync(path)
        for (const file of everyFile(`${now}-${name}`)) {
          const to = join(path, file.slice(`${now}-${name}`.length))
          mkdirSync(dirname(to), { recursive: true })
          writeFileSync(to, readFileSync(file))
        }
      }
      const { disk, died } = dyingDisk(at)
      const result = await restore(disk).catch((thrown: unknown) => thrown)
      if (!died()) {
        expect(result).toMatchObject({ list: { madeMs: T0 } })
        expect(at).toBeGreaterThan(25)
        break
      }
      expect(result).toMatchObject({ message: 'killed' })
      // Nobody opens a store in the middle of the swap.
      const opened = await openStoreReader({ file: store }).catch((thrown: unknown) => thrown)
      if (opened instanceof Error) expect(opened).toMatchObject({ code: 'store-locked' })
      else await (opened as Awaited<ReturnType<typeof openStoreReader>>).close()
      const said = settleUnfinished(home, at % 2 === 0 ? store : null)
      expect(said.length).toBeLessThanOrEqual(1)
      seen.add(said[0]?.replace(/.* was interrupted/, '').slice(0, 24) ?? 'nothing to do')
      const count = await messages(store)
      const whole = {
        settings: readFileSync(join(home, 'settings.json'), 'utf8'),
        drawing: readFileSync(join(home, 'drawings', 'a.json'), 'utf8'),
      }
      if (count === 30) expect(whole).toEqual({ settings: '{"zone":"local"}', drawing: '{"new":true}' })
      else {
        expect(count).toBe(20)
        expect(JSON.parse(whole.settings)).toMatchObject({ zone: 'UTC', recording: { storePath: store } })
        expect(whole.drawing).toBe('{"old":true}')
        // Everything that was there is beside.
        const aside = readdirSync(dirname(store)).find((name) => name.startsWith('before-restore-')) ?? ''
        expect(await messages(join(dirname(store), aside, 'tapedeck.db'))).toBe(30)
        expect(readFileSync(join(home, aside, 'settings.json'), 'utf8')).toBe('{"zone":"local"}')
      }
      const left = [...everyFile(home), ...everyFile(dirname(store))].filter((file) =>
        /restoring|unfinished|partial|\.tmp$/.test(file),
      )
      expect(left.filter((file) => !file.endsWith('.tmp'))).toEqual([])
      expect(settleUnfinished(home, store)).toEqual([])
    }
    expect(seen).toEqual(
      new Set(
        ['nothing to do', ' before it changed anythi', '. It has been finished no'].map((one) => one.slice(0, 24)),
      ),
    )
  }, 120_000)

  test('by SIGKILL, again and again: the store is always the old one or the backup, whole', async () => {
    await prepare()
    const program = fileURLToPath(new URL('restoring-process.ts', import.meta.url))
    const found = new Set<number>()
    let at = 2
    for (; ; at += 5) {
      const { signal, status, stderr } = spawnSync(process.execPath, [program, backup, store, home, String(at)], {
        encoding: 'utf8',
      })
      expect([signal, status, stderr]).toEqual(signal === null ? [null, 0, ''] : ['SIGKILL', null, ''])
      const context = commandContext({ dataDir: home })
      expect(await runCommandLine(['sessions', '--store', store], context)).toBe(0)
      const count = await messages(store)
      found.add(count)
      expect([20, 30]).toContain(count)
      if (signal === null) break
    }
    expect(at).toBeGreaterThan(20)
    expect(await messages(store)).toBe(20)
    expect(found).toEqual(new Set([20, 30]))
  }, 120_000)

  test('is finished by the command line before anything is read, with a sentence', async () => {
    await prepare()
    let at = 1
    while (
      !/"swapping"/.test(existsSync(`${store}-restoring.json`) ? readFileSync(`${store}-restoring.json`, 'utf8') : '')
    ) {
      await restore(dyingDisk(at++).disk).catch(() => undefined)
    }
    const context = commandContext({ dataDir: home })
    expect(await runCommandLine(['sessions', '--store', store], context)).toBe(0)
    expect(context.errors()).toMatch(
      /A restore of the backup of 2026-01-05T10:00:00.000Z was interrupted. It has been finished now. The previous data is in /,
    )
    expect(await messages(store)).toBe(20)
  })

  test('while it still runs, others wait for it or leave it alone', async () => {
    await prepare()
    let looked = 0
    const disk: Disk = {
      ...systemDisk,
      rename(from, to) {
        systemDisk.rename(from, to)
        if (!existsSync(`${store}-restoring.json`)) return
        looked += 1
        const isCopying = readFileSync(`${store}-restoring.json`, 'utf8').includes('copying')
        const settle = () => settleRestore(store, realStorePath, lockStore)
        if (isCopying) expect(settle()).toBeNull()
        else expect(settle).toThrow(/being restored/)
      },
    }
    await restore(disk)
    expect(looked).toBeGreaterThan(3)
    expect(isLocked(store)).toBe(false)
    expect(await messages(store)).toBe(20)
  })
})

test('a copy that does not read as the backup undoes the restore', async () => {
  await prepare()
  const disk: Disk = {
    ...systemDisk,
    async copy(from, to) {
      await systemDisk.copy(from, to)
      if (to.endsWith('.db.restoring')) writeFileSync(to, 'torn')
    },
  }
  await expect(restore(disk)).rejects.toMatchObject({ code: 'store-damaged' })
  expect(await messages(store)).toBe(30)
  expect(everyFile(folder.path).filter((file) => file.includes('restoring'))).toEqual([])
})

test('one that cannot be finished does not keep the terminal from starting, and says why', async () => {
  await prepare()
  let at = 1
  while (!readNote(store)?.phase.startsWith('swap')) await restore(dyingDisk(at++).disk).catch(() => undefined)
  const held = lockStore(store)
  expect(() => settleUnfinished(home, null)).toThrow(/being restored into/)
  expect(settleAtStart(home, null)).toEqual([
    expect.stringMatching(/A backup is being restored into .* Try again in a moment/),
  ])
  held.release()
  expect(settleAtStart(home, null)).toEqual([expect.stringMatching(/It has been finished now/)])
})

test('what was saved after a loss of the former store goes with it: verification names none of it any more', async () => {
  await prepare()
  const saved = ['-wal.corrupt-2026-01-05T10-00-00-000Z', '-head.lost-2026-01-05T10-00-00-000Z']
  for (const suffix of saved) writeFileSync(store + suffix, suffix)
  writeFileSync(`${store}-notes`, 'of the user')
  const { kept } = await restore()
  expect(await messages(store)).toBe(20)
  for (const suffix of saved) expect(readFileSync(join(kept[0], `tapedeck.db${suffix}`), 'utf8')).toBe(suffix)
  expect(existsSync(`${store}-notes`)).toBe(true)
})

test('files of a read-only medium can be written once they are restored', async () => {
  await prepare()
  for (const file of everyFile(backup)) chmodSync(file, 0o444)
  await restore()
  for (const file of [store, join(home, 'drawings', 'a.json')]) expect(statSync(file).mode & 0o200).toBe(0o200)
  await record(store, 5)
})

test('a full disk undoes the restore with a sentence', async () => {
  await prepare()
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  await expect(restore({ ...systemDisk, copy: () => Promise.reject(full) })).rejects.toMatchObject({
    code: 'disk-full',
  })
  expect(await messages(store)).toBe(30)
})

test('copies are synced before the swap, names before and after it', async () => {
  await prepare()
  const steps: string[] = []
  const told = (what: string, path: string) =>
    void steps.push(`${what} ${path.slice(folder.path.length + 1).replace(/before-restore-[^/]+/, 'ASIDE')}`)
  await restore({
    ...systemDisk,
    move: (from, to) => (told('move', from), systemDisk.move(from, to)),
    rename: (from, to) => (told('rename', from), systemDisk.rename(from, to)),
    syncFolder: (path) => (told('sync', path), systemDisk.syncFolder(path)),
  })
  const swap = steps.slice(steps.lastIndexOf('rename disk/tapedeck.db-restoring.json.tmp') + 2)
  const first = swap.findIndex((step) => step.startsWith('rename'))
  const last = swap.findLastIndex((step) => step.startsWith('rename'))
  const wanted = ['sync disk/ASIDE', 'sync disk', 'sync home']
  expect(swap.slice(0, first)).toEqual(expect.arrayContaining(wanted))
  expect(swap.slice(last)).toEqual(expect.arrayContaining(wanted))
  // The log leaves before the store that it belongs to.
  const moved = swap.filter((step) => step.startsWith('move disk'))
  expect(moved[0]).toBe('move disk/tapedeck.db-wal')
  expect(moved.at(-1)).toBe('move disk/tapedeck.db')
})

const otherDisk = ['/dev/shm', '/run'].find((path) => {
  try {
    return statSync(path).dev !== statSync(tmpdir()).dev && mkdtempSync(join(path, 'tapedeck-probe-')).length > 0
  } catch {
    return false
  }
})
test.skipIf(otherDisk === undefined)('store and home on two file systems, the backup on either', async () => {
  const far = mkdtempSync(join(otherDisk ?? '', 'tapedeck-restore-'))
  try {
    store = join(far, 'tapedeck.db')
    await prepare()
    const { kept } = await restore()
    expect(await messages(store)).toBe(20)
    expect(kept.map((path) => dirname(path))).toEqual([far, home])
    expect(await messages(join(kept[0], 'tapedeck.db'))).toBe(30)
    // The drawings' folder itself may be on another one.
    rmSync(join(home, 'drawings'), { recursive: true })
    const file = join(far, 'x')
    writeFileSync(file, 'text')
    systemDisk.move(file, join(home, 'x'))
    expect(readFileSync(join(home, 'x'), 'utf8')).toBe('text')
    expect(existsSync(file)).toBe(false)
  } finally {
    rmSync(far, { recursive: true, force: true })
    for (const name of readdirSync(otherDisk ?? '')) {
      if (name.startsWith('tapedeck-probe-')) rmSync(join(otherDisk ?? '', name), { recursive: true })
    }
  }
})

describe('a backup that is killed', () => {
  test('before any of its steps: the next run deletes its partial copy, and only that', async () => {
    await record(store, 20)
    for (let at = 1; ; at++) {
      rmSync(backup, { recursive: true, force: true })
      const { disk, died } = dyingDisk(at)
      await back(disk).catch(() => undefined)
      if (!died()) break
      const said = settleUnfinished(home, store)
      const left = readdirSync(folder.path).filter((name) => name.endsWith('.partial'))
      expect(left).toEqual([])
      expect(existsSync(join(home, 'unfinished')) ? readdirSync(join(home, 'unfinished')) : []).toEqual([])
      for (const sentence of said) expect(sentence).toMatch(/A backup was interrupted; its partial copy .* was deleted/)
      if (existsSync(backup)) expect(await messages(join(backup, 'tapedeck.db'))).toBe(20)
    }
  }, 60_000)

  test('one that is being made is left alone', async () => {
    await record(store, 20)
    let looked = false
    await makeBackup({
      store,
      dataDir: home,
      out: backup,
      nowMs: T0,
      version: 'test',
      lock: lockStore,
      onPart() {
        expect(settleUnfinished(home, store)).toEqual([])
        looked = true
      },
    })
    expect(looked).toBe(true)
    expect(await messages(join(backup, 'tapedeck.db'))).toBe(20)
    expect(readdirSync(backup).sort()).toEqual(['backup.json', 'drawings', 'tapedeck.db'])
  })
})

test('what belongs to one computer is neither backed up nor restored, even if a backup has it', async () => {
  await record(store, 3)
  const own = ['api.json', 'credentials.json', 'alert-actions.json', 'window.json']
  for (const name of own) writeFileSync(join(home, name), '{"mine":true}')
  await back()
  expect(own.filter((name) => existsSync(join(backup, name)))).toEqual([])
  // A backup from someone else that would run a program at the next alert, under a name that some systems take for ours.
  const list = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')) as { files: object[] }
  for (const name of ['alert-actions.json', 'Alert-Actions.json']) {
    const text = '{"command":["evil"]}'
    writeFileSync(join(backup, name), text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    list.files.push({ ...list.files[0], name, bytes: text.length, sha256 })
  }
  writeFileSync(join(backup, 'backup.json'), JSON.stringify(list))
  await restore()
  expect(readFileSync(join(home, 'alert-actions.json'), 'utf8')).toBe('{"mine":true}')
  expect(existsSync(join(home, 'Alert-Actions.json'))).toBe(false)
})
