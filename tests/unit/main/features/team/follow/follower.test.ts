import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { T0 } from '../../../core/store/harness.ts'
import { trades } from '../frame/flushes.ts'
import { MemoryLog, MemoryReplicas, Recorder, sessionId, settle, startTerminal, type Terminal } from './world.ts'

const seqs = (to: number): number[] => Array.from({ length: to }, (_, i) => i + 1)
const phases = ({ follower }: Terminal): string[] => follower.sessions().map(({ state }) => state.phase.is)
const plain = ({ messages, entries }: Batch): unknown => [
  columnBytes(messages).map((column) => Buffer.from(column).toString('hex')),
  entries,
]
/** Asserts that a terminal has and showed everything that a recorder committed, once and in order. */
function expectEqual(terminal: Terminal, recorder: Recorder, from = 1): void {
  const copy = terminal.replicas.copies.get(recorder.info.session)
  expect(copy?.batches.map(plain)).toEqual(recorder.flushes.map(({ batch }) => plain(batch)))
  expect(terminal.shown.get(recorder.info.session)).toEqual(seqs(recorder.lastSeq).slice(from - 1))
}

describe('a terminal on a team', () => {
  it('reads what was recorded before it joined, then follows live', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    for (let i = 0; i < 5; i++) recorder.record(trades(3))
    const terminal = startTerminal(log)
    await terminal.follower.start()
    recorder.record(trades(2))
    await settle()
    recorder.record([...trades(2), { entry: { type: 'clock', shiftMs: 1 } }])
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
    expect(log.reads).toBe(1)
  })

  it('ends a session with its close record, and does not open it again', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    await settle()
    recorder.record(trades(3))
    recorder.end()
    await settle()
    expect(phases(terminal)).toEqual([])
    expect(terminal.replicas.copies.get(recorder.info.session)?.end?.clean).toBe(true)
    log.put(recorder.info)
    await settle()
    expect(phases(terminal)).toEqual([])
  })

  it('notices a lost frame that nothing follows', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    recorder.record(trades(3), true)
    await terminal.clock.pass(15_000)
    await settle()
    expectEqual(terminal, recorder)
  })

  it('fills in what was recorded while the servers were away', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    log.setConnected(false)
    for (let i = 0; i < 4; i++) recorder.record(trades(3))
    await settle()
    expect(phases(terminal)).toEqual(['away'])
    expect(terminal.follower.lostSinceMs).toBe(T0 + 1_000)
    log.setConnected(true)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
    expect(terminal.reports).toEqual([
      'warn: Lost the servers of team eu. Prices age until they are back.',
      'info: Team eu is reachable again.',
    ])
  })

  it('reads the history for what the log no longer has', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    for (let i = 0; i < 8; i++) recorder.record(trades(3))
    log.from = 5
    const flushes: CommittedFlush[] = recorder.flushes.slice(0, 6)
    const history = {
      async *flushes(_session: string, afterSeq: number) {
        for (const flush of flushes) if (flush.batch.messages.seq[0] > afterSeq) yield [flush]
      },
    }
    const terminal = startTerminal(log, { history })
    await terminal.follower.start()
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
  })

  it('follows frames that travel in parts', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    recorder.maxPayload = 4 << 10
    const terminal = startTerminal(log)
    await terminal.follower.start()
    const large = [{ conn: 1, data: randomBytes(20_000) }]
    recorder.record(large)
    recorder.record(large, true)
    recorder.record(large)
    await settle()
    expect(log.messages.length).toBeGreaterThan(6)
    expectEqual(terminal, recorder)
  })

  it('stops a session whose chain does not match, and follows the others', async () => {
    const log = new MemoryLog()
    const honest = new Recorder(log, 1)
    const altered = new Recorder(log, 2, { shard: 2, shards: 2 })
    const terminal = startTerminal(log)
    await terminal.follower.start()
    for (const recorder of [honest, altered]) recorder.record(trades(3))
    await settle()
    // One byte of a message differs from what its recorder committed.
    const flush = altered.commit(trades(3))
    flush.batch.messages.bytes[3] ^= 1
    altered.publish(flush)
    honest.record(trades(3))
    await settle()
    expect(phases(terminal).toSorted()).toEqual(['live', 'stopped'])
    expectEqual(terminal, honest)
    expect(terminal.shown.get(altered.info.session)).toEqual([1, 2, 3])
    expect(terminal.reports.join()).toMatch(/^error: Stopped following session \w+: .*doesn't match the hash chain/)
  })

  it('opens the copy again after the disk failed, and loses nothing', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const replicas = new MemoryReplicas()
    const terminal = startTerminal(log, { replicas })
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    replicas.failures = [new CodedError('disk-full', 'The disk is full.')]
    for (let i = 0; i < 3; i++) recorder.record(trades(2))
    await settle()
    expect(phases(terminal)).toEqual(['waiting'])
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
  })

  it('says once what neither the log nor a history has, however often it tries again', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    for (let i = 0; i < 3; i++) recorder.record(trades(3))
    log.from = 1
    const terminal = startTerminal(log)
    await terminal.follower.start()
    for (let i = 0; i < 4; i++) {
      await settle()
      await terminal.clock.pass(5_000)
    }
    expect(log.reads).toBeGreaterThan(2)
    expect(terminal.reports).toEqual([
      `warn: Can’t follow session ${sessionId(1)} at the moment: The team's log no longer has seq 1 to 3 of this session.`,
    ])
    await settle()
    log.from = 0
    await terminal.clock.pass(5_000)
    await settle()
    expectEqual(terminal, recorder)
  })

  it('continues a copy from an earlier start', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const replicas = new MemoryReplicas()
    const before = startTerminal(log, { replicas })
    await before.follower.start()
    for (let i = 0; i < 3; i++) recorder.record(trades(3))
    await settle()
    await before.follower.close()
    for (let i = 0; i < 3; i++) recorder.record(trades(3))
    const after = startTerminal(log, { replicas })
    await after.follower.start()
    await settle()
    expectEqual(after, recorder, 10)
  })

  it('copies sessions that ended while it was away, but not those from before it joined', async () => {
    const log = new MemoryLog()
    const old = new Recorder(log, 1, { startedMs: unixMs(T0 - 80 * 3_600_000) })
    const missed = new Recorder(log, 2)
    for (const recorder of [old, missed]) {
      recorder.record(trades(3))
      recorder.end()
    }
    const newcomer = startTerminal(log)
    await newcomer.follower.start()
    await settle()
    expect([...newcomer.replicas.copies.keys()]).toEqual([])
    const member = startTerminal(log, { copies: { upToMs: unixMs(T0) } })
    await member.follower.start()
    await settle()
    expect([...member.replicas.copies.keys()]).toEqual([sessionId(2)])
    const interrupted = startTerminal(log, { copies: { begun: new Set([sessionId(1)]) } })
    await interrupted.follower.start()
    await settle()
    expect([...interrupted.replicas.copies.keys()]).toEqual([sessionId(1)])
    for (const one of [newcomer, member, interrupted]) await one.follower.close()
  })

  it('ends equal to the recorders, whatever is lost, fails or goes away', async () => {
    const act = fc.oneof(
      { weight: 6, arbitrary: fc.record({ who: fc.nat(1), is: fc.constantFrom('record', 'lose' as const) }) },
      { weight: 2, arbitrary: fc.constant({ is: 'settle' as const }) },
      { weight: 1, arbitrary: fc.constant({ is: 'away' as const }) },
      { weight: 2, arbitrary: fc.constant({ is: 'back' as const }) },
      { weight: 1, arbitrary: fc.constant({ is: 'fail' as const }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        const log = new MemoryLog()
        const recorders = [new Recorder(log, 1), new Recorder(log, 2, { shard: 2, shards: 2 })]
        const terminal = startTerminal(log)
        await terminal.follower.start()
        for (const one of acts) {
          if (one.is === 'record' || one.is === 'lose') recorders[one.who].record(trades(2), one.is === 'lose')
          else if (one.is === 'settle') await settle()
          else if (one.is === 'fail') terminal.replicas.failures = [new CodedError('disk-error', 'The disk failed.')]
          else log.setConnected(one.is === 'back')
        }
        log.setConnected(true)
        for (let i = 0; i < 3; i++) {
          await settle()
          await terminal.clock.pass(15_000)
        }
        await settle()
        for (const recorder of recorders) if (recorder.flushes.length > 0) expectEqual(terminal, recorder)
        await terminal.follower.close()
      }),
      { numRuns: 40 },
    )
  })
})
