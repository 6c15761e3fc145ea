import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import { advanceHeads, encodeFlushes } from '../../../../../../src/main/features/team/frame/encode.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import type { StoredSignature } from '../../../../../../src/main/features/team/sign/authorship.ts'
import { makeSeed, readSigningKey } from '../../../../../../src/main/features/team/sign/keys.ts'
import {
  encodeEndSignature,
  signState,
  type SignedState,
} from '../../../../../../src/main/features/team/sign/signature.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { T0 } from '../../../core/store/harness.ts'
import { NONE, trades, valueOf } from '../frame/flushes.ts'
import { UNSIGNED_MS } from '../../../../../../src/main/features/team/follow/session-proof.ts'
import { MemoryLog, MemoryReplicas, Recorder, numberedId, settle, startTerminal, TEAM, type Terminal } from './world.ts'

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

describe('a terminal whose recorder ends without a word', () => {
  const about = { key: `U${'A'.repeat(55)}` }

  it('says so 15 s after the last report, and takes it back with the next', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1, about)
    const { session } = recorder.info
    const { follower, clock, reports, gone } = startTerminal(log)
    await follower.start()
    recorder.record(trades(3))
    await settle()
    // Its feeds are quiet, but it reports.
    for (let i = 0; i < 12; i++) {
      await clock.pass(5_000)
      log.report(session)
      await settle()
    }
    expect(gone).toEqual([])
    const sinceMs = clock.wallMs()
    await clock.pass(10_000)
    expect(follower.gone().size).toBe(0)
    await clock.pass(5_000)
    expect([...follower.gone()]).toEqual([[session, { sinceMs }]])
    expect(gone).toEqual([[session]])
    expect(reports.at(-1)).toBe('warn: The recorder paris of shard 1 is gone: it no longer reports.')
    log.report(session)
    await settle()
    expect(gone).toEqual([[session], []])
    expect(reports.at(-1)).toBe('info: The recorder paris of shard 1 is back.')
    expect(follower.gone().size).toBe(0)
    await follower.close()
  })

  it('counts frames as a sign of life, and asks nothing of recorders that don’t report', async () => {
    const log = new MemoryLog()
    const reporting = new Recorder(log, 1, about)
    const old = new Recorder(log, 2, { shard: 2, shards: 2 })
    const { follower, clock, gone } = startTerminal(log)
    await follower.start()
    for (const recorder of [reporting, old]) recorder.record(trades(1))
    for (let i = 0; i < 8; i++) {
      await clock.pass(5_000)
      reporting.record(trades(1))
      await settle()
    }
    expect(gone).toEqual([])
    await clock.pass(20_000)
    expect(gone).toEqual([[reporting.info.session]])
    await follower.close()
  })

  it('blames no recorder while the servers are away, nor right after', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1, about)
    const { follower, clock, gone } = startTerminal(log)
    await follower.start()
    recorder.record(trades(1))
    await settle()
    log.setConnected(false)
    await clock.pass(120_000)
    log.setConnected(true)
    await settle()
    await clock.pass(10_000)
    expect(gone).toEqual([])
    await clock.pass(10_000)
    expect(gone).toEqual([[recorder.info.session]])
    await follower.close()
  })
})

