/** A power cut can leave any earlier head next to a store, which must never look like a loss. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { headFile, HeadFile, readHead } from '../../../../../src/main/core/store/wal/store-head.ts'
import { findMissingCommits, inspectLog } from '../../../../../src/main/core/store/wal/log-check.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

it('reports nothing if the head is an earlier one, whatever the store did since', async () => {
  const folder = makeStoreFolder()
  let now = T0
  const states: string[] = []
  const take = (): void => {
    const copy = join(folder.path, `state-${states.length}.db`)
    for (const suffix of ['', '-wal', '-head']) {
      if (existsSync(folder.file + suffix)) copyFileSync(folder.file + suffix, copy + suffix)
    }
    states.push(copy)
  }
  // Three sessions in three starts: journals, sealing, checkpoints, a log that is restarted and one that is emptied.
  for (let start = 0; start < 3; start++) {
    const engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(now), DEMO, unixMs(now))
    take()
    const writer = new Writer()
    for (let round = 0; round < 3; round++) {
      const text = tradeText('BTC-USD', '1'.padEnd(start === 0 && round === 1 ? 9_000_000 : 10, '0'), 1, T0)
      engine.commit([writer.batch([{ conn: 1, data: text }])])
      take()
      engine.copyLogIfDue()
      take()
      now += 40_000
      engine.drain()
      take()
    }
    engine.end(unixMs(now), [])
    engine.drain()
    take()
    engine.close()
    take()
  }
  const heads = states.map((file) => readFileSync(headFile(file)))
  const inFile = states.filter((file) => readHead(file)?.isInFile === true).length
  expect(inFile).toBeGreaterThan(3)
  expect(inFile).toBeLessThan(states.length)
  const rounds = new Set<number>()
  for (const [at, file] of states.entries()) {
    for (const head of heads.slice(0, at + 1)) {
      writeFileSync(headFile(file), head)
      rounds.add(readHead(file)?.position?.salt1 ?? 0)
      const { head: read, verdict } = inspectLog(file, () => false)
      const reader = openLocalReader(file)
      expect([at, ['sound', 'gone'].includes(verdict.is), findMissingCommits(reader.queries.db, read)]).toEqual([
        at,
        true,
        null,
      ])
      await reader.close()
    }
  }
  expect(rounds.size).toBeGreaterThan(3)
  folder.remove()
})

it('is read from the other slot if a write of one was cut off', () => {
  const folder = makeStoreFolder()
  const file = new HeadFile(folder.file)
  const head = { position: null, isInFile: true, last: null, closed: null }
  for (let n = 1; n <= 4; n++) file.write({ ...head, log: { n, hash: new Uint8Array(32).fill(n) } }, true)
  file.close()
  expect(readHead(folder.file)?.log?.n).toBe(4)
  const good = readFileSync(headFile(folder.file))
  for (const place of [0, 512]) {
    for (let byte = 0; byte < 256; byte += 5) {
      const bad = Buffer.from(good)
      bad[place + byte] = bad[place + byte] ^ 1
      writeFileSync(headFile(folder.file), bad)
      expect(readHead(folder.file)?.log?.n).toBe(place === 0 ? 3 : 4)
    }
  }
  rmSync(headFile(folder.file))
  expect(readHead(folder.file)).toBeNull()
  folder.remove()
})
