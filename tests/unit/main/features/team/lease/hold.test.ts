import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import {
  acquireLease,
  createElapsed,
  readLeases,
  retakeLease,
  type HeldLease,
  type LeaseOptions,
} from '../../../../../../src/main/features/team/lease/hold.ts'
import { watchLeases } from '../../../../../../src/main/features/team/lease/watch.ts'
import { createTeamMetrics } from '../../../../../../src/main/features/team/metrics/metrics.ts'
import { decodeLease, encodeLease } from '../../../../../../src/main/features/team/lease/lease.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { BucketEntry, TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { manualClock, type ManualClock } from '../../../../../kit/clock.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'

const T0 = 1_700_000_000_000

/** A bucket in memory, without an age. */
class Bucket {
  readonly values = new Map<string, BucketEntry>()
  revision = 0
  made = 0
  /** Requests reject with this. */
  failure: Error | null = null
  entries(): Promise<readonly BucketEntry[]> {
    return this.failure === null ? Promise.resolve([...this.values.values()]) : Promise.reject(this.failure)
  }
  madeMs(): Promise<number> {
    return Promise.resolve(this.made)
  }
  get(key: string): Promise<BucketEntry | null> {
    return this.failure === null ? Promise.resolve(this.values.get(key) ?? null) : Promise.reject(this.failure)
  }
  update(key: string, value: string, revision: number): Promise<number | null> {
    if (this.failure !== null) return Promise.reject(this.failure)
    if ((this.values.get(key)?.revision ?? 0) !== revision) return Promise.resolve(null)
    this.values.set(key, { key, value, revision: ++this.revision })
    return Promise.resolve(this.revision)
  }
}

const OFFLINE = new CodedError('offline', 'Couldn’t reach a NATS server.')