describe('a terminal that follows a recorder that signs', () => {
  const key = readSigningKey(makeSeed())
  /** A recorder that signs as this team's. */
  function start(team: string) {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const about = { ...recorder.info, team }
    recorder.sign = (seq, heads) => signState(key, about, { seq, heads })
    const sign = (state: SignedState): string => encodeEndSignature(signState(key, about, state))
    return { log, recorder, sign, terminal: startTerminal(log) }
  }

  it('takes what is signed, as it takes what isn’t', async () => {
    const { recorder, sign, terminal } = start(TEAM)
    await terminal.follower.start()
    recorder.record(trades(3))
    recorder.sign = null
    recorder.record(trades(3))
    await settle()
    expectEqual(terminal, recorder)
    const end = { endedMs: unixMs(T0 + 3_600_000), clean: true, lastSeq: 6, messages: 0, entries: 0 }
    recorder.end(sign({ seq: 6, heads: recorder.heads, end }))
    await settle()
    expect(terminal.replicas.copies.get(recorder.info.session)?.end?.clean).toBe(true)
  })

  it('stops at a signature that doesn’t match, before it stores or shows anything of that frame', async () => {
    const { recorder, terminal } = start('another')
    const { sign } = recorder
    recorder.sign = null
    await terminal.follower.start()
    recorder.record(trades(3))
    recorder.sign = sign
    recorder.record(trades(3))
    await settle()
    expect(phases(terminal)).toEqual(['stopped'])
    expect(terminal.shown.get(recorder.info.session)).toEqual(seqs(3))
    expect(terminal.replicas.copies.get(recorder.info.session)?.batches).toHaveLength(1)
  })

  it('doesn’t end a session whose end is signed otherwise', async () => {
    const { recorder, sign, terminal } = start(TEAM)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    recorder.end(sign({ seq: 3, heads: recorder.heads }))
    await settle()
    expect(phases(terminal)).toEqual(['stopped'])
    expect(terminal.replicas.copies.get(recorder.info.session)?.end ?? null).toBeNull()
  })
})

