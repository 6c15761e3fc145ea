/** After a clean end the database file alone holds everything: nothing may remain in the write-ahead log. */
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const logBytes = (): number => statSync(`${folder.file}-wal`, { throwIfNoEntry: false })?.size ?? 0

const recordSome = (engine: StoreEngine): void => {
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  const writer = new Writer()
  for (let i = 0; i < 20; i++) engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', i, 1, T0 + i) }])])
}

/** Verifies a copy of the database file without the files next to it. */
async function verifyFileAlone(): Promise<unknown> {
  const alone = join(folder.path, 'alone.db')
  copyFileSync(folder.file, alone)
  const reader = openLocalReader(alone)
  const { sessions, messages, problems } = await reader.verify(null)
  const [session] = await reader.sessions()
  await reader.close()
  return { sessions, messages, problems, isClean: session?.clean }
}
const whole = { sessions: 1, messages: 20, problems: [], isClean: true }

describe('closing the store', () => {
  it('leaves everything in the file, without readers or while one has it open', async () => {
    for (const isRead of [false, true]) {
      folder.remove()
      folder = makeStoreFolder()
      const engine = new StoreEngine(folder.file)
      const reader = isRead ? openLocalReader(folder.file) : null
      recordSome(engine)
      expect((await reader?.verify(null))?.messages ?? 20).toBe(20)
      engine.end(unixMs(T0 + 1_000), [])
      engine.drain()
      engine.close()
      expect(logBytes()).toBe(0)
      expect(existsSync(`${folder.file}-wal`)).toBe(isRead)
      expect(await verifyFileAlone()).toEqual(whole)
      await reader?.close()
      expect(await verifyFileAlone()).toEqual(whole)
    }
  })

  it('empties the log after each close record while the store stays open', async () => {
    const engine = new StoreEngine(folder.file)
    const reader = openLocalReader(folder.file)
    recordSome(engine)
    expect(logBytes()).toBeGreaterThan(0)
    engine.end(unixMs(T0 + 1_000), [])
    engine.drain()
    expect(logBytes()).toBe(0)
    expect(await verifyFileAlone()).toEqual(whole)
    await reader.close()
    engine.close()
  })

  it('retries emptying the log if a reader was in the middle of a read', () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    const reader = openLocalReader(folder.file)
    recordSome(engine)
    const { db } = reader.queries
    db.exec('BEGIN')
    db.prepare('SELECT count(*) FROM journal').get()
    engine.end(unixMs(T0 + 1_000), [])
    engine.drain()
    expect(logBytes()).toBeGreaterThan(0)
    expect(engine.hasWork).toBe(false)
    db.exec('COMMIT')
    now += 1_000
    expect(engine.hasWork).toBe(true)
    engine.drain()
    expect(logBytes()).toBe(0)
    db.close()
    engine.close()
  })
})