/** Lets time pass once what was started is waiting for it. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await clock.pass(ms)
}

describe('acquiring a lease', () => {
  const setUp = () => ({ bucket: new Bucket(), clock: manualClock(T0) })
  const acquire = (
    { bucket, clock }: { bucket: Bucket; clock: ManualClock },
    recorder: string,
    more: Partial<LeaseOptions> = {},
  ) => {
    const settled = vi.fn<(lease: HeldLease | null) => void>()
    const ended = new AbortController()
    const done = acquireLease({ bucket, clock, recorder, shards: () => [1], signal: ended.signal, ...more })
    done.then(settled, () => {})
    return { done, settled, stop: () => ended.abort() }
  }

  it('takes a free shard at once and renews it every two seconds', async () => {
    const parts = setUp()
    const lease = await acquire(parts, 'a').done
    expect([lease?.shard, lease?.epoch, lease?.isHeld()]).toEqual([1, 1, true])
    await pass(parts.clock, 10_000)
    expect([parts.bucket.revision, lease?.epoch, lease?.isHeld()]).toEqual([6, 1, true])
    expect(decodeLease(parts.bucket.values.get('1')?.value ?? '')).toMatchObject({ recorder: 'a', epoch: 1 })
  })

  it('has a higher epoch than every one before the bucket was lost and made again', async () => {
    const parts = setUp()
    parts.bucket.made = T0
    const first = await acquire(parts, 'a').done
    await pass(parts.clock, 10_000)
    parts.bucket.values.clear()
    parts.bucket.revision = 0
    parts.bucket.made = T0 + 10_000
    const second = await acquire(parts, 'b').done
    expect([first?.epoch, second?.epoch]).toEqual([T0 + 1, T0 + 10_001])
  })

  it('waits in standby, and says so once', async () => {
    const parts = setUp()
    await acquire(parts, 'a').done
    const onWait = vi.fn()
    const { settled } = acquire(parts, 'b', { onWait })
    await pass(parts.clock, 30_000)
    expect(settled).not.toHaveBeenCalled()
    expect(onWait.mock.calls).toEqual([['taken']])
  })

  it('takes over a lease that is released, within a look', async () => {
    const parts = setUp()
    const first = await acquire(parts, 'a').done
    const { settled } = acquire(parts, 'b')
    await pass(parts.clock, 3_000)
    await first?.release()
    expect([first?.isHeld(), first?.signal.aborted]).toEqual([false, true])
    await pass(parts.clock, 1_000)
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ shard: 1, epoch: 4 })
  })

  it('takes over from a recorder that can’t reach the bucket, which gives up first', async () => {
    const parts = setUp()
    const cut = new Bucket()
    const first = await acquire({ ...parts, bucket: cut }, 'a').done
    for (const [key, entry] of cut.values) parts.bucket.values.set(key, entry)
    parts.bucket.revision = cut.revision
    cut.failure = OFFLINE
    const { settled } = acquire(parts, 'b')
    await pass(parts.clock, 5_500)
    expect([first?.isHeld(), first?.signal.aborted, settled.mock.calls.length]).toEqual([false, true, 0])
    await pass(parts.clock, 2_000)
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ epoch: 2 })
  })

  it('isn’t held any more when a stopped process continues, before any timer has run', async () => {
    const parts = setUp()
    let sleptMs = 0
    const clock = { ...parts.clock, bootMs: () => parts.clock.monoNs() / 1e6 + sleptMs }
    const lease = await acquire(parts, 'a', { clock }).done
    expect(lease?.isHeld()).toBe(true)
    sleptMs = 30_000
    expect(lease?.isHeld()).toBe(false)
  })

  it('takes another shard than the one that is taken, and only shards of the plan', async () => {
    const parts = setUp()
    const leases = await Promise.all(
      ['a', 'b', 'c'].map((name) => acquire(parts, name, { shards: () => [1, 2, 3] }).done),
    )
    expect(leases.map((lease) => lease?.shard).sort()).toEqual([1, 2, 3])
    let shards = [1, 2, 3]
    const { settled } = acquire(parts, 'd', { shards: () => shards })
    await pass(parts.clock, 3_000)
    expect(settled).not.toHaveBeenCalled()
    shards = [1, 2, 3, 4]
    await pass(parts.clock, 1_000)
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ shard: 4 })
  })

  it.each(['offline', 'unauthorized', 'server-error'] as const)(
    'waits while the bucket can’t be used, because of %s',
    async (code) => {
      const parts = setUp()
      parts.bucket.failure = new CodedError(code, 'No.')
      const onWait = vi.fn()
      const { settled } = acquire(parts, 'a', { onWait })
      await pass(parts.clock, 3_000)
      expect(onWait.mock.calls).toEqual([[expect.objectContaining({ code })]])
      parts.bucket.failure = null
      await pass(parts.clock, 1_000)
      expect(settled).toHaveBeenCalledOnce()
    },
  )

  it('makes a bucket again that is gone', async () => {
    const parts = setUp()
    parts.bucket.failure = new CodedError('not-found', 'No.')
    // At first, the servers can't make it either.
    const onMissing = vi.fn(() => {
      if (onMissing.mock.calls.length < 2) return Promise.reject(OFFLINE)
      parts.bucket.failure = null
      return Promise.resolve()
    })
    const { settled } = acquire(parts, 'a', { onMissing })
    await pass(parts.clock, 3_000)
    expect([onMissing.mock.calls.length, settled.mock.calls[0]?.[0]?.shard]).toEqual([2, 1])
  })

  it('rejects if it may not read the bucket', async () => {
    const parts = setUp()
    parts.bucket.failure = new CodedError('forbidden', 'No permission.')
    await expect(acquire(parts, 'b').done).rejects.toThrow('No permission.')
  })

  describe('again', () => {
    const lose = async () => {
      const parts = setUp()
      const lease = await acquire(parts, 'a').done
      if (lease === null) throw new Error('not acquired')
      parts.bucket.failure = OFFLINE
      await pass(parts.clock, 5_500)
      expect(lease.signal.aborted).toBe(true)
      const { signal } = new AbortController()
      const settled = vi.fn<(lease: HeldLease | null) => void>()
      const done = retakeLease({ bucket: parts.bucket, clock: parts.clock, recorder: 'a', signal }, lease)
      void done.then(settled)
      await pass(parts.clock, 60_000)
      expect(settled).not.toHaveBeenCalled()
      parts.bucket.failure = null
      return { ...parts, lease, settled }
    }

    it.each([
      ['its own entry is still there', () => Promise.resolve()],
      ['its entry has expired', (bucket: Bucket) => Promise.resolve(bucket.values.clear())],
      [
        'the recorder that had it meanwhile gave it up',
        (bucket: Bucket) =>
          bucket.update('1', encodeLease({ token: 'b', recorder: 'b', epoch: null, released: true }), bucket.revision),
      ],
    ])('takes it at once, with a new epoch, if %s', async (_, change) => {
      const { bucket, clock, lease, settled } = await lose()
      await change(bucket)
      await pass(clock, 1_000)
      expect(settled).toHaveBeenCalledWith(expect.objectContaining({ shard: 1 }))
      expect(settled.mock.calls[0]?.[0]?.epoch).toBeGreaterThan(lease.epoch)
    })

    it('makes the bucket again if it is gone', async () => {
      const { bucket, clock } = setUp()
      const lease = await acquire({ bucket, clock }, 'a').done
      if (lease === null) throw new Error('not acquired')
      bucket.failure = new CodedError('not-found', 'No.')
      await pass(clock, 5_500)
      bucket.values.clear()
      const onMissing = () => Promise.resolve(void (bucket.failure = null))
      const { signal } = new AbortController()
      const again = retakeLease({ bucket, clock, recorder: 'a', signal, onMissing }, lease)
      await pass(clock, 3_000)
      expect(await again).toMatchObject({ shard: 1 })
    })

    it.each(['forbidden', 'not-found', 'unauthorized', 'server-error'] as const)(
      'goes on after the servers refused with %s',
      async (code) => {
        const { bucket, clock, settled } = await lose()
        bucket.failure = new CodedError(code, 'No.')
        await pass(clock, 60_000)
        bucket.failure = null
        await pass(clock, 1_000)
        expect(settled).toHaveBeenCalledWith(expect.objectContaining({ shard: 1 }))
      },
    )

    it('leaves it to the recorder that has it by now', async () => {
      const { bucket, clock, settled } = await lose()
      await bucket.update(
        '1',
        encodeLease({ token: 'b', recorder: 'b', epoch: null, released: false }),
        bucket.revision,
      )
      await pass(clock, 1_000)
      expect(settled).toHaveBeenCalledWith(null)
    })
  })

  it('rejects if it may not hold a lease', async () => {
    const parts = setUp()
    parts.bucket.update = () => Promise.reject(new CodedError('forbidden', 'No permission.'))
    await expect(acquire(parts, 'a').done).rejects.toThrow('No permission.')
  })

  it('resolves null when it is stopped, and holds nothing then', async () => {
    const parts = setUp()
    await acquire(parts, 'a').done
    const waiting = acquire(parts, 'b')
    waiting.stop()
    expect(await waiting.done).toBeNull()
    const timers = parts.clock.timers
    await pass(parts.clock, 2_000)
    expect(parts.clock.timers).toBe(timers)
  })

  it('releases what it got while it was being stopped', async () => {
    const parts = setUp()
    const taking = acquire(parts, 'a')
    taking.stop()
    expect(await taking.done).toBeNull()
    await pass(parts.clock, 1_000)
    const entry = parts.bucket.values.get('1')
    expect(entry === undefined || decodeLease(entry.value ?? '').released).toBe(true)
  })
})

it('shows how long nobody has renewed a lease, also after it was released or has expired', async () => {
  const [bucket, clock] = [new Bucket(), manualClock(T0)]
  const metrics = createTeamMetrics({ team: 'eu', role: 'archiver' })
  const stop = new AbortController()
  const watching = watchLeases(bucket, () => Promise.resolve([2]), metrics, clock, stop.signal)
  const ageOf = (shard: number) =>
    new RegExp(`lease_age_seconds\\{.*shard="${shard}"\\} ([\\d.]+)`).exec(metrics.text())?.[1]
  const age = () => ageOf(1)
  await pass(clock, 4_000)
  expect(age()).toBeUndefined()
  // It is planned, and its recorder died before this began, or never was.
  expect(Number(ageOf(2))).toBe(4)
  const lease = await acquireLease({
    bucket,
    clock,
    recorder: 'a',
    shards: () => [1],
    signal: new AbortController().signal,
  })
  await pass(clock, 20_000)
  expect(Number(age())).toBeLessThanOrEqual(4)
  await lease?.release()
  bucket.failure = OFFLINE
  await pass(clock, 4_000)
  bucket.failure = null
  await pass(clock, 4_000)
  bucket.values.clear()
  await pass(clock, 12_000)
  expect(Number(age())).toBeGreaterThanOrEqual(20)
  stop.abort()
  await watching
})

it('counts the sleep of the machine, but not the coarseness of its boot clock', () => {
  const clock = manualClock(T0)
  let boot = 100_000
  const elapsedMs = createElapsed({ ...clock, bootMs: () => boot })
  boot += 999
  expect(elapsedMs()).toBe(0)
  clock.advance(500)
  expect(elapsedMs()).toBe(500)
  boot += 30_000
  expect(elapsedMs()).toBe(29_999)
})

describe.skipIf(!hasNatsServer)('a lease on NATS [needs nats-server]', () => {
  let server: NatsServer
  let log: TeamLog
  const ended = new AbortController()
  beforeAll(async () => {
    server = await startNatsServer()
    const team = readTeamName('eu') as TeamName // it is a name
    log = await connectTeam({ target: readNatsTarget(server.url, {}, {}), team, name: 'test', allowOld: true })
    await log.ensureBuckets()
  })
  afterAll(async () => {
    ended.abort()
    await log.close()
  })
  const acquire = (recorder: string) => {
    const bucket = log.bucket('leases')
    return acquireLease({ bucket, clock: systemClock, recorder, shards: () => [1], signal: ended.signal })
  }

  it('goes from one recorder to the next, with a higher epoch each time, also over a restart of the server', async () => {
    const first = await acquire('a')
    const next = acquire('b')
    await first?.release()
    const second = await next
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Infinity)
    const leases = await readLeases(log.bucket('leases'))
    expect(leases.get(1)?.value).toMatchObject({ recorder: 'b', released: false })
    await second?.release()
    await server.kill()
    await expect.poll(() => log.state().is).toBe('disconnected')
    await server.start()
    await expect.poll(() => log.state().is, { timeout: 10_000 }).toBe('connected')
    const third = await acquire('c')
    expect(third?.epoch).toBeGreaterThan(second?.epoch ?? Infinity)
    expect(third?.isHeld()).toBe(true)
    await third?.release()
  })

  it('goes on with higher epochs after the server lost its disk, also where both recorders hold one for a moment', async () => {
    const first = await acquire('a')
    await server.kill()
    rmSync(server.storeFolder, { recursive: true })
    await expect.poll(() => log.state().is).toBe('disconnected')
    await server.start()
    await expect.poll(() => log.state().is, { timeout: 10_000 }).toBe('connected')
    await log.ensureBuckets()
    const second = await acquire('b')
    expect((await log.bucket('leases').get('1'))?.revision).toBe(1)
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Infinity)
    await second?.release()
  })
})