describe('a terminal that trusts keys', () => {
  const key = readSigningKey(makeSeed())
  const stranger = readSigningKey(makeSeed())
  const trusted = new Map([[key.publicKey, 'paris']])
  /** A recorder that says it has one key and signs with another. */
  function start(claimed: string | undefined, signer: typeof key | null, about: Partial<Recorder['info']> = {}) {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1, { ...about, ...(claimed === undefined ? {} : { key: claimed }) })
    const session = { ...recorder.info, team: TEAM }
    if (signer !== null) recorder.sign = (seq, heads) => signState(signer, session, { seq, heads })
    const endOf = (by: typeof key) => {
      const end = { endedMs: unixMs(T0 + 3_600_000), clean: true, lastSeq: recorder.lastSeq, messages: 0, entries: 0 }
      return encodeEndSignature(signState(by, session, { seq: recorder.lastSeq, heads: recorder.heads, end }))
    }
    return { log, recorder, endOf, terminal: startTerminal(log, { trusted }) }
  }
  const whyOf = ({ follower }: Terminal) => {
    const [{ state }] = follower.sessions()
    return state.phase.is === 'stopped' ? `${state.phase.why.message} ${state.phase.why.hint}` : state.phase.is
  }

  it('follows what one of them signed, to its end, and says whose it is', async () => {
    const { recorder, endOf, terminal } = start(key.publicKey, key)
    await terminal.follower.start()
    recorder.record(trades(3))
    recorder.sign = null
    recorder.record(trades(3))
    await settle()
    expectEqual(terminal, recorder)
    const [followed] = terminal.follower.sessions()
    expect(followed.signer).toEqual({ key: key.publicKey, name: 'paris', signedSeq: 3 })
    recorder.end(endOf(key))
    await settle()
    expect(terminal.replicas.copies.get(recorder.info.session)?.end?.clean).toBe(true)
  })

  it.each([
    ['nobody signs', undefined, null, 'isn’t signed. Update its recorder.'],
    [
      'a stranger signs',
      stranger.publicKey,
      stranger,
      `is signed by a stranger, ${stranger.publicKey}. A recorder prints`,
    ],
    ['claims a trusted key and signs with another', key.publicKey, stranger, 'is signed by a stranger'],
  ])('stores nothing of a session that %s', async (_what, claimed, signer, why) => {
    const { recorder, terminal } = start(claimed, signer)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    expect(whyOf(terminal)).toContain(why)
    expect(terminal.replicas.copies.get(recorder.info.session)?.batches ?? []).toEqual([])
    expect(terminal.shown.size).toBe(0)
    expect(terminal.reports.at(-1)).toMatch(/^error: Stopped following session/)
  })

  it('stores nothing of a frame that a stranger signed later, or whose signature doesn’t match', async () => {
    for (const about of [{ team: TEAM }, { team: 'another' }]) {
      const { recorder, terminal } = start(key.publicKey, key)
      const by = about.team === TEAM ? stranger : key
      await terminal.follower.start()
      recorder.record(trades(3))
      recorder.sign = (seq, heads) => signState(by, { ...recorder.info, ...about }, { seq, heads })
      recorder.record(trades(3))
      await settle()
      expect(whyOf(terminal)).toMatch(about.team === TEAM ? /signed by a stranger/ : /isn’t what its recorder signed/)
      expect(terminal.replicas.copies.get(recorder.info.session)?.batches).toHaveLength(1)
    }
  })

  it('stops when signatures stay away for minutes in which frames come, but not for a quiet or sleeping time', async () => {
    const { recorder, terminal } = start(key.publicKey, key)
    await terminal.follower.start()
    recorder.record(trades(1))
    const { sign } = recorder
    recorder.sign = null
    // Frames a day apart: nothing was missed that a recorder would have signed meanwhile.
    for (let i = 0; i < 3; i++) {
      await terminal.clock.pass(86_400_000)
      recorder.record(trades(1))
      await settle()
    }
    expect(whyOf(terminal)).toBe('live')
    recorder.sign = sign
    recorder.record(trades(1))
    recorder.sign = null
    const seq = recorder.lastSeq
    for (let i = 0; i < 70; i++) {
      await terminal.clock.pass(5_000)
      recorder.record(trades(1))
      await settle()
    }
    expect(whyOf(terminal)).toContain(`isn’t signed after seq ${seq}. Its recorder signs every minute`)
    // 60 steps of 5 s, and the first frame, before which nothing is known.
    expect(terminal.replicas.copies.get(recorder.info.session)?.lastSeq).toBe(seq + UNSIGNED_MS / 5_000 + 1)
  })

  it.each([
    ['isn’t signed', null],
    ['is signed by a stranger', stranger],
  ])('leaves a session open whose end %s', async (why, by) => {
    const { recorder, endOf, terminal } = start(key.publicKey, key)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    recorder.end(by === null ? undefined : endOf(by))
    await settle()
    expect(whyOf(terminal)).toContain(why)
    expect(terminal.replicas.copies.get(recorder.info.session)?.end ?? null).toBeNull()
  })

  const storedOf = ({ replicas }: Terminal, { info }: Recorder): number =>
    replicas.copies.get(info.session)?.lastSeq ?? 0

  it('keeps what nobody signed in memory until somebody does, and stops after minutes of it', async () => {
    const { recorder, terminal } = start(key.publicKey, null)
    await terminal.follower.start()
    await settle()
    for (let i = 0; i <= UNSIGNED_MS / 5_000; i++) {
      recorder.record(trades(1))
      await settle()
      await terminal.clock.pass(5_000)
      expect([whyOf(terminal), terminal.follower.sessions()[0].isHeld]).toEqual(['live', true])
    }
    recorder.record(trades(1))
    await settle()
    expect(whyOf(terminal)).toContain('isn’t signed. Update its recorder.')
    expect([storedOf(terminal, recorder), terminal.shown.size]).toEqual([0, 0])
  })

  it.each(['read from the log', 'live'])('stores a start without a signature once one follows, %s', async (how) => {
    const { recorder, terminal } = start(key.publicKey, key)
    const { sign } = recorder
    recorder.sign = null
    if (how === 'live') await terminal.follower.start()
    for (let i = 0; i < 3; i++) recorder.record(trades(3))
    if (how === 'live') {
      await settle()
      expect(storedOf(terminal, recorder)).toBe(0)
    }
    recorder.sign = sign
    recorder.record(trades(3))
    if (how !== 'live') await terminal.follower.start()
    await settle()
    expectEqual(terminal, recorder)
    expect(terminal.follower.sessions()[0]).toMatchObject({ isHeld: false, signer: { signedSeq: 12 } })
  })

  it.each([true, false])('stores a session of which only the end is signed; seen ending: %s', async (isSeen) => {
    const { log, recorder, endOf } = start(key.publicKey, null)
    const begun = new Set([recorder.info.session])
    const terminal = startTerminal(log, { trusted, copies: { begun } })
    if (isSeen) await terminal.follower.start()
    recorder.record(trades(3))
    recorder.record(trades(3))
    await settle()
    expect(storedOf(terminal, recorder)).toBe(0)
    recorder.end(endOf(key))
    if (!isSeen) await terminal.follower.start()
    await settle()
    expect(terminal.replicas.copies.get(recorder.info.session)).toMatchObject({ lastSeq: 6, end: { clean: true } })
  })

  it('doesn’t count how long it takes itself to verify and store a backlog', async () => {
    const { recorder, log } = start(key.publicKey, key)
    recorder.record(trades(1))
    recorder.sign = null
    for (let i = 0; i < 300; i++) recorder.record(trades(1))
    const replicas = new MemoryReplicas()
    const terminal = startTerminal(log, { trusted, replicas })
    const append = replicas.append.bind(replicas)
    replicas.append = async (...args) => {
      await append(...args)
      await terminal.clock.pass(5_000)
    }
    await terminal.follower.start()
    await settle()
    await vi.waitFor(() => expect(storedOf(terminal, recorder)).toBe(301))
    expect(replicas.appends).toBeGreaterThan(UNSIGNED_MS / 5_000 + 1)
    expect(whyOf(terminal)).toBe('live')
  })

  /** The key, over something else. */
  const signedLater = { ...key, sign: (bytes: Uint8Array) => key.sign(bytes.subarray(1)) }
  /** A session whose first frames only the history has. `signedAt`: seqs up to which it is signed there. */
  async function startBehind(signedAt: readonly number[], by = key) {
    const { log, recorder } = start(key.publicKey, key)
    const signatures: StoredSignature[] = []
    const { sign } = recorder
    recorder.sign = null
    for (let i = 0; i < 4; i++) {
      recorder.record(trades(3))
      const state = { seq: recorder.lastSeq, heads: recorder.heads }
      const bytes = signState(by, { ...recorder.info, team: TEAM }, state)
      if (signedAt.includes(state.seq)) signatures.push({ seq: state.seq, bytes })
    }
    log.from = 4
    const flushes = [...recorder.flushes]
    const terminal = startTerminal(log, {
      trusted,
      history: { flushes: () => historyOf(flushes), signatures: async () => signatures },
    })
    await terminal.follower.start()
    // So that it reads the history.
    recorder.record(trades(3))
    await settle()
    const signNext = async (): Promise<void> => {
      recorder.sign = sign
      recorder.record(trades(3))
      await settle()
    }
    return { recorder, terminal, signNext }
  }

  it.each([
    ['nothing of it that nobody signed', [], 0],
    ['what is signed there', [3, 9], 9],
    ['all of it if all is signed', [6, 12], 15],
  ])('stores of the history %s, and the rest once the log has a signature', async (_what, signedAt, seq) => {
    const { recorder, terminal, signNext } = await startBehind(signedAt)
    expect(storedOf(terminal, recorder)).toBe(seq)
    await signNext()
    expectEqual(terminal, recorder)
  })

  it('stores nothing of a history that a stranger signed, or whose signatures don’t fit', async () => {
    const { recorder, terminal } = await startBehind([6], stranger)
    expect([storedOf(terminal, recorder), whyOf(terminal).includes('stranger')]).toEqual([0, true])
    const other = await startBehind([3], signedLater)
    expect([storedOf(other.terminal, other.recorder), whyOf(other.terminal)]).toEqual([0, expect.stringContaining('isn’t what its recorder signed')]) // oxfmt-ignore
  })
})

