import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BATCH_BYTES, OpenBatch } from '../../../../../src/main/core/recording/batch.ts'
import type { Recorder, RecorderEvent } from '../../../../../src/main/core/recording/recorder-port.ts'
import type { FeedListener } from '../../../../../src/main/core/feeds/connection/feed-listener.ts'
import { createLoopTurn } from '../../../../../src/main/core/feeds/connection/loop-turn.ts'
import { GapLedger } from '../../../../../src/main/core/feeds/gap-ledger.ts'
import { createRecorder } from '../../../../../src/main/core/recording/recorder.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { endOfGap } from '../../../../../src/main/core/store/format/clock-shifts.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { Batch } from '../../../../../src/main/core/store/types/messages.ts'
import type { StoreWriter, WriterEvent } from '../../../../../src/main/core/store/types/writer.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { WriterLoop } from '../../../../../src/main/core/store/threads/writer-loop.ts'
import type { WriterReply } from '../../../../../src/main/core/store/threads/writer-methods.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import type { Clock } from '../../../../../src/main/base/clock.ts'
import { monoNs, sessionId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { manualClock, type ManualClock } from '../../../../kit/clock.ts'
import { tradeText } from '../../../../kit/market.ts'
import { DEMO, readAll, T0, Writer } from '../store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'

/** A writer that records its calls; the test sends commits and deaths. */
function noteWriter(): StoreWriter & {
  readonly batches: Batch[]
  readonly calls: string[]
  say(event: WriterEvent): void
  backlog: number
} {
  const listeners: ((event: WriterEvent) => void)[] = []
  const batches: Batch[] = []
  const calls: string[] = []
  const writer = {
    batches,
    calls,
    backlog: 0,
    begin: (_: unknown, startedMs: number, id?: SessionId) => {
      calls.push(`begin ${startedMs}`)
      return Promise.resolve(id!)
    },
    append: (batch: Batch) => {
      batches.push(batch)
      calls.push(`append ${batch.messages.count}+${batch.entries.length}`)
    },
    get backlogBytes() {
      return writer.backlog
    },
    onEvent: (listener: (event: WriterEvent) => void) => {
      listeners.push(listener)
      return () => undefined
    },
    snapshot: () => undefined,
    addBookmark: () => Promise.reject(new Error('not of this test')),
    removeBookmark: () => Promise.resolve(false),
    end: (endedMs: number) => {
      calls.push(`end ${endedMs}`)
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
    say: (event: WriterEvent) => {
      for (const listener of listeners) listener(event)
    },
  }
  return writer
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const committed = (seq: number, messages: number): WriterEvent => ({
  is: 'committed',
  session: sessionId('r'),
  seq,
  messages,
  firstMonoNs: 0,
  storeBytes: 1,
  freeBytes: 2,
})
const failure = { code: 'disk-full', message: 'The disk is full.', hint: 'Free some.' } as const

let clock: ManualClock
let writer: ReturnType<typeof noteWriter>
let recorder: Recorder
let events: RecorderEvent[]
beforeEach(() => {
  clock = manualClock(T0)
  writer = noteWriter()
  recorder = createRecorder({ writer, clock, newId: newSessionId, maxBacklogBytes: 10_000_000 })
  events = []
  recorder.onEvent((event) => events.push(event))
})

describe('Recorder', () => {
  it('numbers frames and entries in one order and flushes within the interval', async () => {
    expect(recorder.frame(1, bytes('x'), false, clock.stamp)).toBe(0)
    const early = recorder.connection('crypto/XT')
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XQ')
    expect(recorder.entry({ type: 'connected', feed: 'crypto/XQ', conn }, clock.stamp)).toBe(2)
    expect(recorder.frame(conn, bytes('a'), false, clock.stamp)).toBe(3)
    recorder.mark(FLAG.undecodable)
    expect(recorder.frame(early, bytes('bc'), true, clock.stamp)).toBe(4)
    expect(recorder.frame(conn, bytes('d'), false, clock.stamp)).toBe(5)
    expect(writer.batches.length).toBe(0)
    clock.advance(8)
    expect(writer.batches.length).toBe(1)
    const { messages: m, entries, connections } = writer.batches[0]
    expect([...m.seq.subarray(0, m.count)]).toEqual([3, 4, 5])
    expect([...m.conn.subarray(0, m.count)]).toEqual([2, 1, 2])
    expect([...m.connSeq.subarray(0, m.count)]).toEqual([1, 1, 2])
    expect([...m.flags.subarray(0, m.count)]).toEqual([FLAG.undecodable, FLAG.binary, 0])
    expect([...m.offsets.subarray(0, m.count + 1)]).toEqual([0, 1, 3, 4])
    expect(entries.map((e) => e.entry.type)).toEqual(['connecting', 'connected'])
    expect(connections).toEqual([
      { conn: 1, feed: 'crypto/XT' },
      { conn: 2, feed: 'crypto/XQ' },
    ])
    writer.say(committed(5, 3))
    expect(recorder.stats()).toMatchObject({
      received: 3,
      stored: 3,
      lost: 0,
      feeds: [
        { feed: 'crypto/XQ', received: 2, decoded: 1, control: 0, undecodable: 1, unasked: 0, stored: 2 },
        { feed: 'crypto/XT', received: 1, decoded: 1, stored: 1 },
      ],
    })
    expect(recorder.stats().receiveToStored!.p50).toBeCloseTo(8, 0)
  })

  it('rounds monotonic time down to microseconds', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    const { wallMs, monoNs: at } = clock.stamp
    for (const ns of [0, 999, 1_000, 12_345_678]) {
      recorder.frame(conn, bytes('x'), false, { wallMs, monoNs: monoNs(at + ns) })
    }
    clock.advance(10)
    const { messages: m } = writer.batches[0]
    expect([...m.monoNs.subarray(0, m.count)]).toEqual([0, 0, 1_000, 12_345_000])
  })

  it('writes an entry when the wall clock moved against the monotonic one', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    clock.shift(-5_000)
    recorder.frame(conn, bytes('b'), false, clock.stamp)
    recorder.frame(conn, bytes('c'), false, clock.stamp)
    clock.advance(10)
    expect(writer.batches.flatMap((b) => b.entries.map((e) => e.entry))).toEqual([{ type: 'clock', shiftMs: -5_000 }])
  })

  it.each([
    ['slept', 3_600_000, 3_600_000, []],
    ['slept, by a clock that counts seconds', 3_600_000, 3_599_300, []],
    ['slept, and its clock was set back', 1_800_000, 3_600_000, [-1_800_000]],
    ['set its clock only', 3_600_000, 0, [3_600_000]],
  ])('says how far the clock was set of a computer that %s', async (_, shiftMs, sleptMs, expected) => {
    let boot = 0
    recorder = createRecorder({
      writer,
      clock: { ...clock, bootMs: () => clock.stamp.monoNs / 1e6 + boot },
      newId: newSessionId,
    })
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    boot += sleptMs
    clock.shift(shiftMs)
    recorder.frame(conn, bytes('b'), false, clock.stamp)
    clock.advance(10)
    const shifts = writer.batches.flatMap((b) => b.entries.flatMap(({ entry }) => (entry.type === 'clock' ? [entry.shiftMs] : []))) // oxfmt-ignore
    expect(shifts).toEqual(expected)
  })

  it.each([
    ['while it recorded', true],
    ['while recording was off', false],
  ])(
    'gives the window gaps of the length that is stored, if a computer slept and its clock was set back %s',
    async (_, isOn) => {
      let boot = 0
      const sleeping = { ...clock, bootMs: () => clock.stamp.monoNs / 1e6 + boot }
      recorder = createRecorder({ writer, clock: sleeping, newId: newSessionId })
      if (isOn) await recorder.start(DEMO)
      const closed: number[][] = []
      const ignored = (): void => undefined
      const others = { record: ignored, state: ignored, acknowledged: ignored, problem: ignored, log: ignored }
      const listener: FeedListener = {
        ...others,
        gapOpened: ignored,
        gapClosed: (_feed, from, to) => void closed.push([from, to]),
      }
      const gaps = new GapLedger(recorder, listener, createLoopTurn(sleeping))
      const owner = {}
      const fromMs = clock.wallMs()
      gaps.open(owner, 'crypto/XT', { id: 1, cause: 'drop', symbols: [], fromMs })
      // Asleep for eight hours, and a clock that was an hour fast.
      boot += 8 * 3_600_000
      clock.shift(7 * 3_600_000)
      const toMs = clock.wallMs()
      gaps.close(owner, 1, toMs)
      expect(closed).toEqual([[fromMs, toMs + 3_600_000]])
      clock.advance(10)
      const [opened, shift, end] = writer.batches.flatMap((b) => b.entries)
      if (!isOn) return expect(opened).toBeUndefined()
      expect(shift.entry).toEqual({ type: 'clock', shiftMs: -3_600_000 })
      const stored = { from_ms: fromMs, to_ms: end.wallMs, from_seq: opened.seq, to_seq: end.seq }
      expect(endOfGap(stored, [{ seq: shift.seq, ms: -3_600_000 }])).toBe(toMs + 3_600_000)
    },
  )

  it('writes no shift where the process was suspended while a recording began', async () => {
    const suspended: Clock = {
      ...clock,
      wallMs() {
        const read = clock.wallMs()
        clock.advance(stopsMs.shift() ?? 0)
        return read
      },
    }
    recorder = createRecorder({ writer, clock: suspended, newId: newSessionId })
    // After each look at the wall clock.
    let stopsMs = [3_000]
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    clock.advance(10)
    stopsMs = [0, 2_000]
    writer.say({ is: 'died', failure })
    recorder.frame(recorder.connection('crypto/XT'), bytes('b'), false, clock.stamp)
    clock.advance(10)
    expect(writer.batches.flatMap((b) => b.entries.map((e) => e.entry)).filter((e) => e.type === 'clock')).toEqual([])
  })

  it('rolls at midnight UTC and keeps connections and open gaps', async () => {
    const midnight = Date.UTC(2026, 0, 6)
    clock.shift(midnight - 1_000 - T0)
    await recorder.start(DEMO)
    const gone = recorder.connection('crypto/XQ')
    const conn = recorder.connection('crypto/XT')
    recorder.entry({ type: 'connected', feed: 'crypto/XT', conn }, clock.stamp)
    recorder.entry({ type: 'acknowledged', feed: 'crypto/XT', conn, symbols: ['BTC-USD'] }, clock.stamp)
    recorder.entry({ type: 'disconnected', feed: 'crypto/XQ', conn: gone, closeCode: 1006, reason: '' }, clock.stamp)
    const opened = recorder.entry(
      { type: 'gap-open', feed: 'crypto/XQ', cause: 'drop', symbols: [], fromMs: clock.stamp.wallMs },
      clock.stamp,
    )
    recorder.frame(conn, bytes('old'), false, clock.stamp)
    const first = recorder.session
    clock.advance(1_500)
    expect(recorder.frame(conn, bytes('new'), false, clock.stamp)).toBeGreaterThan(0)
    expect(recorder.session).not.toBe(first)
    expect(recorder.breaks, 'none at midnight').toBe(1)
    recorder.entry({ type: 'gap-close', feed: 'crypto/XQ', openedSeq: opened }, clock.stamp)
    clock.advance(10)
    expect(writer.calls.filter((call) => /^(begin|end)/.test(call))).toEqual([
      `begin ${midnight - 1_000}`,
      `end ${midnight + 500}`,
      `begin ${midnight + 500}`,
    ])
    const before = writer.batches[0]
    expect(before.messages.count).toBe(1)
    const closing = writer.batches[1]
    expect(closing.entries.map((e) => e.entry)).toEqual([{ type: 'gap-close', feed: 'crypto/XQ', openedSeq: 4 }])
    const after = writer.batches[2]
    expect(after.connections).toEqual([{ conn: 1, feed: 'crypto/XT' }])
    expect(after.entries.map((e) => [e.seq, e.entry])).toEqual([
      [1, { type: 'connecting', feed: 'crypto/XT', conn: 1 }],
      [2, { type: 'connected', feed: 'crypto/XT', conn: 1 }],
      [3, { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] }],
      [4, { type: 'gap-open', feed: 'crypto/XQ', cause: 'drop', symbols: [], fromMs: midnight + 500 }],
      [6, { type: 'gap-close', feed: 'crypto/XQ', openedSeq: 4 }],
    ])
    expect(after.messages.seq[0]).toBe(5)
    expect(after.messages.connSeq[0]).toBe(1)
    recorder.entry({ type: 'disconnected', feed: 'crypto/XT', conn, closeCode: 1000, reason: '' }, clock.stamp)
    recorder.entry({ type: 'state', feed: 'crypto/XT', conn, state: 'waiting' }, clock.stamp)
    clock.advance(10)
    expect(writer.batches.at(-1)!.entries.map((e) => e.entry)).toMatchObject([{ conn: 1 }, { conn: 1 }])
  })

  it('refuses frames only above the backlog limit, announces it, and writes a gap with both edges', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('kept'), false, clock.stamp)
    const from = clock.stamp.wallMs
    clock.advance(10)
    writer.backlog = 10_000_001
    expect(recorder.frame(conn, bytes('lost'), false, clock.stamp)).toBe(0)
    recorder.mark(FLAG.undecodable)
    expect(recorder.frame(conn, bytes('lost'), false, clock.stamp)).toBe(0)
    expect(recorder.state()).toMatchObject({ is: 'broken', lost: 2 })
    expect(events.at(-1)).toMatchObject({ is: 'broken' })
    clock.advance(990)
    writer.backlog = 0
    writer.say(committed(1, 1))
    expect(recorder.state()).toMatchObject({ is: 'recording' })
    expect(events.at(-1)).toEqual({ is: 'recovered', lost: 2 })
    expect(recorder.frame(conn, bytes('kept too'), false, clock.stamp)).toBe(4)
    clock.advance(10)
    expect(writer.batches.at(-1)!.entries).toMatchObject([
      { seq: 2, wallMs: from + 1_000, entry: { type: 'gap-open', cause: 'overflow', fromMs: from } },
      { seq: 3, wallMs: from + 1_000, entry: { type: 'gap-close', openedSeq: 2 } },
    ])
    expect(writer.batches[0].messages.flags[0]).toBe(0)
  })

  it('does not give the marks of a refused frame to the frame before it, nor count them', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('kept'), false, clock.stamp)
    writer.backlog = 10_000_001
    expect(recorder.frame(conn, bytes('lost'), false, clock.stamp)).toBe(0)
    recorder.mark(FLAG.undecodable | FLAG.unasked)
    clock.advance(10)
    expect([...writer.batches[0].messages.flags.subarray(0, writer.batches[0].messages.count)]).toEqual([0])
    expect(recorder.stats().feeds).toMatchObject([{ feed: 'crypto/XT', received: 1, undecodable: 0, unasked: 0 }])
  })

  it('starts the gap of each feed at the event time of messages that waited in its socket', async () => {
    await recorder.start(DEMO)
    const [slow, quick] = [recorder.connection('crypto/XT'), recorder.connection('crypto/XQ')]
    const from = clock.stamp.wallMs
    recorder.frame(slow, bytes('slow'), false, clock.stamp)
    recorder.dated(from - 504)
    recorder.frame(quick, bytes('quick'), false, clock.stamp)
    recorder.dated(from - 3)
    writer.backlog = 10_000_001
    recorder.frame(slow, bytes('lost'), false, clock.stamp)
    recorder.dated(from - 900) // of the one turned away: it says nothing of the last one accepted
    writer.backlog = 0
    clock.advance(10)
    writer.say(committed(2, 2))
    clock.advance(10)
    const gaps = writer.batches.flatMap(({ entries }) => entries.map(({ entry }) => entry))
    expect(gaps.filter(({ type }) => type === 'gap-open')).toMatchObject([
      { feed: 'crypto/XT', cause: 'overflow', fromMs: from - 504 },
      { feed: 'crypto/XQ', cause: 'overflow', fromMs: from - 3 },
    ])
  })

  it('ends with a gap for messages that may still wait in the sockets of open connections', async () => {
    await recorder.start(DEMO)
    const from = clock.stamp.wallMs
    const conn = recorder.connection('crypto/XT')
    recorder.connection('crypto/XQ') // it brings nothing
    clock.advance(100)
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    recorder.dated(from + 40)
    clock.advance(200)
    await recorder.stop()
    const entries = writer.batches.flatMap((batch) => batch.entries.map(({ entry }) => entry))
    expect(entries).toMatchObject([
      { type: 'gap-open', feed: 'crypto/XT', cause: 'quit', fromMs: from + 40 },
      { type: 'gap-open', feed: 'crypto/XQ', cause: 'quit', fromMs: from },
    ])
    // Where they are closed before, nothing waits.
    await recorder.start(DEMO)
    for (const one of [conn, conn + 1]) {
      const feed = one === conn ? 'crypto/XT' : 'crypto/XQ'
      recorder.entry({ type: 'disconnected', feed, conn: one, closeCode: 1000, reason: '' }, clock.stamp)
    }
    const before = writer.batches.length
    await recorder.stop()
    const last = writer.batches.slice(before).flatMap((batch) => batch.entries.map(({ entry }) => entry.type))
    expect(last).not.toContain('gap-open')
  })

  it('stores the entries and connections of a batch that a large message replaced', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.entry({ type: 'connecting', feed: 'crypto/XT', conn }, clock.stamp)
    const large = new Uint8Array(BATCH_BYTES + 1).fill(120)
    expect(recorder.frame(conn, large, false, clock.stamp)).toBe(2)
    recorder.entry({ type: 'connected', feed: 'crypto/XT', conn }, clock.stamp)
    clock.advance(10)
    expect(writer.batches.flatMap(({ connections }) => connections)).toEqual([{ conn: 1, feed: 'crypto/XT' }])
    expect(writer.batches.flatMap(({ entries }) => entries.map(({ seq }) => seq))).toEqual([1, 3])
    expect(writer.batches.map(({ messages }) => messages.offsets[messages.count])).toEqual([0, BATCH_BYTES + 1])
  })

  it('copies entries and connections into an enlarged batch', () => {
    const batch = new OpenBatch(undefined, 0)
    const entry = { seq: 1, wallMs: T0, monoNs: 0, entry: { type: 'clock', shiftMs: 1 } } as const
    batch.entries.push(entry)
    batch.connections.push({ conn: 1, feed: 'crypto/XT' })
    const large = batch.enlarged(BATCH_BYTES + 1)
    expect([large.entries, large.connections]).toEqual([[entry], [{ conn: 1, feed: 'crypto/XT' }]])
    expect([batch.fits(BATCH_BYTES + 1), large.fits(BATCH_BYTES + 1)]).toEqual([false, true])
  })

  it('writes the gap of refused frames for a feed that disconnected meanwhile', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    writer.backlog = 10_000_001
    clock.advance(10)
    expect(recorder.frame(conn, bytes('b'), false, clock.stamp)).toBe(0)
    recorder.entry({ type: 'disconnected', feed: 'crypto/XT', conn, closeCode: 1006, reason: '' }, clock.stamp)
    writer.backlog = 0
    writer.say(committed(1, 1))
    clock.advance(10)
    expect(writer.batches.flatMap((batch) => batch.entries).map((e) => e.entry)).toMatchObject([
      { type: 'disconnected' },
      { type: 'gap-open', feed: 'crypto/XT', cause: 'overflow' },
      { type: 'gap-close' },
    ])
  })

  it('reports a failing disk at once, buffers frames, and writes the gap after it recovers', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    writer.say({ is: 'trouble', failure })
    expect(recorder.state()).toMatchObject({ is: 'broken', why: { code: 'disk-full' }, lost: 0 })
    expect(recorder.frame(conn, bytes('b'), false, clock.stamp)).toBe(2)
    writer.backlog = 10_000_001
    clock.advance(10)
    expect(recorder.frame(conn, bytes('c'), false, clock.stamp)).toBe(0)
    writer.backlog = 0
    writer.say({ is: 'recovered' })
    clock.advance(10)
    expect(writer.batches.at(-1)!.entries.map((e) => e.entry)).toMatchObject([
      { type: 'gap-open', cause: 'disk' },
      { type: 'gap-close' },
    ])
    expect(recorder.state()).toMatchObject({ is: 'recording' })
  })

  it('begins a new recording with the open connections when the writer died', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    const first = recorder.session
    writer.say({ is: 'died', failure })
    expect(recorder.session).not.toBe(first)
    expect(recorder.stats().lost).toBe(1)
    expect(recorder.frame(conn, bytes('b'), false, clock.stamp)).toBe(2)
    writer.say({ is: 'died', failure })
    expect(recorder.frame(conn, bytes('c'), false, clock.stamp)).toBe(0)
    clock.advance(500)
    expect(recorder.frame(conn, bytes('d'), false, clock.stamp)).toBe(2)
    clock.advance(10)
    expect(writer.calls.filter((call) => call.startsWith('begin')).length).toBe(3)
    writer.say(committed(2, 1))
    expect(recorder.state()).toMatchObject({ is: 'recording' })
    expect(events.at(-1)).toEqual({ is: 'recovered', lost: 3 })
    expect(recorder.breaks).toBe(3)
  })

  it.each([
    ['before the writer is restarted', 100],
    ['after the writer would have been restarted', 600],
  ])('records again when stopped and started %s', async (_, pauseMs) => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    writer.say({ is: 'died', failure })
    writer.say({ is: 'died', failure })
    await recorder.stop()
    clock.advance(pauseMs)
    const id = await recorder.start(DEMO)
    expect(recorder.frame(conn, bytes('a'), false, clock.stamp)).toBeGreaterThan(0)
    clock.advance(1_000)
    expect(recorder.session).toBe(id)
    expect(recorder.stats().lost).toBe(0)
  })

  it('writes the gap of refused frames even when stopped before there is room', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('kept'), false, clock.stamp)
    writer.backlog = 10_000_001
    expect(recorder.frame(conn, bytes('lost'), false, clock.stamp)).toBe(0)
    await recorder.stop()
    expect(writer.batches.flatMap((b) => b.entries.map(({ entry }) => entry.type))).toEqual(['gap-open', 'gap-close'])
    writer.backlog = 0
    writer.batches.length = 0
    await recorder.start({ kind: 'service', origin: 'https://other.example', user: 'u' })
    expect(recorder.state()).toMatchObject({ is: 'recording' })
    recorder.frame(conn, bytes('of another source'), false, clock.stamp)
    clock.advance(10)
    expect(writer.batches.flatMap((b) => b.entries.map(({ entry }) => entry.type))).toEqual(['connecting'])
  })

  it('is broken while the disk commits nothing, and recording again after a commit', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    const since = clock.stamp.wallMs + 8
    clock.advance(4_000)
    expect(recorder.state()).toMatchObject({ is: 'recording' })
    clock.advance(2_000)
    expect(recorder.state()).toMatchObject({ is: 'broken', sinceMs: since, lost: 0, why: { code: 'disk-error' } })
    writer.say(committed(1, 1))
    expect(recorder.state()).toMatchObject({ is: 'recording' })
  })

  it('starts well after a writer that died while recording was off', async () => {
    writer.say({ is: 'died', failure })
    expect(recorder.state()).toEqual({ is: 'off' })
    await recorder.start(DEMO)
    expect(recorder.state()).toMatchObject({ is: 'recording' })
  })

  it('reports lost frames even when their gap was written before the disk recovered', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    writer.say({ is: 'trouble', failure })
    writer.backlog = 10_000_001
    recorder.frame(conn, bytes('lost'), false, clock.stamp)
    clock.advance(10)
    writer.backlog = 0
    writer.say(committed(1, 1)) // the flushes go on while the background is still in trouble
    expect(recorder.frame(conn, bytes('b'), false, clock.stamp)).toBeGreaterThan(0)
    writer.say({ is: 'recovered' })
    expect(events.filter((event) => event.is === 'recovered').reduce((sum, { lost }) => sum + lost, 0)).toBe(1)
  })

  it('claims no free space from before the disk failed', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    clock.advance(10)
    writer.say(committed(1, 1))
    expect(recorder.stats().freeBytes).toBe(2)
    writer.say({ is: 'trouble', failure })
    expect(recorder.stats().freeBytes).toBe(0)
  })

  it('writes the shift of a clock that was set past midnight into the ended recording', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    clock.shift(2 * 86_400_000)
    recorder.frame(conn, bytes('b'), false, clock.stamp)
    clock.advance(10)
    expect(
      writer.batches.flatMap((b) => b.entries.map(({ entry }) => entry)).filter((e) => e.type === 'clock'),
    ).toEqual([{ type: 'clock', shiftMs: 2 * 86_400_000 }])
  })

  it('tells gaps apart that were opened while recording was off', async () => {
    const conn = recorder.connection('crypto/XT')
    const open = (symbol: string): number =>
      recorder.entry(
        { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [symbol], fromMs: clock.stamp.wallMs },
        clock.stamp,
      )
    const first = open('BTC-USD')
    open('ETH-USD')
    recorder.entry({ type: 'gap-close', feed: 'crypto/XT', openedSeq: first }, clock.stamp)
    await recorder.start(DEMO)
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    clock.advance(10)
    expect(
      writer.batches.flatMap((b) => b.entries.map(({ entry }) => entry)).filter((e) => e.type === 'gap-open'),
    ).toEqual([{ type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: ['ETH-USD'], fromMs: T0 }])
  })

  it('stores the current skew with each gap that opens, keeps it over a roll, and omits it while unknown', async () => {
    let skewMs: number | null = null
    const measured = createRecorder({ writer, clock, newId: newSessionId, skewMs: () => skewMs })
    const open = (symbol: string) =>
      measured.entry(
        { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [symbol], fromMs: clock.stamp.wallMs },
        clock.stamp,
      )
    await measured.start(DEMO)
    open('A')
    skewMs = -250
    open('B')
    skewMs = 90
    clock.advance(86_400_000)
    measured.frame(measured.connection('crypto/XT'), bytes('x'), false, clock.stamp) // another day begins
    clock.advance(10)
    const gaps = writer.batches
      .flatMap((b) => b.entries.map(({ entry }) => entry))
      .flatMap((entry) => (entry.type === 'gap-open' ? [[entry.symbols[0], entry.skewMs]] : []))
    const opened = [
      ['A', undefined],
      ['B', -250],
    ]
    expect(gaps).toEqual([...opened, ...opened])
  })

  it('flushes everything and writes the counts at the end', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    recorder.frame(conn, bytes('a'), false, clock.stamp)
    await recorder.stop()
    expect(writer.calls).toEqual([`begin ${T0}`, 'append 1+0', `end ${T0}`])
    expect(recorder.state()).toEqual({ is: 'off' })
    expect(recorder.frame(conn, bytes('b'), false, clock.stamp)).toBe(0)
  })

  it('accepts a frame of any size', async () => {
    await recorder.start(DEMO)
    const conn = recorder.connection('crypto/XT')
    const large = new Uint8Array(5 << 20).fill(7)
    recorder.frame(conn, bytes('small'), false, clock.stamp)
    recorder.frame(conn, large, true, clock.stamp)
    recorder.frame(conn, bytes('small'), false, clock.stamp)
    clock.advance(10)
    const sizes = writer.batches.flatMap(({ messages: m }) =>
      Array.from({ length: m.count }, (_, i) => m.offsets[i + 1] - m.offsets[i]),
    )
    expect(sizes).toEqual([5, 5 << 20, 5])
  })
})

