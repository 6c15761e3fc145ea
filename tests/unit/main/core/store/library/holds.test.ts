/** Sessions that are still needed elsewhere can't be erased, whatever asks for it. */
import { existsSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HOLDS_SUFFIX } from '../../../../../../src/main/base/store-files.ts'
import { readHolds, writeHolds } from '../../../../../../src/main/core/store/library/holds.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0 } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'

const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]

describe('a held session', () => {
  let folder: ReturnType<typeof makeStoreFolder>
  let engine: StoreEngine
  beforeEach(() => {
    folder = makeStoreFolder()
    engine = new StoreEngine(folder.file)
    for (const id of [A, B]) {
      engine.begin(id, DEMO, unixMs(T0))
      engine.end(unixMs(T0 + 1), [])
      engine.drain()
    }
  })
  afterEach(() => {
    engine.close()
    folder.remove()
  })

  it('is not erased until it is released, and nothing else in the same call', () => {
    writeHolds(folder.file, new Map([[A, { why: 'the archive lacks it', data: { any: 'thing' } }]]))
    expect(() => engine.library.erase([B, A])).toThrow(`Session ${A} can’t be erased yet: the archive lacks it.`)
    expect([...readHolds(folder.file)]).toEqual([[A, { why: 'the archive lacks it', data: { any: 'thing' } }]])
    engine.library.erase([B])
    writeHolds(folder.file, new Map())
    expect(existsSync(folder.file + HOLDS_SUFFIX)).toBe(false)
    engine.library.erase([A])
  })

  it.each([['{"version":1,"sessions":'], ['{"version":2,"sessions":{}}'], ['{"version":1,"sessions":{"A":{}}}']])(
    'may be any while the list reads %s',
    (text) => {
      writeFileSync(folder.file + HOLDS_SUFFIX, text)
      expect(() => engine.library.erase([B])).toThrow('which lists sessions that are still needed')
      expect(() => readHolds(folder.file)).toThrow('Couldn’t read')
    },
  )
})
