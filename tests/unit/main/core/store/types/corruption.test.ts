import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDigestFold, FOLD_VERSION } from '../../../../../../src/main/core/market/digest.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { verifyStore } from '../../../../../../src/main/core/store/verify/verify.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, readEverything, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'

const FOLDS = { version: FOLD_VERSION, create: createDigestFold }
let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

/** Deterministic, so that a failure can be reproduced. */
function random(seed: number): () => number {
  let s = seed
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0
    return s / 2 ** 32
  }
}

/** A closed session and a live one with a journal: every kind of row. */
function makeStore(file: string): void {
  let now = T0
  const engine = new StoreEngine(file, () => now)
  const next = random(7)
  for (const live of [false, true]) {
    engine.begin(newSessionId(now), DEMO, unixMs(now))
    const writer = new Writer()
    for (let round = 0; round < 6; round++) {
      const items: Item[] = [
        { entry: { type: 'digest', minuteMs: unixMs(T0 + round * 60_000), sha256: 'ab'.repeat(32) } },
        {
          entry: {
            type: 'gap-open',
            feed: 'crypto/XT',
            cause: 'drop',
            symbols: ['BTC-USD'],
            fromMs: unixMs(now),
            skewMs: 7.5,
          },
        },
        { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: writer.seq + 2 } },
      ]
      for (let i = 0; i < 24; i++) {
        const t = T0 + round * 60_000 + i * 2_400
        const p = (30_000 + next() * 100).toFixed(2)
        items.push({ conn: 1, data: tradeText(i % 2 ? 'BTC-USD' : 'ETH-USD', p, (next() * 2).toFixed(4), t) })
        items.push({ conn: 2, data: quoteText('BTC-USD', p, (Number(p) + 1).toFixed(2), t) })
        if (i % 10 === 0) items.push({ conn: 1, data: `not json ${i}` })
      }
      engine.commit([writer.batch(items)])
      const state = Uint8Array.from({ length: 700 }, (_, i) => Math.floor(next() * 4) + (i & 12))
      engine.snapshot({ seq: writer.seq, wallMs: now, version: 1, data: state })
      now += SEAL_AFTER_MS
      if (round < 4) engine.drain()
    }
    if (!live) {
      engine.end(unixMs(now), [])
      engine.drain()
    }
  }
  engine.close()
}

async function contents(file: string): Promise<string> {
  const reader = openLocalReader(file)
  try {
    return JSON.stringify([
      await readEverything(reader, undefined),
      await reader.sessions(),
      await reader.bars({
        instrument: 'crypto:BTCUSD' as never,
        of: 'trade',
        interval: '1m',
        source: 'demo',
        beforeMs: null,
        limit: 100,
      }),
      await reader.bars({
        instrument: 'crypto:BTCUSD' as never,
        of: 'mid',
        interval: '1m',
        source: 'demo',
        beforeMs: null,
        limit: 100,
      }),
      reader.queries.db.prepare('SELECT recording, seq, wall_ms, version, hex(data) FROM snapshot').all(),
      reader.queries.db.prepare('SELECT * FROM entry').all(),
      reader.queries.db.prepare('SELECT n, kind, body, hex(hash) FROM store_log').all(),
    ])
  } finally {
    await reader.close()
  }
}

it('verification detects any flipped byte, unless nothing readable has changed', async () => {
  makeStore(folder.file)
  const good = readFileSync(folder.file)
  const whole = await contents(folder.file)
  expect(whole).toMatch(/"hex\(data\)":"..../)
  const clean = openLocalReader(folder.file)
  expect((await clean.verify(null)).problems).toEqual([])
  await clean.close()
  const next = random(Number(process.env['TAPEDECK_FLIP_SEED'] ?? 1))
  const flips = Number(process.env['TAPEDECK_FLIPS'] ?? 400)
  const copy = join(folder.path, 'copy.db')
  const silent: number[] = []
  let found = 0
  let refused = 0
  for (let i = 0; i < flips; i++) {
    // Mostly in written data; a quarter anywhere, including free pages.
    let at = Math.floor(next() * good.length)
    while (i % 4 !== 0 && good[at] === 0) at = Math.floor(next() * good.length)
    const bad = Buffer.from(good)
    bad[at] = bad[at] ^ (1 << Math.floor(next() * 8))
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
    writeFileSync(copy, bad)
    let problems: number
    try {
      const reader = openLocalReader(copy, FOLDS)
      try {
        // Every other store is checked like one too large for a single read.
        problems = verifyStore(reader.queries, null, undefined, FOLDS, i % 2 === 0 ? {} : { wholeBytes: 0 }).problems
          .length
      } finally {
        await reader.close()
      }
    } catch {
      refused++
      continue
    }
    if (problems > 0) found++
    else if ((await contents(copy).catch(() => 'unreadable')) !== whole) silent.push(at)
  }
  expect({ silent, some: found > flips / 2, refused: refused < flips / 2 }).toEqual({
    silent: [],
    some: true,
    refused: true,
  })
}, 1_000_000)