describe('a long write-ahead log', () => {
  it('is copied into the file after the commit that made it long is reported', async () => {
    const folder = makeStoreFolder()
    const committed = Promise.withResolvers<number>()
    const closed = Promise.withResolvers<void>()
    const size = 10 << 20
    const loop = new WriterLoop(new StoreEngine(folder.file), (reply: WriterReply) => {
      if (reply.is === 'committed') committed.resolve(statSync(folder.file).size)
      if (reply.is === 'done' && reply.call === 2) closed.resolve()
    })
    loop.handle({ method: 'begin', call: 1, args: [newSessionId(T0), DEMO, unixMs(T0), new Map()] })
    const batch = new Writer().batch([{ conn: 1, data: randomBytes(size) }])
    loop.handle({ method: 'append', call: 0, args: [batch, size] })
    expect(await committed.promise).toBeLessThan(size)
    expect(statSync(folder.file).size).toBeGreaterThan(size)
    loop.handle({ method: 'close', call: 2, args: [] })
    await closed.promise
    folder.remove()
  })
})

describe('a failing disk', () => {
  let folder: ReturnType<typeof makeStoreFolder>
  beforeEach(() => {
    folder = makeStoreFolder()
  })
  afterEach(() => folder.remove())

  /** An engine whose commits fail `times` times. */
  function failing(times: number): StoreEngine {
    const engine = new StoreEngine(folder.file)
    const commit = engine.commit.bind(engine)
    let left = times
    engine.commit = (batches) => {
      if (left-- > 0) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
      return commit(batches)
    }
    return engine
  }

  it('is reported once and retried; no batch is lost or duplicated', async () => {
    const kinds: string[] = []
    const recovered = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const loop = new WriterLoop(failing(2), (reply: WriterReply) => {
      kinds.push(reply.is === 'trouble' ? `trouble ${reply.failure.code}` : reply.is)
      if (reply.is === 'recovered') recovered.resolve()
      if (reply.is === 'done' && reply.call === 3) closed.resolve()
    })
    const batches = new Writer()
    loop.handle({ method: 'begin', call: 1, args: [newSessionId(T0), DEMO, unixMs(T0), new Map()] })
    const texts = Array.from({ length: 5 }, (_, i) => tradeText('BTC-USD', 100 + i, 1, T0 + i))
    for (const data of texts)
      loop.handle({ method: 'append', call: 0, args: [batches.batch([{ conn: 1, data }]), 100] })
    await recovered.promise
    loop.handle({ method: 'end', call: 2, args: [unixMs(T0 + 10), []] })
    loop.handle({ method: 'close', call: 3, args: [] })
    await closed.promise
    expect(kinds).toEqual(['done', 'trouble disk-full', 'committed', 'recovered', 'done', 'done'])
    const reader = await openStoreReader({ file: folder.file })
    expect((await readAll(reader, 'crypto/XT')).map((row) => row.raw)).toEqual(texts)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
  })

  it('is not retried before the interval, however much comes in', async () => {
    const engine = failing(Infinity)
    const commit = engine.commit.bind(engine)
    let tries = 0
    engine.commit = (batches) => {
      tries++
      return commit(batches)
    }
    const closed = Promise.withResolvers<void>()
    const loop = new WriterLoop(engine, (reply: WriterReply) => {
      if (reply.is === 'done' && reply.call === 2) closed.resolve()
    })
    loop.handle({ method: 'begin', call: 1, args: [newSessionId(T0), DEMO, unixMs(T0), new Map()] })
    const batches = new Writer()
    // 300 ms of the writer's clock, and a batch each 5.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    for (let ms = 0; ms < 300; ms += 5) {
      vi.advanceTimersByTime(5)
      loop.handle({ method: 'append', call: 0, args: [batches.batch([{ conn: 1, data: 'x' }]), 1] })
      await new Promise((resolve) => setImmediate(resolve))
    }
    vi.useRealTimers()
    // At once, and after the quarter of a second that it waits.
    expect(tries).toBe(2)
    loop.handle({ method: 'close', call: 2, args: [] })
    await closed.promise
  })

  it('does not keep the process from exiting', async () => {
    const closed = Promise.withResolvers<void>()
    const loop = new WriterLoop(failing(Infinity), (reply: WriterReply) => {
      if (reply.is === 'done' && reply.call === 2) closed.resolve()
    })
    loop.handle({ method: 'begin', call: 1, args: [newSessionId(T0), DEMO, unixMs(T0), new Map()] })
    loop.handle({ method: 'append', call: 0, args: [new Writer().batch([{ conn: 1, data: 'x' }]), 1] })
    loop.handle({ method: 'close', call: 2, args: [] })
    await closed.promise
    await (await openStoreWriter({ file: folder.file })).close()
  })
})