async function* historyOf(flushes: readonly CommittedFlush[]): AsyncGenerator<readonly CommittedFlush[]> {
  yield flushes
}

describe('a terminal with a backlog', () => {
  it('shows it in order, a part of it in each turn of the event loop', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const { session } = recorder.info
    for (let i = 0; i < 60; i++) recorder.heads = advanceHeads(session, recorder.heads, [recorder.commit(trades(100))])
    const options = { session, epoch: 1, heads: NONE, maxPayload: 1 << 30, bundleBytes: 1 << 30 }
    const [frame] = valueOf(encodeFlushes(options, recorder.flushes)).messages
    log.publish(recorder.info, frame.bytes, false)
    let [turn, running] = [0, true]
    const count = (): void => void (turn++, running && setImmediate(count))
    count()
    const shows: { readonly turn: number; readonly flushes: readonly CommittedFlush[] }[] = []
    const market = { show: (_: unknown, flushes: readonly CommittedFlush[]) => void shows.push({ turn, flushes }), end() {}, reachedPresent() {}, setLost() {}, setAway() {} } // oxfmt-ignore
    const { follower } = startTerminal(log, { market })
    await follower.start()
    const shownSeqs = () => shows.flatMap(({ flushes }) => flushes.flatMap(({ batch }) => [...batch.messages.seq]))
    await expect.poll(() => shownSeqs().length).toBe(6_000)
    running = false
    const counts = shows.map(({ flushes }) => flushes.reduce((sum, { batch }) => sum + batch.messages.count, 0))
    expect(Math.max(...counts)).toBeLessThanOrEqual(1_000)
    expect(new Set(shows.map(({ turn }) => turn)).size).toBe(shows.length)
    expect(shownSeqs()).toEqual(seqs(6_000))
    await follower.close()
  })
})

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

  it('ends a session that servers, having lost it, describe as open again meanwhile', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const replicas = new MemoryReplicas()
    replicas.failures = [new CodedError('disk-full', 'The disk is full.')]
    const terminal = startTerminal(log, { replicas })
    await terminal.follower.start()
    recorder.record(trades(3))
    recorder.end()
    await settle()
    log.put({ ...recorder.info, end: null })
    await settle()
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual([])
    expect(replicas.copies.get(recorder.info.session)?.end?.clean).toBe(true)
  })

  it('follows a session once that waits for its turn and is described as open again', async () => {
    const log = new MemoryLog()
    const recorders = [1, 2, 3, 4].map((n) => new Recorder(log, n, { startedMs: unixMs(T0 - n * 1_000) }))
    for (const recorder of recorders) {
      recorder.record(trades(3))
      recorder.end()
    }
    const replicas = new MemoryReplicas()
    replicas.failures = [1, 2].map(() => new CodedError('disk-full', 'The disk is full.'))
    const terminal = startTerminal(log, { replicas, copies: { upToMs: unixMs(T0 - 10_000) } })
    await terminal.follower.start()
    await settle()
    const [, , , last] = recorders
    log.put({ ...last.info, end: null })
    await settle()
    expect(terminal.follower.sessions().map(({ info }) => info.session)).toEqual([numberedId(1), numberedId(2)])
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual([])
    for (const { info } of recorders) expect(replicas.copies.get(info.session)?.end?.clean).toBe(true)
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
    log.setConnected(true)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
    expect(terminal.reports).toEqual([
      'warn: Lost the servers of team eu. Prices age until they are back.',
      'info: Team eu is reachable again.',
    ])
  })

  it('reads only what it missed of a session that it followed live until then', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    await settle()
    for (let i = 0; i < 50; i++) recorder.record(trades(2))
    await settle()
    log.setConnected(false)
    for (let i = 0; i < 3; i++) recorder.record(trades(2))
    log.setConnected(true)
    await settle()
    expectEqual(terminal, recorder)
    // The last one that it had, and the three that it missed.
    expect(log.delivered).toBe(4)
    recorder.record(trades(2), true)
    recorder.record(trades(2))
    await settle()
    expectEqual(terminal, recorder)
    expect(log.delivered).toBe(7)
  })

  it.each([1, 5_000])('takes a frame of %i trades again whose parts it had, but couldn’t store', async (count) => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    recorder.maxPayload = 4 << 10
    const replicas = new MemoryReplicas()
    const terminal = startTerminal(log, { replicas })
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    const before = log.messages.length
    replicas.failures = [new CodedError('disk-full', 'The disk is full.')]
    recorder.record(trades(count))
    expect(log.messages.length - before > 1).toBe(count > 1)
    await settle()
    await terminal.clock.pass(5_000)
    await settle()
    expectEqual(terminal, recorder)
    expect(phases(terminal)).toEqual(['live'])
  })

  it('reads the list of sessions again when a change of it was lost, and says nothing once it is there', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    log.putUnheard({ ...recorder.info, session: numberedId(2), shard: 2 })
    log.failWatches()
    await settle()
    expect(terminal.follower.problem?.message).toBe('The bucket has changes that didn’t arrive.')
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual(['live', 'live'])
    expect(terminal.follower.problem).toBeNull()
    await terminal.follower.close()
  })

  it('reads the list of sessions as soon as the servers are back', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const terminal = startTerminal(log)
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    log.setConnected(false)
    log.putUnheard({ ...recorder.info, session: numberedId(2), shard: 2 })
    log.setConnected(true)
    await settle()
    expect(phases(terminal)).toEqual(['live', 'live'])
    expect(terminal.reports.join()).not.toContain('Can’t read')
    await terminal.follower.close()
  })

  it('says no longer that the list of sessions can’t be read once it can, also if it is empty', async () => {
    const log = new MemoryLog()
    const terminal = startTerminal(log)
    await terminal.follower.start()
    log.failWatches()
    await settle()
    expect(terminal.follower.problem).not.toBeNull()
    await terminal.clock.pass(5_000)
    await settle()
    await terminal.clock.pass(15_000)
    expect(terminal.follower.problem).toBeNull()
    await terminal.follower.close()
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
    const terminal = startTerminal(log, { history: { ...history, signatures: async () => [] } })
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
    expect(terminal.gone).toEqual([[altered.info.session]])
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
    // Its prices aren't quiet meanwhile: they can't arrive.
    expect(terminal.gone).toEqual([[recorder.info.session]])
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expect(terminal.gone).toEqual([[recorder.info.session], []])
    expectEqual(terminal, recorder)
  })

  it('says so while the disk stays full, and lets a recorder that is gone be gone', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1, { key: `U${'A'.repeat(55)}` })
    const replicas = new MemoryReplicas()
    const terminal = startTerminal(log, { replicas })
    await terminal.follower.start()
    recorder.record(trades(3))
    await settle()
    replicas.failures = Array.from({ length: 10 }, () => new CodedError('disk-full', 'The disk is full.'))
    recorder.record(trades(2))
    for (let i = 0; i < 4; i++) {
      await terminal.clock.pass(5_000)
      await settle()
    }
    expect(terminal.gone.every((away) => away.length === 1)).toBe(true)
    expect(terminal.follower.gone().size).toBe(1)
    replicas.failures = []
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expect(terminal.gone.at(-1)).toEqual([recorder.info.session])
  })

  it('reads only what couldn’t be stored once the disk has room, of a session that it followed until then', async () => {
    const log = new MemoryLog()
    const recorder = new Recorder(log, 1)
    const replicas = new MemoryReplicas()
    const terminal = startTerminal(log, { replicas })
    await terminal.follower.start()
    await settle()
    for (let i = 0; i < 50; i++) recorder.record(trades(2))
    await settle()
    replicas.failures = [new CodedError('disk-full', 'The disk is full.')]
    for (let i = 0; i < 3; i++) recorder.record(trades(2))
    await settle()
    for (let i = 0; i < 2; i++) recorder.record(trades(2))
    await terminal.clock.pass(5_000)
    await settle()
    expect(phases(terminal)).toEqual(['live'])
    expectEqual(terminal, recorder)
    // The last one that was stored, and the five since.
    expect(log.delivered).toBe(6)
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
      `warn: Can’t follow session ${numberedId(1)} at the moment: The team's log no longer has seq 1 to 3 of this session.`,
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
    expect([...member.replicas.copies.keys()]).toEqual([numberedId(2)])
    const interrupted = startTerminal(log, { copies: { begun: new Set([numberedId(1)]) } })
    await interrupted.follower.start()
    await settle()
    expect([...interrupted.replicas.copies.keys()]).toEqual([numberedId(1)])
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
