import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exportBars } from '../../../../../src/main/features/export/bars.ts'
import { exportTicks } from '../../../../../src/main/features/export/ticks.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader } from '../../../../../src/main/core/store/open.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const MINUTE = 60_000
let folder: ReturnType<typeof makeStoreFolder>
let reader: StoreReader
let out: string
let closed: SessionId
let open: SessionId

const at = (minute: number) => T0 + minute * MINUTE
const print = (symbol: string, minute: number, price: number): Item => ({
  conn: 1,
  data: tradeText(symbol, price, 1, at(minute) + 1_000),
  recvMs: at(minute) + 1_000,
})
const acknowledged = (minute: number, symbols: readonly string[]): Item => ({
  entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols },
  wallMs: at(minute),
})

/** A closed recording with a drop in the middle, and one of the same source that still runs. */
beforeEach(async () => {
  folder = makeStoreFolder()
  out = join(folder.path, 'out.csv')
  const engine = new StoreEngine(folder.file, () => T0)
  closed = newSessionId(T0)
  engine.begin(closed, DEMO, unixMs(T0))
  engine.commit([
    new Writer().batch([
      acknowledged(0, ['ETH-USD', 'BTC-USD']),
      ...[0, 1, 2].flatMap((minute) => [print('ETH-USD', minute, 10 + minute), print('BTC-USD', minute, 100 + minute)]),
      {
        entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(at(3) + 5_000) },
        wallMs: at(4),
      },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 8 }, wallMs: at(4) },
      ...[3, 4, 5].flatMap((minute) => [print('ETH-USD', minute, 10 + minute), print('BTC-USD', minute, 100 + minute)]),
    ]),
  ])
  engine.end(unixMs(at(6)), [])
  engine.drain()
  open = newSessionId(at(6))
  engine.begin(open, DEMO, unixMs(at(6)))
  engine.commit([
    new Writer().batch([acknowledged(6, ['BTC-USD', 'ADA-USD']), print('BTC-USD', 6, 106), print('ADA-USD', 7, 1)]),
  ])
  engine.close()
  reader = await openStoreReader({ file: folder.file })
})
afterEach(async () => {
  await reader.close()
  folder.remove()
})

const bars = async (more: object = {}) => {
  const { manifest } = await exportBars(reader, { out, asset: 'crypto', of: 'trade', interval: '1m', ...more })
  const rows = (await readFile(out, 'utf8')).trimEnd().split('\n').slice(1)
  const cells = rows.map((row) => row.split(','))
  return {
    rows: cells.map(([symbol, start, , , , , close]) => `${symbol} ${(Number(start) - T0) / MINUTE} ${close}`),
    incomplete: cells
      .filter((row) => row[9] === 'false')
      .map(([symbol, start]) => `${symbol} ${(Number(start) - T0) / MINUTE}`),
    manifest: JSON.parse(await readFile(manifest, 'utf8')) as Record<string, unknown> & { gaps: { cause: string }[] },
  }
}
const headOf = (kind: 'begin' | 'close', session: SessionId): string => {
  const db = new Database(folder.file, { readonly: true })
  const rows = db
    .prepare<[string], { body: string; hash: Buffer }>('SELECT body, hash FROM store_log WHERE kind = ?')
    .all(kind)
  db.close()
  const row = rows.find(({ body }) => (JSON.parse(body) as { recording: string }).recording === session)
  return row?.hash.toString('hex') ?? 'none'
}

it('exports the bars of every symbol, by symbol and start, over all sessions of the source', async () => {
  const { rows, manifest } = await bars()
  expect(rows).toEqual([
    'ADA-USD 7 1',
    ...[0, 1, 2, 3, 4, 5, 6].map((m) => `BTC-USD ${m} ${100 + m}`),
    ...[0, 1, 2, 3, 4, 5].map((m) => `ETH-USD ${m} ${10 + m}`),
  ])
  expect(manifest).toMatchObject({ sessions: [closed, open], rows: 14, ledger_head: headOf('begin', open) })
})

it('exports several symbols by any alias, each once, as the service writes them', async () => {
  const { rows } = await bars({ symbols: ['ethusd', 'BTC/USD', 'X:ETH-USD'], sessions: [closed], toMs: at(1) })
  expect(rows).toEqual(['BTC-USD 0 100', 'ETH-USD 0 10'])
})

it('calls the bars that a gap touches incomplete, and lists the gap', async () => {
  const { incomplete, manifest } = await bars({ sessions: [closed], symbols: ['BTC-USD'] })
  expect(incomplete).toEqual(['BTC-USD 3'])
  expect(manifest.gaps).toMatchObject([
    { cause: 'drop', session: closed, from: new Date(at(3) + 5_000).toISOString(), to: new Date(at(4)).toISOString() },
  ])
})

it('lists a gap in a range that it touches, and in no other', async () => {
  const causes = async (fromMs: number, toMs: number) =>
    (await bars({ fromMs, toMs })).manifest.gaps.map((gap) => gap.cause)
  expect(await causes(at(3), at(4))).toEqual(['drop'])
  expect(await causes(at(0), at(3) + 5_000)).toEqual([])
  expect(await causes(at(0), at(3) + 5_001)).toEqual(['drop'])
  expect(await causes(at(4), at(6))).toEqual([])
  expect(await causes(at(4) - 1, at(6))).toEqual(['drop'])
})

it('states the ledger’s head over what was exported, and a drop in the middle, also for ticks', async () => {
  const { manifest } = await exportTicks(reader, { out, feed: 'crypto/XT', format: 'csv', sessions: [closed] })
  expect(JSON.parse(await readFile(manifest, 'utf8'))).toMatchObject({
    rows: 12,
    gaps: [{ cause: 'drop' }],
    ledger_head: headOf('close', closed),
  })
  expect(headOf('close', closed)).toMatch(/^[0-9a-f]{64}$/)
})
