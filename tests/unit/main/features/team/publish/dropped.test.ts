/** When the log of a team lacks what the history needs, so that it is published again. */
import { describe, expect, it } from 'vitest'
import type { StoredMessage } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { DroppedFrames } from '../../../../../../src/main/features/team/publish/dropped.ts'
import { Resends } from '../../../../../../src/main/features/team/publish/resend.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, endOf } from '../history/kit.ts'

/** Frames of four seqs each: 1 to 4, 5 to 8, and so on to 20. */
const FLUSHES = flushesOf(Array.from({ length: 5 }, () => trades(4)))
const FRAMES = encode(FLUSHES, { bundleBytes: 1 }).map(({ bytes }) => bytes)
const message = (frame: number, sequence: number): StoredMessage => ({
  shard: 1,
  session: SESSION,
  sequence,
  bytes: FRAMES[frame],
  storedMs: unixMs(0),
  pending: 0,
})
/** A flush of several parts. */
const [LARGE] = [flushesOf([trades(2_000)])]
const PARTS = encode(LARGE, { maxPayload: 4_096, canCompress: false }).map(({ bytes }) => bytes)
const part = (index: number, sequence: number): StoredMessage => ({ ...message(0, sequence), bytes: PARTS[index] })
const logOf = (...messages: readonly (StoredMessage | null)[]) => {
  const all = messages.filter((one) => one !== null)
  return {
    firstOf: (_shard: number, _session: unknown, after: number) =>
      Promise.resolve(all.find(({ sequence }) => sequence > after) ?? null),
    lastOf: () => Promise.resolve(all.at(-1) ?? null),
  }
}
const END = { ...ABOUT, end: endOf(FLUSHES) }

