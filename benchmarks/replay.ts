/**
 * Replaying a long session of many instruments: at full speed, against reading and decoding its blocks alone;
 * and jumping to any instant, against reading and decoding the blocks that hold one minute.
 */
import { join } from 'node:path'
import { createDigestFold } from '../src/main/core/market/digest.ts'
import { createHub } from '../src/main/core/market/hub.ts'
import { hubCalendar } from '../src/main/core/market/hub-calendar.ts'
import { createMarket, type Market } from '../src/main/core/market/market.ts'
import { Cursor } from '../src/main/core/playback/cursor.ts'
import type { Part } from '../src/main/core/playback/parts.ts'
import { Player } from '../src/main/features/replay/player.ts'
import { NO_LIMITS, PlaybackState } from '../src/main/core/playback/playback-state.ts'
import { openBlock } from '../src/main/core/store/blocks/open.ts'
import { newColumns } from '../src/main/core/store/format/message-columns.ts'
import { StoreEngine } from '../src/main/core/store/threads/engine.ts'
import { createSnapshots } from '../src/main/core/recording/snapshots.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import type { MessageColumns } from '../src/main/core/store/types/messages.ts'
import type { StoreReader } from '../src/main/core/store/types/reader.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import { openForReading } from '../src/main/core/store/schema/sqlite.ts'
import { scratch } from '../src/service/codec.ts'
import { decode } from '../src/service/codecs/decode.ts'
import { isFeedId, unixMs, type SessionId } from '../src/shared/base/units.ts'
import { duel, median, percentile, row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const FEEDS = ['crypto/XT', 'crypto/XQ'] as const
/** As many as one connection of a feed takes. */
const INSTRUMENTS = 50
const START = Date.UTC(2026, 0, 5)
const FLUSH = 8192
const MINUTE = 60_000
const LIMIT_MS = 150

/** `count` messages over eight hours. */
export async function benchReplay(count = 10_000_000, jumps = 40): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    const session = makeSession(file, count, (8 * 3_600_000) / count)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    try {
      return [await fullSpeed(file, reader, session, count), ...(await jumping(file, reader, session, jumps))]
    } finally {
      await reader.close()
    }
  })
}

const newMarket = (): Market => createMarket(createHub({ calendar: hubCalendar }), createDigestFold())

/** Numbers from 0 to 1, the same in every run. */
function lcg(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x1_0000_0000
  }
}

/** Records trades and quotes of many instruments, with the snapshots that live would take. `market`: takes them, too. */
export function makeSession(
  file: string,
  count: number,
  everyMs: number,
  instruments = INSTRUMENTS,
  market: Market = newMarket(),
): Part {
  const engine = new StoreEngine(file)
  const session = newSessionId(unixMs(START))
  engine.begin(session, { kind: 'demo', origin: 'demo', user: '' }, unixMs(START))
  const snapshots = createSnapshots(market, engine)
  snapshots.began(session, START)
  const record = scratch()
  const random = lcg(11)
  const prices = Float64Array.from({ length: instruments }, (_, i) => 1_000 + i * 731)
  const connSeq = [0, 0]
  const encoder = new TextEncoder()
  let wallMs = START
  for (let done = 0; done < count;) {
    const n = Math.min(FLUSH, count - done)
    const bytes = new Uint8Array(n * 128)
    const m: MessageColumns = { ...newColumns(n, 0), bytes }
    let to = 0
    for (let i = 0; i < n; i++) {
      const seq = done + i + 1
      // Few instruments trade much, most a little; five quotes to three trades.
      const k = Math.floor(random() ** 2 * instruments)
      const conn = random() < 0.375 ? 0 : 1
      wallMs = START + Math.floor(seq * everyMs)
      const p = (prices[k] = prices[k] + Math.round((random() - 0.5) * 20) / 100)
      const t = wallMs - Math.floor(random() * 20)
      const text =
        conn === 0
          ? `{"ev":"XT","pair":"C${k}-USD","p":${p.toFixed(2)},"t":${t},"s":${(random() * 3).toFixed(4)}}`
          : `{"ev":"XQ","pair":"C${k}-USD","bp":${p.toFixed(2)},"ap":${(p + 0.02).toFixed(2)},"t":${t}}`
      const from = to
      to += encoder.encodeInto(text, bytes.subarray(to)).written
      m.offsets[i + 1] = to
      m.seq[i] = seq
      m.conn[i] = conn + 1
      m.connSeq[i] = connSeq[conn] = connSeq[conn] + 1
      m.recvMs[i] = wallMs
      m.monoNs[i] = Math.floor(seq * everyMs * 1_000) * 1_000
      if (decode(FEEDS[conn], bytes, from, to, record) === 'market') {
        market.digest(FEEDS[conn], unixMs(wallMs), record)
        market.sink.apply(FEEDS[conn], seq, unixMs(wallMs), record)
        snapshots.after(seq, wallMs)
      }
    }
    engine.commit([
      {
        messages: { ...m, bytes: bytes.subarray(0, to) },
        entries: [],
        ...(done === 0 ? { connections: FEEDS.map((feed, i) => ({ conn: i + 1, feed })) } : {}),
      },
    ])
    done += n
    engine.drain()
  }
  engine.end(unixMs(wallMs), [])
  engine.drain()
  engine.close()
  return { session, fromMs: START, toMs: wallMs, lastSeq: count, counts: null, clean: true }
}

