import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseList } from '../../../../../src/main/features/backup/backup.ts'
import { backup } from '../../../../../src/main/features/backup/cli.ts'
import type { Values } from '../../../../../src/main/command-line/command.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { StoreWriter } from '../../../../../src/main/core/store/types/writer.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { DEMO, readEverything, T0, Writer } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const values = (texts: Readonly<Record<string, string>>): Values => ({
  text: (name) => texts[name],
  texts: () => [],
  on: () => false,
})
const writerThread = new URL('../../../../../src/main/store-worker.ts', import.meta.url)

let folder: ReturnType<typeof makeStoreFolder>
let writer: StoreWriter | undefined
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(async () => {
  await writer?.close()
  writer = undefined
  folder.remove()
})

/** A store that is being written by a thread, with so many messages committed. */
async function recording(count: number): Promise<(more: number) => Promise<void>> {
  const opened = await openStoreWriter({ file: folder.file, worker: writerThread })
  writer = opened
  await opened.begin(DEMO, unixMs(T0))
  const batches = new Writer()
  const more = (n: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const from = batches.seq
    opened.onEvent((event) => {
      if (event.is === 'committed' && event.seq >= from + n) resolve()
    })
    opened.append(
      batches.batch(Array.from({ length: n }, (_, i) => ({ conn: 1, data: tradeText('BTC-USD', i, 1, T0 + i) }))),
    )
    return promise
  }
  await more(count)
  return more
}
const context = () => commandContext({ dataDir: folder.path })
const noFeatures = () => Promise.reject(new Error('A backup starts no features.'))
const rowsOf = async (file: string) => {
  const reader = await openStoreReader({ file })
  try {
    return { rows: (await readEverything(reader)).length, report: await reader.verify(null) }
  } finally {
    await reader.close()
  }
}

test('a backup beside a running recorder holds what was committed, and is sound', async () => {
  const more = await recording(5_000)
  writeFileSync(join(folder.path, 'settings.json'), '{"zone":"UTC"}')
  mkdirSync(join(folder.path, 'drawings'))
  writeFileSync(join(folder.path, 'drawings', 'crypto%3ABTCUSD.json'), '{}')
  writeFileSync(join(folder.path, 'window.json'), '{}')
  const out = join(folder.path, 'safe')
  const making = backup.run(values({ out }), context(), noFeatures)
  await more(1_000)
  expect(await making).toBe(0)
  expect(readdirSync(out).sort()).toEqual(['backup.json', 'drawings', 'settings.json', 'tapedeck.db'])
  const { rows, report } = await rowsOf(join(out, 'tapedeck.db'))
  expect(rows).toBeGreaterThanOrEqual(5_000)
  expect(report).toMatchObject({ ok: true, problems: [] })
})

test('a restore brings back what was backed up and sets aside what was there before', async () => {
  const more = await recording(100)
  writeFileSync(join(folder.path, 'settings.json'), '{"zone":"UTC"}')
  mkdirSync(join(folder.path, 'journal'))
  writeFileSync(join(folder.path, 'journal', 'notes.json'), '{"version":1,"notes":[]}')
  writeFileSync(join(folder.path, 'journal', 'a1.png'), 'picture')
  const out = join(folder.path, 'safe')
  await backup.run(values({ out }), context(), noFeatures)
  await more(50)
  await writer?.close()
  writer = undefined
  writeFileSync(join(folder.path, 'settings.json'), '{"zone":"local"}')
  rmSync(join(folder.path, 'journal'), { recursive: true })
  const ran = context()
  expect(await backup.run(values({ restore: out }), ran, noFeatures)).toBe(0)
  expect(readFileSync(join(folder.path, 'settings.json'), 'utf8')).toBe('{"zone":"UTC"}')
  expect(readdirSync(join(folder.path, 'journal')).sort()).toEqual(['a1.png', 'notes.json'])
  expect(readFileSync(join(folder.path, 'journal', 'notes.json'), 'utf8')).toBe('{"version":1,"notes":[]}')
  expect((await rowsOf(folder.file)).rows).toBe(100)
  // The head of the store that was there before says nothing against the one that was restored.
  expect((await rowsOf(folder.file)).report.problems).toEqual([])
  const aside = readdirSync(folder.path).find((name) => name.startsWith('before-restore-')) ?? ''
  expect(ran.output()).toContain(aside)
  expect((await rowsOf(join(folder.path, aside, 'tapedeck.db'))).rows).toBe(150)
})

test('nothing is put back over a store that is being recorded into', async () => {
  await recording(10)
  const out = join(folder.path, 'safe')
  await backup.run(values({ out }), context(), noFeatures)
  await expect(backup.run(values({ restore: out }), context(), noFeatures)).rejects.toMatchObject({
    code: 'store-locked',
  })
  expect(readdirSync(folder.path).some((name) => name.startsWith('before-restore-'))).toBe(false)
})

test.each([
  ['a changed file', (out: string) => appendFileSync(join(out, 'tapedeck.db'), 'x'), 'store-damaged'],
  ['a list that names a file elsewhere', (out: string) => rename(out, '../../../etc/passwd'), 'bad-arguments'],
  ['a torn list', (out: string) => writeFileSync(join(out, 'backup.json'), '{"format":1,'), 'bad-arguments'],
])('%s is refused, and nothing is changed', async (_what, harm, code) => {
  await recording(10)
  const out = join(folder.path, 'safe')
  await backup.run(values({ out }), context(), noFeatures)
  await writer?.close()
  writer = undefined
  harm(out)
  const before = readFileSync(folder.file)
  await expect(backup.run(values({ restore: out }), context(), noFeatures)).rejects.toMatchObject({ code })
  expect(readFileSync(folder.file).equals(before)).toBe(true)
})
function rename(out: string, name: string): void {
  const list = parseList(readFileSync(join(out, 'backup.json'), 'utf8'))
  const files = list.files.map((file) => ({ ...file, name }))
  writeFileSync(join(out, 'backup.json'), JSON.stringify({ ...list, files }))
}

test('a restore of what isn’t there, or no folder, says so', async () => {
  const none = join(folder.path, 'none')
  const restore = (from: string) => backup.run(values({ restore: from }), context(), noFeatures)
  await expect(restore(none)).rejects.toMatchObject({ code: 'not-found', message: `There is no folder ${none}.` })
  writeFileSync(none, '')
  await expect(restore(none)).rejects.toMatchObject({ code: 'not-found', message: `${none} isn’t a folder.` })
  expect(readdirSync(folder.path)).toEqual(['none'])
})

test('without a store, or over something that is there, nothing is made', async () => {
  const out = join(folder.path, 'safe')
  await expect(backup.run(values({ out }), context(), noFeatures)).rejects.toMatchObject({ code: 'not-found' })
  expect(existsSync(out)).toBe(false)
  await recording(1)
  mkdirSync(out)
  await expect(backup.run(values({ out }), context(), noFeatures)).rejects.toMatchObject({ code: 'usage' })
  expect(readdirSync(out)).toEqual([])
})

test('says which file of the app’s folder it can’t write', async () => {
  await recording(1)
  writeFileSync(join(folder.path, 'unfinished'), 'a file where a folder belongs')
  const run = backup.run(values({ out: join(folder.path, 'backup') }), context(), noFeatures)
  await expect(run).rejects.toMatchObject({
    code: 'disk-error',
    message: expect.stringContaining('unfinished') as string,
  })
})