it('passes frames through the real writer to the real reader', async () => {
  const folder = makeStoreFolder()
  const real = await openStoreWriter({ file: folder.file })
  const live = createRecorder({ writer: real, clock, newId: newSessionId })
  const id = await live.start(DEMO)
  const conn = live.connection('crypto/XT')
  const texts = Array.from({ length: 20_000 }, (_, i) => tradeText('BTC-USD', (100 + i / 100).toFixed(2), 1, T0 + i))
  for (const text of texts) live.frame(conn, bytes(text), false, clock.stamp)
  await live.stop()
  const reader = await openStoreReader({ file: folder.file })
  expect((await readAll(reader, 'crypto/XT', id)).map((row) => row.raw)).toEqual(texts)
  expect(await reader.verify(null)).toMatchObject({ ok: true, messages: 20_000 })
  expect((await reader.sessions())[0]).toMatchObject({
    clean: true,
    feeds: [{ feed: 'crypto/XT', received: 20_000, stored: 20_000 }],
  })
  await reader.close()
  await real.close()
  folder.remove()
})

describe('deferred sealing', () => {
  it('speeds up once a caller waits for the end', async () => {
    const folder = makeStoreFolder()
    const engine = new StoreEngine(folder.file)
    let turns = 0
    Object.defineProperty(engine, 'isLeisurely', { get: () => turns < 400 })
    engine.turn = () => (turns++ < 400 ? 'more' : 'idle')
    engine.isFinishing = () => turns < 400
    const pause = vi.spyOn(globalThis, 'setTimeout')
    const ended = Promise.withResolvers<void>()
    const loop = new WriterLoop(engine, (reply: WriterReply) => {
      if (reply.is !== 'done') return
      if (reply.call === 1) {
        pause.mockClear()
        loop.handle({ method: 'end', call: 2, args: [unixMs(T0 + 10), []] })
      } else ended.resolve()
    })
    const id = newSessionId(T0)
    loop.handle({ method: 'begin', call: 1, args: [id, DEMO, unixMs(T0), new Map()] })
    await ended.promise
    // In no hurry each of 400 turns would wait for a while first.
    expect(turns).toBeGreaterThanOrEqual(400)
    expect(pause.mock.calls.filter(([, ms]) => ms !== undefined && ms > 0).length).toBeLessThan(5)
    pause.mockRestore()
    engine.close()
    folder.remove()
  })
})
