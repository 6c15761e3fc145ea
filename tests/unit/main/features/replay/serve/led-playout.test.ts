/** A clock that follows another: it gives its outlet exactly what the leader has played, however late it comes to it. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Place } from '../../../../../../src/main/features/replay/play/player-port.ts'
import { LedPlayout, type Follower } from '../../../../../../src/main/features/replay/serve/led-playout.ts'
import type { Outlet } from '../../../../../../src/main/features/replay/serve/playout.ts'
import { loadRecorded, type Recorded } from '../../../../../../src/main/features/replay/serve/recorded.ts'
import type { ReplayBatch } from '../../../../../../src/main/core/store/types/replay.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { recorded, type RecordedStore } from '../../export/recorded.ts'

/** Messages in each of two sessions. */
const EACH = 30
const item = (part: number, seq: number): Item => ({
  conn: 1,
  data: `{"n":${part * EACH + seq}}`,
  recvMs: T0 + part * 3_600_000 + seq,
})
const session = (part: number): Item[] => Array.from({ length: EACH }, (_, i) => item(part, i + 1))

let store: RecordedStore
let of: Recorded
beforeAll(async () => {
  store = await recorded([session(0), session(1)], { feeds: ['crypto/XT'] })
  of = await loadRecorded(store.reader, { sessions: store.sessions })
})
afterAll(() => store.close())

/** The place after the nth message of everything; 0: before the first. */
const placeOf = (n: number): Place => {
  const part = n > EACH ? 1 : 0
  return { session: of.parts[part].session, seq: n - part * EACH }
}

class Leader {
  at = 0
  follower: Follower | null = null
  readonly state = { playing: true, speed: 1, atMs: T0, ended: false } as const
  get place(): Place {
    return placeOf(this.at)
  }
  control(): void {}
  follow(follower: Follower): () => void {
    this.follower = follower
    return () => undefined
  }
  /** Plays this many messages, at most to the end; returns them. */
  play(count: number): number[] {
    const from = this.at
    this.at = Math.min(from + count, 2 * EACH)
    this.follower?.moved()
    return Array.from({ length: this.at - from }, (_, i) => from + i + 1)
  }
  jump(to: number): void {
    const before = this.place
    this.at = to
    this.follower?.jumped(before, this.place)
    this.follower?.moved()
  }
}

class Taken implements Outlet {
  readonly messages: number[] = []
  readonly isFull = false
  take({ bytes, offsets }: ReplayBatch, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const { n } = JSON.parse(Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString()) as { n: number }
      this.messages.push(n)
    }
  }
  flush(): void {}
  whenFree = (): Promise<void> => Promise.resolve()
  ended(): void {}
}

it('gives all that was played before each jump, and nothing else', async () => {
  const step = fc.oneof(
    fc.record({ play: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ jump: fc.integer({ min: 0, max: 2 * EACH }) }),
    // The follower catches up, as far as it can.
    fc.constant({ settle: true } as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const leader = new Leader()
      const outlet = new Taken()
      const led = new LedPlayout({ reader: of.reader, parts: () => of.parts, leader, outlet })
      const expected: number[] = []
      const settle = async () => {
        for (let i = 0; i < 2_000 && outlet.messages.length < expected.length; i++)
          await new Promise((resolve) => setImmediate(resolve))
      }
      for (const one of steps) {
        if ('play' in one) expected.push(...leader.play(one.play))
        else if ('jump' in one) leader.jump(one.jump)
        else await settle()
      }
      await settle()
      // What was never played would come now.
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
      led.close()
      await led.done
      expect(outlet.messages).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})