describe('frames that the log dropped', () => {
  it.each([
    ['the log begins where the history ends', logOf(message(1, 2), message(4, 5)), END, 4, null],
    ['the log has everything', logOf(message(0, 1), message(4, 5)), END, 4, null],
    ['the history has everything', logOf(null), END, 20, null],
    ['frames after the history are gone', logOf(message(2, 3), message(4, 5)), END, 4, { afterSeq: 4, upToSeq: 20 }],
    ['the log has nothing of an ended session', logOf(null), END, 4, { afterSeq: 4, upToSeq: 20 }],
    ['an open session was published up to 12', logOf(message(2, 3)), ABOUT, 4, { afterSeq: 4, upToSeq: 12 }],
  ])('%s', async (_, log, info, archivedSeq, expected) => {
    expect(await new DroppedFrames(() => 12).find(log, info, archivedSeq)).toEqual(expected)
  })

  it('are found also if they are the first parts of a frame', async () => {
    const end = { ...ABOUT, end: endOf(LARGE) }
    const find = (first: number) => new DroppedFrames(() => 0).find(logOf(part(first, 1), part(3, 4)), end, 0)
    expect(await find(0)).toBeNull()
    expect(await find(1)).toEqual({ afterSeq: 0, upToSeq: 2_000 })
  })

  it('are found once, until they are dropped again or the stream begins again', async () => {
    const dropped = new DroppedFrames(() => 0)
    const partial = [message(2, 3), message(4, 5)]
    expect(await dropped.find(logOf(...partial), END, 4)).toMatchObject({ afterSeq: 4 })
    const resent = [message(1, 6), message(4, 9)]
    expect(await dropped.find(logOf(...partial, ...resent), END, 4)).toBeNull()
    expect(await dropped.find(logOf(...resent), END, 4)).toBeNull()
    expect(await dropped.find(logOf(message(4, 9)), END, 4)).toMatchObject({ afterSeq: 4 })
    expect(await dropped.find(logOf(message(2, 1), message(4, 3)), END, 4)).toMatchObject({ afterSeq: 4 })
    // The stream was made again, and has grown beyond what was noted.
    expect(await dropped.find(logOf(message(2, 2), message(4, 8)), END, 4)).toMatchObject({ afterSeq: 4 })
  })

  describe('in the middle, while the history stands still', () => {
    const findTwice = async (log: ReturnType<typeof logOf>, info: SessionInfo, archivedSeq: number) => {
      const dropped = new DroppedFrames(() => info.end?.lastSeq ?? 0)
      return [await dropped.find(log, info, archivedSeq), await dropped.find(log, info, archivedSeq)]
    }
    const all = FRAMES.map((_, i) => message(i, 3 * i + 1))

    it.each([
      ['has everything', all, 8, null],
      ['lacks the next frame', all.toSpliced(2, 1), 8, { afterSeq: 8, upToSeq: 20 }],
      ['lacks a later frame', all.toSpliced(3, 1), 8, null],
      ['lacks the end', all.slice(0, 3), 12, { afterSeq: 12, upToSeq: 20 }],
      ['has all but what the history has', all.toSpliced(1, 1), 8, null],
    ])('the log %s', async (_, messages, archivedSeq, expected) => {
      expect(await findTwice(logOf(...messages), END, archivedSeq)).toEqual([null, expected])
    })

    it('a part of a frame is gone', async () => {
      const end = { ...ABOUT, end: endOf(LARGE) }
      const parts = PARTS.map((_, i) => part(i, i + 1))
      expect(await findTwice(logOf(...parts), end, 0)).toEqual([null, null])
      expect(await findTwice(logOf(...parts.toSpliced(3, 1)), end, 0)).toEqual([null, { afterSeq: 0, upToSeq: 2_000 }])
    })

    it('aren’t looked for each time', async () => {
      let requests = 0
      const { firstOf, lastOf } = logOf(...all)
      const count = (...args: Parameters<typeof firstOf>) => {
        requests++
        return firstOf(...args)
      }
      const dropped = new DroppedFrames(() => 20)
      for (let i = 0; i < 12; i++) await dropped.find({ firstOf: count, lastOf }, END, 8)
      expect(requests).toBeLessThan(20)
    })
  })

  it('aren’t looked for while they are published again, and a missing stream has nothing', async () => {
    expect(await new DroppedFrames(() => null).find(logOf(null), END, 4)).toBeNull()
    const gone = () => Promise.reject(new CodedError('not-found', 'no stream'))
    const away = () => Promise.reject(new CodedError('offline', 'away'))
    const dropped = new DroppedFrames(() => 0)
    expect(await dropped.find({ firstOf: gone, lastOf: gone }, END, 4)).toMatchObject({ afterSeq: 4 })
    await expect(dropped.find({ firstOf: away, lastOf: away }, END, 4)).rejects.toMatchObject({ code: 'offline' })
  })
})

it('publishes again under other ids, from the start until the log says where it stands', () => {
  const resends = new Resends()
  const again = expect.stringMatching(/^a\/again-./) as string
  expect([resends.startOf(SESSION), resends.idOf(SESSION, 'a')]).toEqual([null, 'a'])
  resends.add(SESSION, { afterSeq: 4, upToSeq: 12 })
  const id = resends.idOf(SESSION, 'a')
  expect([resends.startOf(SESSION), id]).toEqual([4, again])
  resends.published(SESSION, 4, 8)
  expect([resends.startOf(SESSION), resends.idOf(SESSION, 'a'), resends.has(SESSION)]).toEqual([null, id, true])
  resends.published(SESSION, 8, 12)
  expect([resends.idOf(SESSION, 'a'), resends.has(SESSION)]).toEqual(['a', false])
})

it('isn’t done with a publish that began before it, behind what was dropped', () => {
  const resends = new Resends()
  resends.add(SESSION, { afterSeq: 4, upToSeq: 12 })
  resends.published(SESSION, 12, 20)
  expect([resends.startOf(SESSION), resends.has(SESSION)]).toEqual([4, true])
})

it('publishes under another id each time, also if the log has dropped all of a session again', () => {
  const resends = new Resends()
  const ids = [1, 2].map(() => {
    resends.add(SESSION, { afterSeq: 4, upToSeq: 12 })
    return resends.idOf(SESSION, 'a')
  })
  expect(new Set(ids).size).toBe(2)
})
