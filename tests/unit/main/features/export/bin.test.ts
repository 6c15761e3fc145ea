/** Sessions in the bin, or erased, while others are exported: a manifest names only what its rows are from. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exportBars } from '../../../../../src/main/features/export/bars.ts'
import { exportTicks } from '../../../../../src/main/features/export/ticks.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { recorded, type RecordedStore } from './recorded.ts'

let store: RecordedStore
let out: string
const items = (fromMs: number): readonly Item[] => [
  { entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] }, wallMs: fromMs },
  { conn: 1, data: tradeText('BTC-USD', 1, 1, fromMs + 1), recvMs: fromMs + 1 },
  {
    entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(fromMs + 2) },
    wallMs: fromMs + 3,
  },
  { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 3 }, wallMs: fromMs + 4 },
]

beforeEach(async () => {
  store = await recorded([items(T0), items(T0 + 3_600_000)])
  out = join(store.path, 'out.csv')
})
afterEach(() => store.close())

const write = (
  what: 'ticks' | 'bars',
  options: { readonly sessions?: readonly SessionId[] } = {},
  reader = store.reader,
) =>
  what === 'ticks'
    ? exportTicks(reader, { feed: 'crypto/XT', format: 'csv', out, ...options })
    : exportBars(reader, { asset: 'crypto', of: 'trade', interval: '1m', format: 'csv', out, ...options })

/** Changes the store, as another process does. */
function change(run: (engine: StoreEngine) => void): void {
  const engine = new StoreEngine(store.file, () => T0)
  run(engine)
  engine.drain()
  engine.close()
}
const bin = (session: SessionId) => () =>
  change(({ library }) => library.label([{ session, patch: {}, binnedMs: T0 + 9_000_000 }]))
const erase = (session: SessionId) => () => change(({ library }) => library.erase([session]))

/** A reader that calls `before` when a method is first called. */
function interrupted(method: 'bars' | 'gaps', before: () => void): StoreReader {
  let isFirst = true
  return {
    ...store.reader,
    [method]: (query: never) => {
      if (isFirst) before()
      isFirst = false
      return store.reader[method](query)
    },
  }
}

it.each(['ticks', 'bars'] as const)('names neither sessions nor gaps that are in the bin beside %s', async (what) => {
  const [kept, binned] = store.sessions
  bin(binned)()
  await write(what)
  const manifest = JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8')) as {
    readonly sessions: readonly string[]
    readonly rows: number
    readonly gaps: readonly { readonly session: string }[]
  }
  expect(manifest.sessions).toEqual([kept])
  expect(manifest.rows).toBe(1)
  expect(manifest.gaps.map(({ session }) => session)).toContain(kept)
  expect(manifest.gaps.map(({ session }) => session)).not.toContain(binned)
})

it.each(['ticks', 'bars'] as const)('exports %s of a session in the bin that is named', async (what) => {
  const [binned] = store.sessions
  bin(binned)()
  expect(await write(what, { sessions: [binned] })).toMatchObject({ rows: 1 })
})

it('says that everything is in the bin', async () => {
  for (const session of store.sessions) bin(session)()
  await expect(write('ticks')).rejects.toMatchObject({
    code: 'not-found',
    message: 'What is stored of crypto/XT is in the bin.',
  })
})

it.each(['ticks', 'bars'] as const)('writes no %s if a session was erased before its gaps were read', async (what) => {
  const reader = interrupted('gaps', erase(store.sessions[0]))
  await expect(write(what, {}, reader)).rejects.toMatchObject({
    message: `Session ${store.sessions[0]} was erased while it was being read.`,
  })
  expect(existsSync(out)).toBe(false)
})

it('writes no bars if a session was moved to the bin while they were read', async () => {
  const reader = interrupted('bars', bin(store.sessions[0]))
  await expect(write('bars', {}, reader)).rejects.toMatchObject({
    message: `Session ${store.sessions[0]} was moved to the bin while its bars were being read.`,
  })
  expect(existsSync(out)).toBe(false)
})
