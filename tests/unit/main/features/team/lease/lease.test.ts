import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findFreeShards } from '../../../../../../src/main/features/team/lease/candidates.ts'
import {
  answerLease,
  beginLease,
  decodeLease,
  dueMs,
  encodeLease,
  epochOf,
  heldEpoch,
  HOLD_MS,
  LEASE_TTL_MS,
  RENEW_MS,
  REQUEST_TIMEOUT_MS,
  tickLease,
  type LeaseAnswer,
  type LeaseEntry,
  type LeaseState,
  type LeaseStep,
  type LeaseValue,
} from '../../../../../../src/main/features/team/lease/lease.ts'
import { simulate, type Disturbance } from './simulation.ts'

const T = 1_000_000
const ABOUT = { token: 'a', recorder: 'host-a', revision: 0 }
const value = (part: Partial<LeaseValue> = {}): LeaseValue => ({
  token: 'a',
  recorder: 'host-a',
  epoch: null,
  released: false,
  ...part,
})
const entry = (revision: number, part: Partial<LeaseValue> = {}): LeaseEntry => ({ revision, value: value(part) })
const idOf = ({ state }: LeaseStep): number => state.pending?.id ?? -1
const answer = (step: LeaseStep, what: LeaseAnswer, atMs: number): LeaseStep =>
  answerLease(step.state, idOf(step), what, atMs)

/** Holds the lease with epoch 7 since `T`. */
const held = (): LeaseState => answer(beginLease(ABOUT, T), { is: 'stored', revision: 7, epoch: 7 }, T + 10).state
/** Has sent its first renewal. */
const renewing = (): LeaseStep => tickLease(held(), T + RENEW_MS)
/** Its first renewal wasn't answered, and it reads its entry. */
const reading = (): LeaseStep => tickLease(renewing().state, T + RENEW_MS + REQUEST_TIMEOUT_MS)

