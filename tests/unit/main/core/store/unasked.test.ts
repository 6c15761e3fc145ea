/** A service that keeps sending tickers without a subscription: the cost is bounded and nothing is lost. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_UNASKED_SERIES } from '../../../../../src/main/core/store/write/buckets.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { FLAG, type VerifyReport } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs, type InstrumentId } from '../../../../../src/shared/base/units.ts'
import { DEMO, latin1, readEverything, T0, Writer, type Item, type Row } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
let now: number
let engine: StoreEngine
let writer: Writer
let sent: string[]
beforeEach(() => {
  folder = makeStoreFolder()
  now = T0
  engine = new StoreEngine(folder.file, () => now)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  writer = new Writer()
  sent = []
})
afterEach(() => folder.remove())

/** One message of each ticker, committed and sealed. */
function record(tickers: readonly string[], flags: number): void {
  const items = tickers.map((ticker, i): Item => {
    const data = tradeText(ticker, 1 + ((sent.length + i) % 977) / 8, 1, T0 + sent.length + i)
    return { conn: 1, data, flags }
  })
  sent.push(...items.map((item) => ('data' in item ? String(item.data) : '')))
  engine.commit([writer.batch(items)])
  now += SEAL_AFTER_MS
  engine.drain()
}

const tickers = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `T${from + i}-USD`)

function end(): void {
  engine.end(unixMs(now), [])
  engine.drain()
  engine.close()
}

function tamper(sql: string, ...args: unknown[]): void {
  const db = new Database(folder.file)
  db.prepare(sql).run(...args)
  db.close()
}

/** Counts of series, of series with a name, and of blocks. */
function counts(): { series: number; named: number; blocks: number } {
  const db = new Database(folder.file, { readonly: true })
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get())
  const found = {
    series: one('SELECT count(*) FROM series'),
    named: one("SELECT count(*) FROM series WHERE instrument <> ''"),
    blocks: one('SELECT count(*) FROM block'),
  }
  db.close()
  return found
}

async function verify(): Promise<VerifyReport> {
  const reader = openLocalReader(folder.file)
  try {
    return await reader.verify(null)
  } finally {
    await reader.close()
  }
}

/** Every message as returned by ticks, and by a replay of the only session. */
async function readRows(): Promise<{ readonly rows: Row[]; readonly replayed: string[] }> {
  const reader = openLocalReader(folder.file)
  try {
    const rows = await readEverything(reader)
    const replayed: string[] = []
    const [{ session }] = await reader.sessions()
    for await (const { count, offsets, bytes } of reader.replay({ session, afterSeq: 0 }))
      for (let i = 0; i < count; i++) replayed.push(latin1(bytes.slice(offsets[i], offsets[i + 1])))
    return { rows, replayed }
  } finally {
    await reader.close()
  }
}

/** Seqs that `ticks` returns for one instrument; '' for messages stored without one. */
async function seqsOf(instrument: string): Promise<number[]> {
  const reader = openLocalReader(folder.file)
  const found: number[] = []
  for await (const { seq } of reader.ticks({ feed: 'crypto/XT', instruments: [instrument as InstrumentId] }))
    found.push(...seq)
  await reader.close()
  return found
}

const FEW = 25

describe('tickers without a subscription', () => {
  it('share one series of a feed beyond their limit, keep every byte in order, and verify clean', async () => {
    const many = MAX_UNASKED_SERIES + 2_000
    for (let from = 0; from < many; from += 1_500) record(tickers(from, from + 1_500), FLAG.unasked)
    expect(counts()).toMatchObject({ series: MAX_UNASKED_SERIES + 1, named: MAX_UNASKED_SERIES })
    end()
    expect(counts()).toEqual({
      series: MAX_UNASKED_SERIES + 1,
      named: MAX_UNASKED_SERIES,
      blocks: MAX_UNASKED_SERIES + 1,
    })
    const { rows, replayed } = await readRows()
    expect(rows.map(({ raw }) => raw)).toEqual(sent)
    expect(replayed).toEqual(sent)
    expect(rows.map(({ seq }) => seq)).toEqual(sent.map((_, i) => i + 1))
    expect(new Set(rows.map(({ symbol }) => symbol)).size).toBe(many)
    expect(await verify()).toMatchObject({ ok: true, problems: [], messages: many })
  })

  it('leave room for a subscription, whose messages get a series of their own from then on', async () => {
    const late = `T${MAX_UNASKED_SERIES + 3}-USD`
    record(tickers(0, MAX_UNASKED_SERIES + FEW), FLAG.unasked)
    record([late, 'BTC-USD'], FLAG.unasked)
    record([late], 0)
    record([late, 'ETH-USD'], FLAG.unasked)
    const last = sent.length
    expect(counts()).toMatchObject({ series: MAX_UNASKED_SERIES + 2, named: MAX_UNASKED_SERIES + 1 })
    end()
    expect((await verify()).problems).toEqual([])
    // Messages from before the subscription stay in the shared series: each message is stored once.
    expect(await seqsOf(`crypto:${late.replace('-', '')}`)).toEqual([last - 2, last - 1])
    const shared = Array.from({ length: FEW + 2 }, (_, i) => MAX_UNASKED_SERIES + 1 + i)
    expect(await seqsOf('')).toEqual([...shared, last])
  })

  it('keep their limit if a crash interrupts the session', async () => {
    record(tickers(0, MAX_UNASKED_SERIES - 1), FLAG.unasked)
    engine.commit([
      writer.batch([1, 2].map((n) => ({ conn: 1, data: tradeText(`N${n}-USD`, n, 1, T0), flags: FLAG.unasked }))),
    ])
    engine.close() // without sealing, so that the next start seals the journal
    engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(now), DEMO, unixMs(now))
    engine.drain()
    expect(counts()).toMatchObject({ series: MAX_UNASKED_SERIES + 1, named: MAX_UNASKED_SERIES })
    engine.close()
    expect((await verify()).problems).toEqual([])
  })

  it('are found in the shared series while they are fewer than the limit', async () => {
    record(['T1-USD'], FLAG.unasked)
    end()
    tamper("UPDATE series SET instrument = '', symbols = '[]'")
    const { problems } = await verify()
    expect(problems.map(({ kind, detail }) => [kind, detail])).toContainEqual([
      'structure',
      'seq 1 is stored under no instrument instead of crypto:T1USD',
    ])
  })

  it('hide no subscribed message in the series they share', async () => {
    record(tickers(0, MAX_UNASKED_SERIES + FEW), FLAG.unasked)
    record(['BTC-USD'], 0)
    end()
    tamper(
      `UPDATE block SET series = (SELECT id FROM series WHERE instrument = '')
       WHERE series = (SELECT id FROM series WHERE instrument = 'crypto:BTCUSD')`,
    )
    const { problems } = await verify()
    expect(problems.map(({ detail }) => detail)).toContain(
      `seq ${MAX_UNASKED_SERIES + FEW + 1} is stored under no instrument instead of crypto:BTCUSD`,
    )
  })

  it('are checked in the series they share, byte by byte', async () => {
    record(tickers(0, MAX_UNASKED_SERIES + FEW), FLAG.unasked)
    end()
    const db = new Database(folder.file)
    const { id, data } = db
      .prepare<[], { id: number; data: Buffer }>(
        "SELECT id, data FROM block WHERE series = (SELECT id FROM series WHERE instrument = '')",
      )
      .get()!
    data[data.length - 5] ^= 1
    db.prepare('UPDATE block SET data = ? WHERE id = ?').run(data, id)
    db.close()
    const { problems } = await verify()
    expect(problems.map(({ kind }) => kind)).toContain('missing')
  })
})