/** Text out of blocks, and records out of text: what no replay can do without. */
function decodeBlocks(blocks: Iterable<{ readonly feed: string; readonly data: Uint8Array }>): number {
  const record = scratch()
  let records = 0
  for (const { feed, data } of blocks) {
    if (!isFeedId(feed)) continue
    const { count, bytes, offsets } = openBlock(data).messages()
    for (let i = 0; i < count; i++) if (decode(feed, bytes, offsets[i], offsets[i + 1], record) === 'market') records++
  }
  return records
}

async function fullSpeed(file: string, reader: StoreReader, part: Part, count: number): Promise<Row> {
  const db = openForReading(file)
  try {
    const blocks = db.prepare<[], { feed: string; data: Buffer }>(
      'SELECT s.feed, b.data FROM block b JOIN series s ON s.id = b.series ORDER BY b.series, b.min_seq',
    )
    const best = await duel(
      2,
      async () => {
        const cursor = new Cursor(reader, part.session, 0, part.lastSeq, {
          reusesBatches: true,
          prefersRecords: true,
        })
        const rig = new PlaybackState(newMarket(), part, cursor, { seq: 0, timeMs: part.fromMs })
        while (rig.advance(NO_LIMITS) === 'pending') await cursor.waitForNext()
        cursor.close()
        if (rig.messages !== count) throw new Error(`${rig.messages} of ${count} messages were replayed`)
      },
      () => {
        const records = decodeBlocks(blocks.iterate())
        if (records !== count) throw new Error(`${records} of ${count} records were decoded`)
      },
    )
    return row({
      name: `replay at full speed: ${count / 1e6} M messages in their order through hub and digests`,
      unit: 'M messages/s',
      ours: count / best.ours / 1e6,
      peer: count / best.theirs / 1e6,
      peerName: 'reading and decoding the blocks alone',
      goal: { is: 'at least', ratio: 0.85 },
    })
  } finally {
    db.close()
  }
}

async function jumping(file: string, reader: StoreReader, part: Part, jumps: number): Promise<readonly Row[]> {
  const db = openForReading(file)
  const player = new Player({
    reader,
    parts: [part],
    market: newMarket(),
    newMarket,
    realMs: () => performance.now(),
    after(ms, then) {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
    changed: () => undefined,
  })
  try {
    const ofMinute = db.prepare<[number, number], { feed: string; data: Buffer }>(
      'SELECT s.feed, b.data FROM block b JOIN series s ON s.id = b.series WHERE b.max_ms >= ? AND b.min_ms < ?',
    )
    const random = lcg(5)
    const ours: number[] = []
    const theirs: number[] = []
    for (let i = 0; i < jumps; i++) {
      const at = part.fromMs + Math.floor(random() * (part.toMs - part.fromMs))
      const from = performance.now()
      await player.seek(at)
      const between = performance.now()
      decodeBlocks(ofMinute.all(at - MINUTE, at))
      ours.push(between - from)
      theirs.push(performance.now() - between)
      checkPlace(player, part.session)
    }
    const jump = (name: string, peer: number, peerName: string, goal: Row['goal'], of: number): Row =>
      row({ name, unit: 'ms', ours: of, peer, peerName, goal })
    const what = `jump to any instant of a session of ${part.lastSeq / 1e6} M messages`
    const p95 = percentile(ours, 0.95)
    return [
      jump(`${what}, p95`, LIMIT_MS, 'the limit', { is: 'at most', ratio: 1 }, p95),
      jump(`${what}, median`, median(theirs), 'reading and decoding the blocks of one minute', null, median(ours)),
    ]
  } finally {
    player.close()
    db.close()
  }
}

function checkPlace(player: Player, session: SessionId): void {
  const { at, problem } = player.state
  if (at?.session !== session || at.seq === 0 || problem !== null) throw new Error('a jump did not arrive')
}