describe('a lease', () => {
  it('starts by replacing the entry that was found free', () => {
    const { request } = beginLease({ ...ABOUT, revision: 5 }, T)
    expect(request).toEqual({ do: 'put', value: value(), revision: 5 })
  })

  it('has the revision of its first entry as its epoch, and keeps it over renewals', () => {
    expect(heldEpoch(held(), T + 20)).toBe(7)
    expect(renewing().request).toEqual({ do: 'put', value: value({ epoch: 7 }), revision: 7 })
    const renewed = answer(renewing(), { is: 'stored', revision: 9, epoch: 9 }, T + RENEW_MS + 30)
    expect(heldEpoch(renewed.state, T + RENEW_MS + 30)).toBe(7)
    expect(tickLease(renewed.state, T + 2 * RENEW_MS).request).toMatchObject({ revision: 9 })
  })

  it('counts from when its renewal was sent, not from the answer', () => {
    const late = answer(beginLease(ABOUT, T), { is: 'stored', revision: 7, epoch: 7 }, T + 1_400).state
    expect(heldEpoch(late, T + HOLD_MS - 1)).toBe(7)
    expect(heldEpoch(late, T + HOLD_MS)).toBeNull()
    expect(dueMs(late)).toBe(T + RENEW_MS)
  })

  const transitions: readonly (readonly [string, () => LeaseStep, LeaseState['is'], unknown])[] = [
    [
      'acquiring, stored',
      () => answer(beginLease(ABOUT, T), { is: 'stored', revision: 7, epoch: 7 }, T + 1),
      'held',
      null,
    ],
    [
      'acquiring, stored too late',
      () => answer(beginLease(ABOUT, T), { is: 'stored', revision: 7, epoch: 7 }, T + HOLD_MS),
      'lost',
      null,
    ],
    ['acquiring, conflict', () => answer(beginLease(ABOUT, T), { is: 'conflict' }, T + 1), 'lost', null],
    ['acquiring, failed', () => answer(beginLease(ABOUT, T), { is: 'failed' }, T + 1), 'acquiring', null],
    [
      'acquiring, no answer',
      () => tickLease(beginLease(ABOUT, T).state, T + REQUEST_TIMEOUT_MS),
      'acquiring',
      { do: 'read' },
    ],
    ['acquiring, no answer for long', () => tickLease(beginLease(ABOUT, T).state, T + HOLD_MS), 'lost', null],
    ['held, nothing due', () => tickLease(held(), T + RENEW_MS - 1), 'held', null],
    ['held, renewal due', () => renewing(), 'held', { do: 'put', value: value({ epoch: 7 }), revision: 7 }],
    ['renewing, stored', () => answer(renewing(), { is: 'stored', revision: 8, epoch: 8 }, T + RENEW_MS), 'held', null],
    [
      'renewing, conflict: it reads whose entry it is',
      () => answer(renewing(), { is: 'conflict' }, T + RENEW_MS),
      'held',
      { do: 'read' },
    ],
    ['renewing, failed', () => answer(renewing(), { is: 'failed' }, T + RENEW_MS), 'held', null],
    ['renewing, no answer', () => reading(), 'held', { do: 'read' }],
    [
      'reading, the renewal was stored',
      () => answer(reading(), { is: 'entry', entry: { ...entry(8, { epoch: 7 }), epoch: 7 } }, T + 3_600),
      'held',
      { do: 'put', value: value({ epoch: 7 }), revision: 8 },
    ],
    [
      'reading, it wasn’t',
      () => answer(reading(), { is: 'entry', entry: { ...entry(7), epoch: 7 } }, T + 3_600),
      'held',
      { do: 'put', value: value({ epoch: 7 }), revision: 7 },
    ],
    [
      'reading, another recorder’s',
      () => answer(reading(), { is: 'entry', entry: { ...entry(8, { token: 'b' }), epoch: 7 } }, T + 3_600),
      'lost',
      null,
    ],
    ['reading, no entry', () => answer(reading(), { is: 'entry', entry: null }, T + 3_600), 'lost', null],
    [
      'reading, released',
      () => answer(reading(), { is: 'entry', entry: { ...entry(8, { released: true }), epoch: 7 } }, T + 3_600),
      'lost',
      null,
    ],
    ['reading, no answer until the end', () => tickLease(reading().state, T + HOLD_MS), 'lost', null],
    ['stopped for 30 s while held', () => tickLease(held(), T + 30_000), 'lost', null],
    [
      'stopped for 30 s while renewing, then the answer',
      () => answer(renewing(), { is: 'stored', revision: 8, epoch: 8 }, T + 32_000),
      'lost',
      null,
    ],
    [
      'an answer to an earlier request',
      () => answerLease(reading().state, 2, { is: 'conflict' }, T + 3_600),
      'held',
      null,
    ],
  ]
  it.each(transitions)('%s', (_, run, is, request) => {
    const step = run()
    expect(step.state.is).toBe(is)
    expect(step.request).toEqual(request)
  })

  it('is acquired even if the answer got lost', () => {
    const unsure = tickLease(beginLease(ABOUT, T).state, T + REQUEST_TIMEOUT_MS)
    const found = answer(unsure, { is: 'entry', entry: { ...entry(7), epoch: 7 } }, T + 1_600)
    expect(heldEpoch(found.state, T + 1_600)).toBe(7)
    // Until its next renewal it counts from the request that wasn't answered.
    expect(heldEpoch(found.state, T + HOLD_MS)).toBeNull()
  })

  it('is due again whenever it waits for something', () => {
    expect(dueMs(beginLease(ABOUT, T).state)).toBe(T + REQUEST_TIMEOUT_MS)
    expect(dueMs(reading().state)).toBe(T + HOLD_MS)
    expect(dueMs(tickLease(held(), T + HOLD_MS).state)).toBe(Infinity)
  })
})

describe('an entry', () => {
  it('reads back what it says', () => {
    expect(decodeLease(encodeLease(value({ epoch: 9 })))).toEqual(value({ epoch: 9 }))
    expect([epochOf(entry(5), T), epochOf(entry(5, { epoch: 2 }), T)]).toEqual([T + 5, 2])
  })

  it.each([
    '',
    'null',
    '{"version":2,"token":"a"}',
    '{"version":1,"token":"a","recorder":"b","epoch":0,"released":true}',
  ])('that can’t be read is a lease that nobody released: %s', (text) => {
    expect(decodeLease(text)).toEqual({ token: '', recorder: '', epoch: null, released: false })
  })
})

