/** An archiver's intake over a log and a history in memory, whatever is published late, and whatever dies. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHeader } from '../../../../../../src/main/features/team/frame/decode.ts'
import { isPart, readPart } from '../../../../../../src/main/features/team/frame/parts.ts'
import { Intake, mustCatchUp } from '../../../../../../src/main/features/team/history/intake.ts'
import type { StoreOutcome } from '../../../../../../src/main/features/team/history/tail/accept.ts'
import type { Delivery, StoredMessage } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { manualClock } from '../../../../../kit/clock.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT } from './kit.ts'

const RETRY_MS = 5_000
const PARTS = 5
/** Frames, one of them in parts. */
const FRAMES = Array.from({ length: 8 }, (): Uint8Array[] => [])
const FLUSHES = flushesOf(FRAMES.map((_, i) => trades(i === 4 ? 220 : 1)))
for (const { bytes, firstSeq, part, parts } of encode(FLUSHES, {
  bundleBytes: 1,
  maxPayload: 4_096,
  canCompress: false,
}))
  FRAMES[firstSeq <= 4 ? firstSeq - 1 : parts > 1 ? 4 : firstSeq - 220][part] = bytes
const spanOf = (frame: Uint8Array) => {
  const header = isPart(frame) ? readPart(frame) : readHeader(frame)
  if (!header.ok) throw new Error('no frame')
  return header.value
}
const LAST_SEQ = spanOf(FRAMES[FRAMES.length - 1][0]).lastSeq

/** A log, its durable consumer, a history, and the archiver that takes the one into the other. */
class Shard {
  isDescribed = true
  readonly #clock = manualClock(0)
  readonly #messages: Omit<StoredMessage, 'pending'>[] = []
  /** Sequence to when it is delivered, monotonic ms. */
  readonly #unacknowledged = new Map<number, number>()
  #stored = 0
  #isDying = false
  /** Frames that are stored before the archiver dies. */
  #leftToStore = Infinity
  /** The history has the session's row. */
  #isKnown = false
  #intake = this.#newIntake()

  get unacknowledged(): number {
    return this.#unacknowledged.size
  }
  get storedSeq(): number {
    return this.#stored
  }

