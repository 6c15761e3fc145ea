import { describe, expect, it } from 'vitest'
import { endedSince, findCopies } from '../../../../../../src/main/features/team/follow/local-copies.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { sourceKey, teamSource } from '../../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { numberedId } from './world.ts'

const HOUR_MS = 3_600_000
const NOW = 1_790_000_000_000

/** Times in hours from now. */
const row = (n: number, shard: number, startedH: number, endedH: number | null, epoch?: number) => ({
  session: numberedId(n),
  source: sourceKey(teamSource('eu', shard)),
  startedMs: unixMs(NOW + startedH * HOUR_MS),
  endedMs: endedH === null ? null : unixMs(NOW + endedH * HOUR_MS),
  epoch,
})
const ended = (shard: number, endedH: number, epoch = 0): SessionInfo => ({
  session: numberedId(99),
  shard,
  shards: 2,
  recorder: 'paris',
  source: { kind: 'service', origin: 'https://data.example.com', user: 'you' },
  startedMs: unixMs(NOW + (endedH - 1) * HOUR_MS),
  epoch,
  end: { endedMs: unixMs(NOW + endedH * HOUR_MS), clean: true, lastSeq: 1, messages: 1, entries: 0, heads: {} },
})

describe('sessions that ended while a terminal was away', () => {
  it('ended after the newest copy of their shard, or of any if there is none of it', () => {
    const copies = findCopies([row(1, 1, -9, -5), row(2, 1, -5, null), row(3, 2, -9, -8)], NOW)
    expect([[...copies.complete], [...copies.begun]]).toEqual([[numberedId(1), numberedId(3)], [numberedId(2)]])
    expect([ended(1, -4), ended(1, -6), ended(2, -7), ended(3, -6), ended(3, -4)].map((one) => endedSince(copies, one))) // oxfmt-ignore
      .toEqual([true, false, true, false, true])
  })

  it('are none for a terminal that has nothing of the team', () => {
    expect(endedSince(findCopies([], NOW), ended(1, -1))).toBe(false)
  })

  it('aren’t hidden by a session that is dated in the future', () => {
    const copies = findCopies([row(1, 1, -9, -8), row(2, 1, 8_000, 8_001), row(3, 2, -9, -8)], NOW)
    expect([ended(1, -7), ended(1, -9), ended(2, -7), ended(3, -7)].map((one) => endedSince(copies, one))).toEqual([true, false, true, true]) // oxfmt-ignore
    // Nothing else is here.
    expect(endedSince(findCopies([row(2, 1, 8_000, null)], NOW), ended(1, -7))).toBe(true)
  })

  it('aren’t hidden by a session of an earlier lease whose clock was ahead, also once that time has come', () => {
    const copies = findCopies([row(1, 1, -9, -1, 5)], NOW)
    expect([ended(1, -3, 6), ended(1, -3, 5), ended(1, -0.5, 4)].map((one) => endedSince(copies, one))).toEqual([true, false, true]) // oxfmt-ignore
  })
})