describe('free shards', () => {
  const at = (
    entries: readonly (readonly [number, LeaseEntry])[],
    seen: Parameters<typeof findFreeShards>[0],
    nowMs: number,
  ) => findFreeShards(seen, new Map(entries), [1, 2], nowMs)

  it('are those without a lease and those released', () => {
    expect(at([], new Map(), T).free).toEqual([
      { shard: 1, revision: 0 },
      { shard: 2, revision: 0 },
    ])
    expect(
      at(
        [
          [1, entry(5, { released: true })],
          [2, entry(6)],
        ],
        new Map(),
        T,
      ).free,
    ).toEqual([{ shard: 1, revision: 5 }])
  })

  it('are those whose lease hasn’t changed for its ttl on this clock', () => {
    const entries = [
      [1, entry(5)],
      [2, entry(6)],
    ] as const
    const first = at(entries, new Map(), T)
    expect(first.free).toEqual([])
    const second = at(
      [
        [1, entry(5)],
        [2, entry(7)],
      ],
      first.seen,
      T + LEASE_TTL_MS - 1,
    )
    expect(second.free).toEqual([])
    expect(
      at(
        [
          [1, entry(5)],
          [2, entry(7)],
        ],
        second.seen,
        T + LEASE_TTL_MS,
      ).free,
    ).toEqual([{ shard: 1, revision: 5 }])
  })

  it('wait for the ttl, too, if the entry vanishes, because the server’s clock may have been set', () => {
    const first = at(
      [
        [1, entry(5)],
        [2, entry(6)],
      ],
      new Map(),
      T,
    )
    const second = at([], first.seen, T + 1_000)
    expect(second.free).toEqual([])
    expect(at([], second.seen, T + LEASE_TTL_MS).free).toHaveLength(2)
  })
})

describe('recorders that compete for one lease', () => {
  const LENGTH_MS = 120_000
  /** Nothing is wrong in the last 30 s. */
  const time = fc.integer({ min: 0, max: 45 }).map((n) => n * 1_000)
  const actor = fc.integer({ min: 0, max: 3 })
  const stopped = fc.record({
    is: fc.constant('stopped' as const),
    actor,
    fromMs: time,
    forMs: fc.constantFrom(3_000, 5_500, 10_000, 30_000),
  })
  const restarted = fc.record({ is: fc.constant('restarted' as const), actor, fromMs: time })
  const network = fc.record({
    is: fc.constant('network' as const),
    fromMs: time,
    forMs: fc.constantFrom(5_000, 30_000),
    loss: fc.constantFrom(0, 0.1, 0.5, 1),
    delay: fc.constantFrom(0, 0.2, 0.9),
  })
  const clock = fc.record({
    is: fc.constant('clock' as const),
    fromMs: time,
    byMs: fc.constantFrom(3_600_000, -3_600_000, 4_000, -4_000),
  })
  const run = (disturbances: readonly Disturbance[], seed: number, actors = 4) => {
    let state = seed
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
      return (state >>> 0) / 2 ** 32
    }
    return simulate({ actors, lengthMs: LENGTH_MS, disturbances, random })
  }

  it('never hold it under one epoch, and hold it again once everything works', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(stopped, restarted, network, clock), { maxLength: 8 }),
        fc.integer(),
        (disturbances, seed) => {
          const { holders, epochs, vacantMs } = run(disturbances, seed)
          for (const names of holders.values()) expect(names.size).toBe(1)
          expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
          expect(vacantMs).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('never hold it at the same time unless the server’s clock is set', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(stopped, restarted, network), { maxLength: 8 }),
        fc.integer(),
        (disturbances, seed) => {
          expect(run(disturbances, seed).overlaps).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('take it over within ten seconds from one that stops', () => {
    const { epochs, vacantMs } = simulate({
      actors: 2,
      lengthMs: 20_000,
      disturbances: [
        { is: 'stopped', actor: 1, fromMs: 0, forMs: 5_000 },
        { is: 'stopped', actor: 0, fromMs: 10_000, forMs: 60_000 },
      ],
      random: () => 0.5,
    })
    expect([epochs.length, vacantMs]).toEqual([2, 0])
  })

  it('keep it with one holder while nothing is wrong', () => {
    const { epochs, overlaps } = run([], 1)
    expect([epochs.length, overlaps]).toEqual([1, 0])
  })
})
