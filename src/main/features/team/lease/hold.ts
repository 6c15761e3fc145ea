/** Takes a free shard's lease in the bucket `leases` and renews it until it is released or lost. */
import { randomUUID } from 'node:crypto'
import { CodedError, toFailure, type Failure } from '../../../../shared/base/errors.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import type { TeamBucket } from '../nats/team-log.ts'
import { shardScore } from '../plan/rendezvous.ts'
import { findFreeShards, type SeenLeases } from './candidates.ts'
import {
  answerLease,
  beginLease,
  decodeLease,
  dueMs,
  encodeLease,
  epochOf,
  heldEpoch,
  REQUEST_TIMEOUT_MS,
  tickLease,
  type LeaseAnswer,
  type LeaseEntry,
  type LeaseRequest,
  type LeaseState,
  type LeaseValue,
  type LeaseStep,
} from './lease.ts'

/** How often a recorder in standby looks for a free shard. */
const POLL_MS = 1_000

export interface HeldLease {
  readonly shard: number
  /** Names it in its entry. */
  readonly token: string
  readonly epoch: number
  /** Aborts when the lease is lost or released. */
  readonly signal: AbortSignal
  /** Whether it is held at this instant, also in a process that was stopped and hasn't noticed yet. */
  isHeld(): boolean
  /** Gives it up, so that another recorder can take it at once. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly bucket: Pick<TeamBucket, 'entries' | 'get' | 'update' | 'madeMs'>
  readonly clock: Clock
  /** Names this recorder for people. */
  readonly recorder: string
  /** The shards it may take. Read before each look, as the plan may change. */
  readonly shards: () => readonly number[]
  readonly signal: AbortSignal
  /** No shard is free, or the bucket couldn't be read: it looks again every second. Called at each change. */
  readonly onWait?: (why: 'taken' | Failure) => void
  /** Makes the bucket again, because the servers don't have it. */
  readonly onMissing?: () => Promise<void>
}

/**
 * Elapsed milliseconds that include the sleep of the machine, where its boot clock tells. The boot clock may be coarse,
 * so it counts a second less.
 */
export function createElapsed(clock: Clock): () => number {
  const [mono, boot] = [clock.monoNs(), clock.bootMs?.()]
  return () => {
    const sinceBoot = boot === undefined ? 0 : (clock.bootMs?.() ?? boot) - boot - 1_000
    return Math.max((clock.monoNs() - mono) / 1e6, sinceBoot)
  }
}

/** The entries of the bucket, by shard, each with its epoch. */
export async function readLeases(
  bucket: Pick<TeamBucket, 'entries' | 'madeMs'>,
): Promise<ReadonlyMap<number, LeaseEntry>> {
  const leases = new Map<number, LeaseEntry>()
  for (const { key, value, revision } of await bucket.entries()) {
    if (!/^[1-9]\d{0,2}$/.test(key) || value === null) continue
    const entry = { revision, value: decodeLease(value) }
    const epoch = epochOf(entry, await madeMs(bucket, entry.value))
    leases.set(Number(key), { revision, value: { ...entry.value, epoch } })
  }
  return leases
}

/**
 * Waits for a free shard and takes its lease. Resolves null once `signal` aborts. Rejects if the bucket can't be used
 * and waiting doesn't help.
 */
export async function acquireLease(options: LeaseOptions): Promise<HeldLease | null> {
  const { bucket, clock, recorder, signal, onWait, onMissing } = options
  const elapsedMs = createElapsed(clock)
  let seen: SeenLeases = new Map()
  let waitsFor: string | null = null
  const wait = (why: 'taken' | Failure): void => {
    const key = why === 'taken' ? why : why.code
    if (key !== waitsFor) onWait?.(why)
    waitsFor = key
  }
  while (!signal.aborted) {
    try {
      const found = findFreeShards(seen, await readLeases(bucket), options.shards(), elapsedMs())
      seen = found.seen
      // Recorders that start together try different shards first.
      const inOrder = found.free.toSorted((a, b) => shardScore(recorder, b.shard) - shardScore(recorder, a.shard))
      for (const { shard, revision } of inOrder) {
        const lease = await tryLease({ bucket, clock, recorder, elapsedMs }, shard, revision)
        if (signal.aborted) await lease?.release()
        if (signal.aborted) return null
        if (lease !== null) return lease
      }
      wait('taken')
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown
      wait(toFailure(thrown))
      await makeIfMissing(thrown, onMissing)
    }
    await waitUntil(clock, signal, POLL_MS)
  }
  return null
}

/**
 * Takes a lease again that couldn't be renewed, such as while NATS was away. Resolves null if another recorder has it by now, or
 * once `signal` aborts. Whatever the servers refuse is asked again.
 */
