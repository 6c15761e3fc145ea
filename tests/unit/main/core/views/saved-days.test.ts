/** Days of order flow in files: read instead of the store, and only where they are what the store would give. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FlowDayFiles, FLOW_DAYS_VERSION } from '../../../../../src/main/core/market/flow/flow-day-files.ts'
import { FlowDays } from '../../../../../src/main/core/market/flow/flow-days.ts'
import type { FlowHistory } from '../../../../../src/main/core/market/flow/flow-follower.ts'
import { flowStream } from '../../../../../src/main/core/market/flow/flow-stream.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import type { FlowValue } from '../../../../../src/shared/core/views/contract.ts'
import { makeFolder, makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { DEMO, T0, Writer, type Item } from '../store/harness.ts'
import { cleanups, cleanUp } from './store-of.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const DAY = 86_400_000
const day = Math.floor(T0 / DAY) * DAY

/** Trades at the touch, one without a size, and a gap. */
function itemsOf(n: number, price: number): readonly Item[] {
  const at = (ms: number) => day + n * DAY + 3_600_000 + ms
  const quote = (ms: number, bid: number): Item => ({
    conn: 2,
    data: quoteText('BTC-USD', bid, bid + 1, at(ms)),
    recvMs: at(ms + 20),
  })
  const trade = (ms: number, of: number, size: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', of, size, at(ms)),
    recvMs: at(ms + 20),
  })
  return [
    ...Array.from({ length: 20 }, (_, i) => [
      quote(i * 1_000, price + (i % 3)),
      trade(i * 1_000 + 500, price + (i % 3) + (i % 2), 0.1 + i / 8),
    ]).flat(),
    {
      entry: { type: 'gap-open', feed: 'crypto/XQ', cause: 'drop', symbols: [], fromMs: unixMs(at(30_000)) },
      wallMs: at(31_000),
    },
    trade(40_000, price, 2),
  ]
}

/** A store with a closed session for each of these days, and the last one open. */
function storeOf(prices: readonly number[]) {
  const folder = makeStoreFolder()
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const ids: SessionId[] = []
  for (const [n, price] of prices.entries()) {
    now = day + n * DAY
    ids.push(newSessionId(unixMs(now)))
    engine.begin(ids[n], DEMO, unixMs(now))
    engine.commit([new Writer().batch(itemsOf(n, price))])
    if (n === prices.length - 1) break
    now += DAY - 1
    engine.end(unixMs(now), [])
    engine.drain()
  }
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  const open = ids[ids.length - 1]
  const view = createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map([[open, itemsOf(0, 0).length]]),
    committed: () => Promise.resolve(true),
    wallMs: () => day + (prices.length - 1) * DAY + 2 * 3_600_000,
    days: (asset) => hubCalendar.days(asset),
    failed(what, thrown) {
      throw new Error(`${what}: ${String(thrown)}`)
    },
  })
  const reads: number[] = []
  const history: FlowHistory = {
    flow(id, fromMs, sink, toMs) {
      reads.push(fromMs)
      return view.flow(id, fromMs, sink, toMs)
    },
    settled: () => view.settled(),
  }
  return { history, reads, ids }
}

async function profile(history: FlowHistory, days: FlowDays | null): Promise<FlowValue | undefined> {
  const hub = createHub({ calendar: hubCalendar })
  const args = { instrument: BTC, grid: null, rows: { decimals: 2, group: 50 }, fromMs: day, toMs: null }
  const stream = await new Promise<ReturnType<typeof flowStream>>((resolve) => {
    const opened = flowStream(hub, history, args, () => resolve(opened), days)
  })
  const value = stream.take()
  stream.close()
  return value
}

let folder: string
beforeEach(() => {
  folder = join(makeFolder(), 'flow-days')
})
afterEach(cleanUp)
const open = () => new FlowDays(new FlowDayFiles(folder))
const files = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.day'))
    .map((name) => join(folder, name))
const saved = (count: number) => vi.waitFor(() => expect(files()).toHaveLength(count))

