/** Sessions that a verification found corrupt stay marked until one finds them intact, or they are erased. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FINDINGS_SUFFIX } from '../../../../../../src/main/base/store-files.ts'
import { forgetFindings, readFindings, saveFindings } from '../../../../../../src/main/core/store/library/findings.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0 } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'

const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]
const found = (...sessions: (typeof A)[]) => ({
  problems: sessions.map((session) => ({ session, kind: 'torn' as const, feed: null, atMs: null, detail: '' })),
})

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())
const corrupt = () => [...readFindings(folder.file)]

it('are what the newest verification of each session found', () => {
  expect(corrupt()).toEqual([])
  for (const [session, report, marked] of [
    [A, found(A), [A]],
    [B, found(), [A]],
    [B, found(B), [A, B]],
    [A, found(), [B]],
    [null, found(A), [A]],
    [null, { ...found(B), unlisted: 3 }, [A, B]],
    [null, found(), []],
  ] as const) {
    expect(saveFindings(folder.file, session, report)).toBe(true)
    expect(corrupt()).toEqual(marked)
  }
  expect(existsSync(folder.file + FINDINGS_SUFFIX), 'no file without findings').toBe(false)
})

it('are gone with the session, which may be imported again intact', () => {
  const engine = new StoreEngine(folder.file)
  for (const id of [A, B]) {
    engine.begin(id, DEMO, unixMs(T0))
    engine.end(unixMs(T0 + 1), [])
    engine.drain()
  }
  saveFindings(folder.file, null, found(A, B))
  engine.library.erase([A])
  engine.close()
  expect(corrupt()).toEqual([B])
  forgetFindings(folder.file, [A])
  expect(corrupt()).toEqual([B])
})

it.each(['', '{"version":1,"corrupt":["A"]}', '{"version":2,"corrupt":[]}'])(
  'are none where the file has %j',
  (text) => {
    writeFileSync(folder.file + FINDINGS_SUFFIX, text)
    expect(corrupt()).toEqual([])
    saveFindings(folder.file, A, found(A))
    expect(corrupt()).toEqual([A])
  },
)

it('are not saved in a folder that isn’t there', () => {
  expect(saveFindings(join(folder.path, 'none', 'tapedeck.db'), A, found(A))).toBe(false)
  expect(corrupt()).toEqual([])
})
