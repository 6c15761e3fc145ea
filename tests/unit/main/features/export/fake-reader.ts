/** A reader over sealed blocks in memory, for tests of the export. */
import { encodeBlock } from '../../../../../src/main/core/store/blocks/encode.ts'
import { openBlock } from '../../../../../src/main/core/store/blocks/open.ts'
import { blockTicks } from '../../../../../src/main/core/store/blocks/ticks.ts'
import type { MessageColumns } from '../../../../../src/main/core/store/types/messages.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { TickQuery } from '../../../../../src/main/core/store/types/ticks.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import type { Gap, SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { makeSession } from '../../../../kit/market.ts'

export interface FakeRun {
  readonly session: string
  readonly source: string
  readonly feed: FeedId
  readonly messages: MessageColumns
  readonly eventMs?: Float64Array
}

const session = (run: FakeRun, at: number): SessionRow =>
  makeSession(run.session, {
    source: run.source,
    startedMs: unixMs(1.7e12 + at),
    endedMs: unixMs(1.8e12),
    clean: true,
    live: false,
    feeds: [
      { feed: run.feed, received: 1, decoded: 1, control: 0, undecodable: 0, unasked: 0, stored: run.messages.count },
    ],
    messages: run.messages.count,
  })

export function fakeReader(
  runs: readonly FakeRun[],
  { bars = [], gaps = [], onTicks }: { bars?: readonly Bar[]; gaps?: readonly Gap[]; onTicks?: () => void } = {},
): StoreReader {
  return {
    sessions: () => Promise.resolve([...new Map(runs.map((r, i) => [r.session, session(r, i)])).values()]),
    async *ticks(query: TickQuery) {
      for (const run of runs) {
        if (run.feed !== query.feed) continue
        if (query.source !== undefined && run.source !== query.source) continue
        if (query.sessions?.some((one) => one === run.session) === false) continue
        await Promise.resolve()
        onTicks?.()
        const block = openBlock(encodeBlock(run.feed, run.messages, { eventMs: run.eventMs }))
        const rows: number[] = []
        for (let i = 0; i < block.count; i++) {
          const instrument = instrumentId('crypto', block.symbol(i))
          if (query.instruments === null || query.instruments.includes(instrument)) rows.push(i)
        }
        yield blockTicks(block, sessionId(run.session), Uint32Array.from(rows))
      }
    },
    instruments: () => Promise.resolve([]),
    extent: () => Promise.resolve({ messages: 0, records: 0, instruments: 0, fromMs: null, toMs: null }),
    ledgerHead: (sessions) => Promise.resolve(`head of ${sessions.join(' ')}`),
    bars({ beforeMs, limit }) {
      const before = bars.filter((bar) => bar.startMs < (beforeMs ?? Infinity))
      return Promise.resolve({ bars: before.slice(-limit), more: before.length > limit, gaps: [] })
    },
    gaps: () => Promise.resolve(gaps),
    shares: () => Promise.resolve([]),
    replay: () => {
      throw new Error('not of this test')
    },
    flushes: () => Promise.reject(new Error('not of this test')),
    findPosition: () => Promise.resolve(null),
    lostFrom: () => Promise.resolve(new Map()),
    activity: () => Promise.resolve([]),
    snapshot: () => Promise.resolve(null),
    entries: () => Promise.resolve([]),
    bookmarks: () => Promise.resolve([]),
    ledger: () => Promise.reject(new Error('not of this test')),
    verify: () => Promise.reject(new Error('not of this test')),
    close: () => Promise.resolve(),
  }
}