describe('saved days of order flow', () => {
  it('are read after a start instead of their messages, and their profile is the same to the last bit', async () => {
    const { history, reads, ids } = storeOf([100, 103, 101])
    const first = await profile(history, open())
    expect(first?.coverage).toMatchObject({ trades: 63, gaps: 3 })
    expect(reads, 'two days and the rest').toHaveLength(3)
    await saved(2)
    expect(await profile(history, open())).toEqual(first)
    expect(reads, 'the rest').toHaveLength(4)
    expect(files().map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
    const texts = files().map((file) => readFileSync(file, 'latin1'))
    expect(ids.map((id) => texts.filter((text) => text.includes(id)).length)).toEqual([2, 2, 1])
  })

  it('aren’t used once a byte of them changed, a part is missing, or they are of another version', async () => {
    const { history, reads } = storeOf([100, 103])
    const expected = await profile(history, open())
    await saved(1)
    const [file] = files()
    const whole = readFileSync(file)
    const damaged = [
      ...Array.from({ length: 40 }, (_, i) => {
        const bytes = Buffer.from(whole)
        bytes[Math.floor((i * (whole.length - 1)) / 39)] ^= 1 << (i % 8)
        return bytes
      }),
      whole.subarray(0, whole.length - 8),
      whole.subarray(0, 10),
      Buffer.alloc(0),
      Buffer.concat([whole, Buffer.alloc(8)]),
      Buffer.from(whole.toString('latin1').replace(`"version":${FLOW_DAYS_VERSION}`, '"version":0'), 'latin1'),
    ]
    for (const [i, bytes] of damaged.entries()) {
      writeFileSync(file, bytes)
      const before = reads.length
      expect(await profile(history, open()), `damage ${i}`).toEqual(expected)
      expect(reads.length - before, `damage ${i}: the day and the rest`).toBe(2)
      await vi.waitFor(() => expect(readFileSync(file).equals(whole), 'saved again').toBe(true))
    }
  })

  it('are never those of other messages, whatever a file is called', async () => {
    const one = storeOf([100, 103])
    await profile(one.history, open())
    await saved(1)
    const [first] = files()
    const other = storeOf([200, 103])
    const expected = await profile(other.history, null)
    await profile(other.history, open())
    await saved(2)
    const [second] = files().filter((file) => file !== first)
    copyFileSync(first, second)
    expect(await profile(other.history, open())).toEqual(expected)
  })

  it('go with an erased session, also one that is still being saved; others stay', async () => {
    const { history, ids } = storeOf([100, 103, 101])
    await profile(history, open())
    await saved(2)
    writeFileSync(join(folder, 'left.tmp'), 'half')
    const kept = files().filter((file) => !readFileSync(file, 'latin1').includes(ids[2]))
    expect(kept).toHaveLength(1)
    await new FlowDayFiles(folder).forget([ids[2]])
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual(kept)
    const save = vi.spyOn(FlowDayFiles.prototype, 'save')
    await profile(history, open())
    await vi.waitFor(() => expect(save).toHaveBeenCalledTimes(1))
    await save.mock.results[0]?.value
    save.mockRestore()
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual(kept)
    await expect(new FlowDayFiles(join(folder, 'nowhere')).forget(ids)).resolves.toBeUndefined()
  })

  it('have a limit: the oldest files go', async () => {
    mkdirSync(folder)
    for (const [i, name] of ['a.day', 'b.day', 'c.day'].entries()) {
      writeFileSync(join(folder, name), Buffer.alloc(1_000))
      utimesSync(join(folder, name), i + 1, i + 1)
    }
    const { history } = storeOf([100, 103])
    await profile(history, new FlowDays(new FlowDayFiles(folder, 3_500)))
    await vi.waitFor(() => expect(files().map((file) => statSync(file).size)).not.toContain(0))
    await vi.waitFor(() => expect(readdirSync(folder)).not.toContain('a.day'))
    expect(readdirSync(folder)).toContain('c.day')
  })

  it('are none where the folder can’t be written', async () => {
    writeFileSync(folder, 'a file')
    const { history, reads } = storeOf([100, 103])
    const expected = await profile(history, open())
    expect(await profile(history, open())).toEqual(expected)
    expect(reads).toHaveLength(4)
  })

  it('have the numbers of their version: where these change, raise it', async () => {
    const { history } = storeOf([100, 103])
    await profile(history, open())
    await saved(1)
    const file = readFileSync(files()[0])
    const numbers = createHash('sha256')
      .update(file.subarray(file.indexOf('\n') + 1))
      .digest('hex')
    expect({ version: FLOW_DAYS_VERSION, numbers }).toEqual({
      version: 1,
      numbers: '8a5996972b79b4e9a3fbcc873d1e52721f080dacb5d13ab871b0d026aab01ad2',
    })
  })
})
