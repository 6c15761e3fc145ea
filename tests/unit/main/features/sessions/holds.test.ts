/** The retention rules pass by sessions that a team still needs, and make room with others. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { HOLDS_SUFFIX } from '../../../../../src/main/base/store-files.ts'
import { readHolds, writeHolds } from '../../../../../src/main/core/store/library/holds.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import type { StoreLibrary } from '../../../../../src/main/core/store/types/library.ts'
import { createSessionLibrary, type SessionLibrary } from '../../../../../src/main/features/sessions/library.ts'
import type { RetentionRules } from '../../../../../src/shared/features/sessions/retention.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { DEMO, T0 } from '../../core/store/harness.ts'

const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]

let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
let library: SessionLibrary
let rules: RetentionRules
const done: string[] = []
const logged: string[] = []
beforeEach(() => {
  folder = makeStoreFolder()
  engine = new StoreEngine(folder.file)
  for (const id of [A, B]) {
    engine.begin(id, DEMO, unixMs(T0))
    engine.end(unixMs(T0 + 1), [])
    engine.drain()
  }
  reader = openLocalReader(folder.file)
  done.length = 0
  logged.length = 0
  const note = (what: string, ids: readonly string[]) =>
    Promise.resolve(void done.push(...ids.map((id) => `${what} ${id}`)))
  const writes: Pick<StoreLibrary, 'label' | 'erase'> = {
    label: (labels) =>
      note(
        'bin',
        labels.map(({ session }) => session),
      ),
    erase: (ids) => note('erase', ids),
  }
  library = createSessionLibrary({
    reader,
    library: () => writes as StoreLibrary, // the rules call nothing else
    jobs: {
      start: () => {
        throw new Error('not of this test')
      },
    } as never,
    clock: systemClock,
    rules: () => rules,
    held: () => new Set(readHolds(folder.file).keys()),
    log: (_, __, text) => void logged.push(text),
    version: '0',
    dataDir: folder.path,
    flowDays: { forget: (ids) => note('forget', ids) },
  })
})
afterEach(async () => {
  library.close()
  await reader.close()
  engine.close()
  folder.remove()
})

const hold = (...ids: (typeof A)[]) =>
  writeHolds(folder.file, new Map(ids.map((id) => [id, { why: 'the archive lacks it', data: null }])))

it('moves none of them into the bin', async () => {
  rules = { keepDays: 1, keepGb: 0, binDays: 0 }
  hold(A)
  await library.applyRules()
  expect(done).toEqual([`bin ${B}`])
  hold()
  done.length = 0
  await library.applyRules()
  expect(done).toEqual([`bin ${A}`, `bin ${B}`])
})

it('counts them toward the size that sessions may use, so that others make room', async () => {
  const bytes = (await reader.sessions(true)).map((row) => ({ ...row, bytes: 600 }))
  reader.sessions = () => Promise.resolve(bytes)
  rules = { keepDays: 0, keepGb: 1_000 / 1e9, binDays: 0 }
  hold(A)
  await library.applyRules()
  expect(done).toEqual([`bin ${B}`])
})

it('changes nothing while it isn’t known which they are', async () => {
  rules = { keepDays: 1, keepGb: 0, binDays: 0 }
  writeFileSync(folder.file + HOLDS_SUFFIX, 'x')
  await library.applyRules()
  expect(done).toEqual([])
  expect(logged).toEqual([expect.stringContaining('which lists sessions that are still needed')])
})

it('erases none of them from the bin', async () => {
  engine.library.label([A, B].map((session) => ({ session, patch: {}, binnedMs: T0 })))
  rules = { keepDays: 0, keepGb: 0, binDays: 1 }
  hold(B)
  await library.applyRules()
  expect(done).toEqual([`erase ${A}`, `forget ${A}`])
})
