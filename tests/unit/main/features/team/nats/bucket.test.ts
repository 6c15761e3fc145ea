/** Buckets that are deleted, made again or lose a change while somebody reads them. */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { KV, Kvm } from '@nats-io/kv'
import type { NatsConnection, Status } from '@nats-io/transport-node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { natsBucket } from '../../../../../../src/main/features/team/nats/bucket.ts'
import { NatsTeamLog } from '../../../../../../src/main/features/team/nats/nats-team-log.ts'
import { Refusals } from '../../../../../../src/main/features/team/nats/refusals.ts'
import type { BucketEntry } from '../../../../../../src/main/features/team/nats/team-log.ts'

/** A bucket in memory, whose watchers hear only what `tell` tells them. */
class Bucket {
  created = 'first'
  lastSequence = 0
  messages = 0
  watches = 0
  readonly #watchers = new Set<(entry: unknown) => void>()

  tell(...revisions: number[]): void {
    for (const revision of revisions) this.tellOf(revision)
  }
  /** `delta`: changes that follow it. */
  tellOf(revision: number, delta = 0): void {
    for (const watcher of this.#watchers)
      watcher({ key: `k${revision}`, revision, delta, operation: 'PUT', string: () => String(revision) })
  }

  readonly kv = {
    status: () =>
      Promise.resolve({
        streamInfo: { created: this.created, state: { last_seq: this.lastSequence, messages: this.messages } },
      }),
    get: () => Promise.resolve({ key: 'k', revision: this.lastSequence, operation: 'PUT', string: () => '' }),
    watch: () => {
      this.watches++
      const queue: unknown[] = []
      let wake = (): void => {}
      let isOver = false
      const hear = (entry: unknown): void => {
        queue.push(entry)
        wake()
      }
      this.#watchers.add(hear)
      const stop = (): void => {
        isOver = true
        this.#watchers.delete(hear)
        wake()
      }
      return Promise.resolve({
        stop,
        async *[Symbol.asyncIterator]() {
          while (!isOver)
            if (queue.length > 0) yield queue.shift()
            else await new Promise<void>((resolve) => (wake = resolve))
        },
      })
    },
  } as unknown as KV // what a bucket uses of it

  readonly bucket = natsBucket((work) => work(this.kv), 'td_eu_test')
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('listing a bucket', () => {
  it('starts again if the bucket is deleted and made again meanwhile', async () => {
    const made = new Bucket()
    Object.assign(made, { lastSequence: 800, messages: 2 })
    const listing = made.bucket.entries()
    await vi.advanceTimersByTimeAsync(10)
    // The second bucket counts from 1, so a revision of 800 is far away.
    Object.assign(made, { created: 'second', lastSequence: 1, messages: 1 })
    await vi.advanceTimersByTimeAsync(500)
    expect(made.watches).toBe(2)
    made.tell(1)
    expect((await listing).map(({ revision }) => revision)).toEqual([1])
  })

  it('has the value of a key that is replaced meanwhile', async () => {
    const made = new Bucket()
    Object.assign(made, { lastSequence: 2, messages: 2 })
    const listing = made.bucket.entries()
    await vi.advanceTimersByTimeAsync(10)
    // The value of revision 1 is replaced by that of 3 before it is sent.
    made.tellOf(2, 1)
    await vi.advanceTimersByTimeAsync(10)
    made.tellOf(3)
    expect((await listing).map(({ revision }) => revision)).toEqual([2, 3])
  })

  it('doesn’t wait for a change that was counted and then replaced', async () => {
    const made = new Bucket()
    Object.assign(made, { lastSequence: 2, messages: 2 })
    const listing = made.bucket.entries()
    await vi.advanceTimersByTimeAsync(10)
    made.tellOf(2, 1)
    await vi.advanceTimersByTimeAsync(500)
    expect((await listing).map(({ revision }) => revision)).toEqual([2])
  })
})

describe('watching a bucket', () => {
  function watch(made: Bucket, key?: string) {
    const seen: BucketEntry[] = []
    const stop = new AbortController()
    const work = { take: (): Promise<void> => Promise.resolve() }
    const done = (async () => {
      for await (const entry of made.bucket.watch({ signal: stop.signal, ...(key === undefined ? {} : { key }) })) {
        seen.push(entry)
        await work.take()
      }
    })()
    const ended = done.then(
      () => 'stopped',
      (thrown: Error) => thrown.message,
    )
    return { seen, stop, ended, work }
  }

  it('fails once the bucket was deleted and made again', async () => {
    const made = new Bucket()
    const { seen, ended } = watch(made)
    await vi.advanceTimersByTimeAsync(10)
    Object.assign(made, { lastSequence: 3, messages: 3 })
    made.tell(1, 2, 3)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(seen).toHaveLength(3)
    made.created = 'second'
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await ended).toBe('The bucket td_eu_test was made again.')
  })

  it.each([undefined, 'k'])('fails if the last change doesn’t arrive (key %s)', async (key) => {
    const made = new Bucket()
    const { ended } = watch(made, key)
    await vi.advanceTimersByTimeAsync(10)
    Object.assign(made, { lastSequence: 2, messages: 2 })
    made.tell(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await ended).toBe('The bucket td_eu_test has changes that didn’t arrive.')
  })

  it('doesn’t wait for a value that was purged before it began', async () => {
    const made = new Bucket()
    Object.assign(made, { lastSequence: 5, messages: 2 })
    const { ended, stop } = watch(made)
    await vi.advanceTimersByTimeAsync(10)
    made.tellOf(2, 1)
    made.tellOf(3)
    await vi.advanceTimersByTimeAsync(60_000)
    stop.abort()
    expect(await ended).toBe('stopped')
  })

  it('waits for a caller that takes the changes slowly, and for changes of several keys', async () => {
    const made = new Bucket()
    const { ended, stop, work } = watch(made)
    const several = watch(made, 'recorder.>')
    await vi.advanceTimersByTimeAsync(10)
    const slow = Promise.withResolvers<undefined>()
    work.take = () => slow.promise
    Object.assign(made, { lastSequence: 2, messages: 2 })
    made.tell(1)
    await vi.advanceTimersByTimeAsync(60_000)
    made.tell(2)
    slow.resolve(undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    for (const one of [stop, several.stop]) one.abort()
    expect([await ended, await several.ended]).toEqual(['stopped', 'stopped'])
  })
})

it('is opened again after the connection was lost, or a request failed', async () => {
  const statuses: Status[] = []
  let wake = (): void => undefined
  const tell = async (status: Status): Promise<void> => {
    statuses.push(status)
    wake()
    await vi.advanceTimersByTimeAsync(0)
  }
  const made = new Bucket()
  let opened = 0
  const log = new NatsTeamLog({
    team: readTeamName('eu') as TeamName, // it is a name
    connection: {
      getServer: () => 'n1',
      closed: () => new Promise(() => undefined),
      async *status() {
        for (;;)
          if (statuses.length > 0) yield statuses.shift()
          else await new Promise<void>((resolve) => (wake = resolve))
      },
    } as unknown as NatsConnection, // what it uses of it here
    manager: {} as JetStreamManager, // not used here
    client: {} as JetStreamClient, // not used here
    buckets: { open: () => Promise.resolve((opened++, made.kv)) } as unknown as Kvm, // what it uses of it here
    refusals: new Refusals(['n1']),
  })
  const list = () => log.bucket('leases').entries()
  await list()
  await list()
  expect(opened).toBe(1)
  await tell({ type: 'disconnect', server: 'n1' })
  await expect(list()).rejects.toMatchObject({ code: 'offline' })
  await tell({ type: 'reconnect', server: 'n1' })
  await list()
  expect(opened).toBe(2)
  vi.spyOn(made.kv, 'status').mockRejectedValueOnce(new Error('gone'))
  await expect(list()).rejects.toMatchObject({ code: 'offline' })
  await list()
  expect(opened).toBe(3)
})
