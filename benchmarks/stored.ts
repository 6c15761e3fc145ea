/**
 * What a message costs when much is stored already, and how long the newest bars take then: a store of many messages beside
 * one of few, by turns.
 */
import { join } from 'node:path'
import { sliceColumns } from '../src/main/core/store/format/message-columns.ts'
import { openLocalReader } from '../src/main/core/store/threads/reader.ts'
import { StoreEngine } from '../src/main/core/store/threads/engine.ts'
import type { MessageColumns } from '../src/main/core/store/types/messages.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import { instrumentId, unixMs } from '../src/shared/base/units.ts'
import { ownSeconds } from './cpu.ts'
import { median, row, type Row } from './row.ts'
import { inFolder } from './session.ts'
import { messageRuns } from './ticks.ts'

const FEED = 'crypto/XT'
const INSTRUMENT = instrumentId('crypto', 'BTC-USD')
/** What comes in 8 ms at 10,000 messages a second: one commit. */
const FLUSH = 80
/** Commits until the other store has its turn: sealing is part of it, once in a hundred. */
const TURN = 200
const TURNS = 5
const BARS = { of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 30 } as const

/** Writes one message after another behind `much` and behind `little` of them. Both are what is stored before. */
export async function benchStored(much: number, little: number): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const stores = [new Filled(join(folder, 'much.db'), much), new Filled(join(folder, 'little.db'), little)] as const
    try {
      const [written, read] = [
        [[], []],
        [[], []],
      ] as [[number[], number[]], [number[], number[]]]
      for (let turn = 0; turn < TURNS; turn++)
        for (const [at, store] of stores.entries()) {
          written[at].push(store.write())
          read[at].push(await store.read())
        }
      const about = (name: string) => `${name}, with ${(much / 1e6).toLocaleString('en')} M messages stored`
      const peerName = `with ${(little / 1e6).toLocaleString('en')} M`
      const goal = { is: 'at most', ratio: 1.15 } as const
      const [ours, peer] = written.map(median)
      const [oursRead, peerRead] = read.map(median)
      return [
        row({ name: about('CPU of a message from commit to block'), unit: 'µs', ours, peer, peerName, goal }),
        row({ name: about('newest 30 bars'), unit: 'ms', ours: oursRead, peer: peerRead, peerName, goal }),
      ]
    } finally {
      for (const store of stores) store.close()
    }
  })
}

/** A store with one session of so many trades, which goes on. */
class Filled {
  readonly #engine: StoreEngine
  readonly #file: string
  readonly #runs: Generator<MessageColumns>
  #seq = 0

  constructor(file: string, count: number) {
    this.#file = file
    this.#engine = new StoreEngine(file)
    this.#runs = messageRuns(FEED, count + (TURNS + 1) * TURN * FLUSH)
    const startedMs = unixMs(Date.UTC(2024, 7, 8))
    this.#engine.begin(newSessionId(startedMs), { kind: 'demo', origin: 'demo', user: '' }, startedMs)
    while (this.#seq < count) this.#commit(this.#next())
  }

  /** Microseconds of CPU for each message of a turn. */
  write(): number {
    const flushes: MessageColumns[] = []
    while (flushes.length < TURN) {
      const run = this.#next()
      for (let at = 0; at < run.count; at += FLUSH) flushes.push(sliceColumns(run, at, Math.min(run.count, at + FLUSH)))
    }
    const from = ownSeconds()
    for (const flush of flushes) this.#commit(flush)
    const messages = flushes.reduce((sum, { count }) => sum + count, 0)
    return ((ownSeconds() - from) * 1e6) / messages
  }

  /** Milliseconds that the newest bars take a reader that was just opened. */
  async read(): Promise<number> {
    const from = performance.now()
    const reader = openLocalReader(this.#file)
    try {
      const { bars } = await reader.bars({ ...BARS, instrument: INSTRUMENT })
      if (bars.length !== BARS.limit) throw new Error(`${bars.length} bars were read`)
      return performance.now() - from
    } finally {
      await reader.close()
    }
  }

  close(): void {
    this.#engine.close()
  }

  /** The next messages of the feed, numbered without a gap. */
  #next(): MessageColumns {
    const { value, done } = this.#runs.next()
    if (done === true) throw new Error('the feed ended')
    for (let i = 0; i < value.count; i++) value.seq[i] = ++this.#seq
    return value
  }

  #commit(messages: MessageColumns): void {
    const connections = messages.seq[0] === 1 ? { connections: [{ conn: 1, feed: FEED } as const] } : {}
    this.#engine.commit([{ messages, entries: [], ...connections }])
    this.#engine.drain()
  }
}

if (process.argv[1] === import.meta.filename)
  console.log(await benchStored(Number(process.argv[2] ?? 10_000_000), Number(process.argv[3] ?? 1_000_000)))