export async function retakeLease(
  options: Pick<LeaseOptions, 'bucket' | 'clock' | 'recorder' | 'signal' | 'onMissing'>,
  { shard, token }: Pick<HeldLease, 'shard' | 'token'>,
): Promise<HeldLease | null> {
  const { bucket, clock, recorder, signal, onMissing } = options
  const elapsedMs = createElapsed(clock)
  while (!signal.aborted) {
    try {
      const entry = (await readLeases(bucket)).get(shard)
      if (entry !== undefined && !entry.value.released && entry.value.token !== token) return null
      const lease = await tryLease({ bucket, clock, recorder, elapsedMs }, shard, entry?.revision ?? 0)
      if (signal.aborted) await lease?.release()
      else if (lease !== null) return lease
    } catch (thrown) {
      // Recording goes on without the lease, also while permissions or the bucket are missing.
      if (!(thrown instanceof CodedError)) throw thrown
      await makeIfMissing(thrown, onMissing)
    }
    await waitUntil(clock, signal, POLL_MS)
  }
  return null
}

async function makeIfMissing(thrown: unknown, make: LeaseOptions['onMissing']): Promise<void> {
  if (thrown instanceof CodedError && thrown.code === 'not-found') await make?.().catch(() => undefined) // asked again
}

interface Parts {
  readonly bucket: Pick<TeamBucket, 'get' | 'update' | 'madeMs'>
  readonly clock: Clock
  readonly recorder: string
  readonly elapsedMs: () => number
}

/** Resolves with the lease once it is held, or null if another recorder has it. */
function tryLease({ bucket, clock, recorder, elapsedMs }: Parts, shard: number, revision: number) {
  const key = String(shard)
  const ended = new AbortController()
  return new Promise<HeldLease | null>((resolve, reject) => {
    let state: LeaseState
    let cancelTimer = (): void => {}
    let inFlight: Promise<void> = Promise.resolve()
    let isReleased = false

    const send = (request: LeaseRequest, id: number): void => {
      // Waiting doesn't help where it isn't allowed to hold a lease.
      const onError = (thrown: unknown): void => {
        if (state.is === 'acquiring' && thrown instanceof Error && !mayPass(thrown)) reject(thrown)
      }
      const answered = carryOut(bucket, key, request, onError).then((answer) => {
        if (!isReleased || answer.is === 'stored') apply(answerLease(state, id, answer, elapsedMs()))
      })
      inFlight = answered
    }
    const apply = (step: LeaseStep): void => {
      state = step.state
      cancelTimer()
      if (step.request !== null && state.pending !== null && !isReleased) send(step.request, state.pending.id)
      if (state.is === 'lost') ended.abort()
      if (state.is === 'lost') return resolve(null)
      if (!isReleased) {
        cancelTimer = clock.after(Math.max(0, dueMs(state) - elapsedMs()), () => apply(tickLease(state, elapsedMs())))
      }
      if (state.is === 'held') resolve(lease)
    }
    const token = randomUUID()
    const lease: HeldLease = {
      shard,
      token,
      get epoch() {
        return state.epoch
      },
      signal: ended.signal,
      isHeld: () => !isReleased && heldEpoch(state, elapsedMs()) !== null,
      async release() {
        if (isReleased) return
        isReleased = true
        cancelTimer()
        // A renewal that is under way changes the revision.
        await Promise.race([inFlight, waitUntil(clock, ended.signal, REQUEST_TIMEOUT_MS)])
        ended.abort()
        const value = { token: state.token, recorder, epoch: state.epoch, released: true }
        if (state.is === 'held') await carryOut(bucket, key, { do: 'put', value, revision: state.revision })
      },
    }
    apply(beginLease({ token, recorder, revision }, elapsedMs()))
  })
}

/** Whether waiting may help: servers lose disks and users, and get them back. A missing permission is a mistake. */
const mayPass = (thrown: unknown): boolean => thrown instanceof CodedError && thrown.code !== 'forbidden'

/** When the bucket was made, as far as the epoch follows from it. After the entry was stored there, never before. */
const madeMs = async (bucket: Pick<TeamBucket, 'madeMs'>, { epoch }: LeaseValue): Promise<number> =>
  epoch === null ? bucket.madeMs() : 0

/** Never rejects. */
async function carryOut(
  bucket: Parts['bucket'],
  key: string,
  request: LeaseRequest,
  onError: (thrown: unknown) => void = () => {},
): Promise<LeaseAnswer> {
  try {
    if (request.do === 'put') {
      const revision = await bucket.update(key, encodeLease(request.value), request.revision)
      if (revision === null) return { is: 'conflict' }
      return { is: 'stored', revision, epoch: epochOf({ revision, value: request.value }, await madeMs(bucket, request.value)) } // oxfmt-ignore
    }
    const entry = await bucket.get(key)
    if (entry === null || entry.value === null) return { is: 'entry', entry: null }
    const found = { revision: entry.revision, value: decodeLease(entry.value) }
    return { is: 'entry', entry: { ...found, epoch: epochOf(found, await madeMs(bucket, found.value)) } }
  } catch (thrown) {
    onError(thrown)
    return { is: 'failed' }
  }
}