  /** Publishes these parts of a frame, or all. */
  publish(frame: number, from = 0, to = PARTS): void {
    for (const bytes of FRAMES[frame].slice(from, to)) {
      const sequence = this.#messages.length + 1
      this.#messages.push({ shard: 1, session: SESSION, sequence, bytes, storedMs: unixMs(0) })
      this.#unacknowledged.set(sequence, 0)
    }
  }
  pass(ms: number): void {
    this.#clock.advance(ms)
  }
  /** Delivers what is due, at most so many at once. Returns whether anything was. */
  async deliver(most: number, isDamaged = false): Promise<boolean> {
    const now = this.#clock.monoNs() / 1e6
    const due = this.#messages.filter(({ sequence }) => (this.#unacknowledged.get(sequence) ?? Infinity) <= now)
    const group = due.slice(0, most).map((message): Delivery => {
      const { sequence } = message
      // As for a client that doesn't respond.
      this.#unacknowledged.set(sequence, now + 30_000)
      return {
        ...message,
        ...(isDamaged ? { bytes: message.bytes.slice(1) } : {}),
        pending: 0,
        ack: () => Promise.resolve(void this.#unacknowledged.delete(sequence)),
        retry: (ms = 0) => void this.#unacknowledged.set(sequence, now + ms),
      }
    })
    if (group.length > 0) await this.#intake.take(group, new AbortController().signal)
    return group.length > 0
  }
  /** The archiver dies after storing what is delivered to it, and another one begins. */
  async dieStoring(most: number): Promise<void> {
    this.#isDying = true
    this.#leftToStore = most
    await this.deliver(2).catch(() => undefined)
    this.#isDying = false
    this.#leftToStore = Infinity
    await this.restart()
  }
  /** The archiver dies, and another one begins. */
  async restart(): Promise<void> {
    for (const sequence of this.#unacknowledged.keys()) this.#unacknowledged.set(sequence, 0)
    this.#intake = this.#newIntake()
    const last = this.#messages.at(-1)
    if (!this.#isKnown || this.#stored === LAST_SEQ || last === undefined) return
    const acknowledged = Math.min(...this.#unacknowledged.keys(), this.#messages.length + 1) - 1
    const message = { ...last, pending: 0 }
    if (mustCatchUp(message, this.#stored, acknowledged))
      await this.#intake.catchUp(message, acknowledged, new AbortController().signal)
  }
  async settle(): Promise<void> {
    for (let i = 0; i < 50 && this.#unacknowledged.size > 0; i++) {
      while (await this.deliver(3));
      this.pass(RETRY_MS)
    }
  }

  #newIntake(): Intake {
    return new Intake(
      {
        read: ({ from }) => this.#read('sequence' in from ? from.sequence : 1),
        session: () => Promise.resolve(this.isDescribed ? ABOUT : null),
      },
      {
        store: (_, frames) => Promise.resolve(this.#store(frames)),
        putSession: () => Promise.resolve(void (this.#isKnown = true)),
        quarantine: () => Promise.reject(new Error('nothing is refused here')),
      },
      this.#clock,
      {
        onCommitted: () => Promise.resolve(),
        onWaiting: () => undefined,
        beforeAck: () => (this.#isDying ? Promise.reject(new Error('died')) : Promise.resolve()),
        retryMs: RETRY_MS,
        storeBytes: 1,
      },
    )
  }
  async *#read(from: number): AsyncGenerator<StoredMessage, void> {
    const found = this.#messages.filter(({ sequence }) => sequence >= from)
    // A real log would wait for a message that never comes.
    if (found.length === 0) throw new Error('there is nothing to read')
    for (const [i, message] of found.entries())
      yield await Promise.resolve({ ...message, pending: found.length - 1 - i })
  }
  #store(frames: readonly Uint8Array[]): StoreOutcome {
    if (!this.#isKnown) return { is: 'unknown' }
    for (const { firstSeq, lastSeq } of frames.map(spanOf)) {
      if (lastSeq <= this.#stored) continue
      if (firstSeq > this.#stored + 1) return { is: 'missing', lastSeq: this.#stored, nextSeq: firstSeq }
      // A session is stored in several transactions.
      if (this.#leftToStore-- === 0) throw new Error('died')
      this.#stored = lastSeq
    }
    return { is: 'stored', lastSeq: this.#stored }
  }
}

type Step = (shard: Shard) => Promise<unknown> | void

describe('an archiver’s intake', () => {
  it('stores the rest of a session when its first frame arrives after the pause that it caused', async () => {
    const shard = new Shard()
    for (const frame of [1, 2, 3, 4, 5, 6, 7]) shard.publish(frame)
    while (await shard.deliver(8));
    shard.pass(RETRY_MS - 1)
    shard.publish(0)
    await shard.settle()
    expect(shard.storedSeq).toBe(LAST_SEQ)
  })

  it('stores missing frames that arrive right after the ones before them', async () => {
    const shard = new Shard()
    for (const frame of [1, 3, 4]) shard.publish(frame)
    await shard.deliver(3)
    shard.publish(0)
    shard.pass(RETRY_MS)
    await shard.deliver(1)
    for (const frame of [2, 5, 6, 7]) shard.publish(frame)
    await shard.settle()
    expect(shard.storedSeq).toBe(LAST_SEQ)
  })

  it('stores a frame whose first parts arrive during the pause that a missing one causes', async () => {
    const shard = await pausedAmidParts()
    for (const frame of [5, 6, 7]) shard.publish(frame)
    await shard.settle()
    expect([shard.storedSeq, shard.unacknowledged]).toEqual([LAST_SEQ, 0])
  })

  it('stores the last frame if its parts arrive in two pauses', async () => {
    const shard = await pausedAmidParts()
    await shard.settle()
    expect([shard.storedSeq, shard.unacknowledged]).toEqual([spanOf(FRAMES[4][0]).lastSeq, 0])
  })

  it('acknowledges a delivery that was damaged on its way and is whole in the log', async () => {
    const shard = new Shard()
    shard.publish(0)
    await shard.deliver(1, true)
    expect([shard.storedSeq, shard.unacknowledged]).toEqual([1, 0])
  })

  it('stores all of a session, whatever is published late and whenever an archiver dies', async () => {
    const frame = fc.nat(FRAMES.length - 1)
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 4,
        arbitrary: frame.map(
          (one): Step =>
            (shard) =>
              shard.publish(one),
        ),
      },
      {
        weight: 4,
        arbitrary: fc.integer({ min: 1, max: 4 }).map(
          (most): Step =>
            (shard) =>
              shard.deliver(most),
        ),
      },
      {
        weight: 2,
        arbitrary: fc.nat(RETRY_MS).map(
          (ms): Step =>
            (shard) =>
              shard.pass(ms),
        ),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(fc.nat(PARTS), fc.nat(PARTS)).map(
          ([from, to]): Step =>
            (shard) =>
              shard.publish(4, from, to),
        ),
      },
      { weight: 1, arbitrary: fc.constant<Step>((shard) => shard.deliver(1, true)) },
      { weight: 1, arbitrary: fc.constant<Step>((shard) => shard.restart()) },
      {
        weight: 1,
        arbitrary: fc.nat(4).map(
          (most): Step =>
            (shard) =>
              shard.dieStoring(most),
        ),
      },
      {
        weight: 1,
        arbitrary: fc.boolean().map(
          (is): Step =>
            (shard) =>
              void (shard.isDescribed ||= is),
        ),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.shuffledSubarray([...FRAMES.keys()], { minLength: FRAMES.length }),
        fc.nat(2 * FRAMES.length),
        async (isDescribed, steps, late, dies) => {
          const shard = new Shard()
          shard.isDescribed = isDescribed
          for (const run of steps) await run(shard)
          // Sooner or later, a recorder publishes whatever the log lacks.
          for (const [i, one] of late.entries()) {
            shard.publish(one)
            if (i === dies) await shard.dieStoring(i % 3)
            else await shard.deliver(1 + (one % 3))
          }
          shard.isDescribed = true
          await shard.settle()
          expect(shard.storedSeq).toBe(LAST_SEQ)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

/** A shard that lacked its first frame, and whose fifth one arrived in two pauses. */
async function pausedAmidParts(): Promise<Shard> {
  const shard = new Shard()
  for (const frame of [1, 2, 3]) shard.publish(frame)
  while (await shard.deliver(8));
  shard.publish(0)
  shard.publish(4, 0, 2)
  while (await shard.deliver(8));
  shard.pass(RETRY_MS)
  while (await shard.deliver(8));
  shard.publish(4, 2)
  return shard
}
