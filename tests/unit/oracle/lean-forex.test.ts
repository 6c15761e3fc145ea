/**
 * A day of published ticks through the whole of the program: sent by the simulator as quotes, received
 * over real sockets, recorded, stored, and read back as bars. They must be the published bars exactly.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSession, type LiveSession } from '../../../benchmarks/session.ts'
import { openStoreReader } from '../../../src/main/core/store/open.ts'
import type { StoreReader } from '../../../src/main/core/store/types/reader.ts'
import type { PlaylistMessage } from '../../../src/simulator/options.ts'
import { startSimulator, type Simulator } from '../../../src/simulator/simulator.ts'
import { sourceKey } from '../../../src/shared/core/recording/session.ts'
import { instrumentId } from '../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../kit/folder.ts'
import { LEAN_DAY, leanRows, type LeanFile } from '../shared/lean-forex.ts'

const FEED = 'forex/C'
const PAIRS = [
  ['tick-eurusd', 'EUR/USD'],
  ['tick-nzdusd', 'NZD/USD'],
] as const

/** The ticks of both pairs as the service would write them, numbers as published, in order of time. */
function playlist(): PlaylistMessage[] {
  return PAIRS.flatMap(([file, symbol]) =>
    leanRows(file).map(([ms, bid, ask]) => ({ ms: LEAN_DAY + Number(ms), symbol, bid, ask })),
  )
    .toSorted((a, b) => a.ms - b.ms)
    .map(({ ms, symbol, bid, ask }) => ({
      feed: FEED,
      symbol,
      raw: `{"ev":"C","p":"${symbol}","a":${ask},"b":${bid},"t":${ms}}`,
    }))
}

describe('published ticks, sent by the simulator', () => {
  const folder = makeStoreFolder()
  const messages = playlist()
  let simulator: Simulator
  let session: LiveSession
  let live: StoreReader
  let source: string
  let sealed = false

  beforeAll(async () => {
    simulator = await startSimulator({
      dataDir: new URL('../../../resources/demo/', import.meta.url),
      market: { kind: 'playlist', messages },
    })
    const response = await fetch(`${simulator.baseUrl}/api/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: simulator.username, password: simulator.password }),
    })
    const { access } = (await response.json()) as { readonly access: string } // the simulator's own answer
    source = sourceKey({ kind: 'service', origin: simulator.baseUrl, user: 'test' })
    session = await startSession({
      file: folder.file,
      baseUrl: simulator.baseUrl,
      access,
      wants: [[FEED, PAIRS.map(([, symbol]) => symbol)]],
    })
    await simulator.played
    await session.stored(simulator.sent().frames)
    live = await openStoreReader({ file: folder.file })
  }, 120_000)

  afterAll(async () => {
    await live.close()
    if (!sealed) await session.close()
    await simulator.close()
    folder.remove()
  })

  const cases = [
    ['second-eurusd', 'EUR/USD', '1s'],
    ['minute-eurusd', 'EUR/USD', '1m'],
    ['minute-nzdusd', 'NZD/USD', '1m'],
  ] as const

  const published = (file: LeanFile, side: 'bid' | 'ask') =>
    leanRows(file).map((row) => [
      LEAN_DAY + Number(row[0]),
      ...row.slice(side === 'bid' ? 1 : 6, side === 'bid' ? 5 : 10).map(Number),
    ])

  /** Every bar of an instrument, read by pages as a chart does. */
  async function stored(symbol: string, of: 'bid' | 'ask', interval: '1s' | '1m') {
    const instrument = instrumentId('forex', symbol)
    const found: number[][] = []
    let beforeMs: number | null = null
    for (;;) {
      const page = await live.bars({ instrument, of, interval, source, beforeMs, limit: 5_000 })
      found.unshift(...page.bars.map((bar) => [bar.startMs, bar.open, bar.high, bar.low, bar.close]))
      if (!page.more) return found
      beforeMs = page.bars[0].startMs
    }
  }

  test('every one was sent, received and stored', () => {
    expect(simulator.sent().market).toBe(messages.length)
    expect(session.applied()).toBe(messages.length)
  })

  describe.each(['while it is recorded', 'after it was sealed'])('%s', (when) => {
    beforeAll(async () => {
      if (when !== 'after it was sealed') return
      await session.close()
      sealed = true
    }, 60_000)

    for (const [file, symbol, interval] of cases) {
      test.each(['bid', 'ask'] as const)(`${file} %s`, async (side) => {
        const want = published(file, side)
        expect(want.length).toBeGreaterThan(100)
        expect(await stored(symbol, side, interval)).toEqual(want)
      })
    }
  })
})
