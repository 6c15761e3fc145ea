import { describe, expect, it } from 'vitest'
import { firstFrameMs, seekFirstFrame } from '../../../../../src/main/features/replay/first-frame.ts'

const HOUR = 3_600_000
const at = (minutes: number, seconds: number) => (minutes * 60 + seconds) * 1_000

describe('the first frame of a replay', () => {
  it.each([
    ['is the end of the first minute', at(0, 3), HOUR, at(1, 0)],
    ['has ten seconds at least', at(0, 55), HOUR, at(2, 0)],
    ['begins a whole minute on the minute', at(1, 0), HOUR, at(2, 0)],
    ['is a tenth of a short session', at(0, 3), at(0, 13), at(0, 4)],
    ['is the end of an empty range', at(0, 3), at(0, 3), at(0, 3)],
  ])('%s', (_, first, to, expected) => {
    expect(firstFrameMs(first, to)).toBe(expected)
  })

  /** A session whose message number `first` is its first price, of `count` messages, one a second. */
  const replay = (first: number, count: number) => {
    const done: (string | number)[] = []
    let seq = 0
    const player = {
      seekStart: async () => void done.push('start'),
      stepMessage: async () => {
        done.push('step')
        seq = Math.min(seq + 1, count)
      },
      seek: async (ms: number) => void done.push(ms),
    }
    const state = () => ({ at: seq === 0 ? null : { session: 'a', seq }, nowMs: at(0, seq), toMs: HOUR })
    const view = {
      hub: {
        get lastRecvMs() {
          return seq >= first ? at(0, first) : -Infinity
        },
      },
    }
    // Only what it uses.
    const of = { player, state, view } as unknown as Parameters<typeof seekFirstFrame>[0]
    return { of, done }
  }
  it('is found from the first price, which comes after acknowledgements', async () => {
    const { of, done } = replay(3, 10)
    await seekFirstFrame(of)
    expect(done).toEqual(['start', 'step', 'step', 'step', at(1, 0)])
  })
  it('is the start where no price was received', async () => {
    for (const [count, steps] of [
      [0, 1],
      [2, 3],
      [9_999, 500],
    ] as const) {
      const { of, done } = replay(Infinity, count)
      await seekFirstFrame(of)
      expect([done.filter((one) => one === 'step').length, done.at(-1)]).toEqual([steps, 'start'])
    }
  })
})
