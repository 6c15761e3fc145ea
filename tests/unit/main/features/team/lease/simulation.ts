/** Recorders that compete for one lease over a bucket and a network that are simulated, in simulated time. */
import { findFreeShards, type SeenLeases } from '../../../../../../src/main/features/team/lease/candidates.ts'
import {
  answerLease,
  beginLease,
  heldEpoch,
  LEASE_TTL_MS,
  tickLease,
  epochOf,
  type LeaseAnswer,
  type LeaseEntry,
  type LeaseRequest,
  type LeaseState,
  type LeaseStep,
} from '../../../../../../src/main/features/team/lease/lease.ts'

const STEP_MS = 50
const POLL_MS = 1_000
const SHARD = 1

/** A time in which something is wrong. */
export type Disturbance =
  /** A recorder's process doesn't run. */
  | { readonly is: 'stopped'; readonly actor: number; readonly fromMs: number; readonly forMs: number }
  /** A recorder's process ends and starts again. */
  | { readonly is: 'restarted'; readonly actor: number; readonly fromMs: number }
  /** The wall clock of the server is set. */
  | { readonly is: 'clock'; readonly fromMs: number; readonly byMs: number }
  /** Requests and answers are lost or delayed with this likelihood. */
  | {
      readonly is: 'network'
      readonly fromMs: number
      readonly forMs: number
      readonly loss: number
      readonly delay: number
    }

export interface Setup {
  readonly actors: number
  readonly lengthMs: number
  readonly disturbances: readonly Disturbance[]
  /** From 0 to 1, as often as needed. */
  readonly random: () => number
}

export interface Outcome {
  /** Who held the lease under each epoch; more than one is a fault. */
  readonly holders: ReadonlyMap<number, ReadonlySet<string>>
  /** Epochs in the order in which they were first held. */
  readonly epochs: readonly number[]
  /** How often two recorders held the lease at the same time. */
  readonly overlaps: number
  /** Time without a holder at the end, ms. */
  readonly vacantMs: number
}

interface Actor {
  readonly name: string
  starts: number
  readonly rate: number
  readonly offset: number
  lease: LeaseState | null
  seen: SeenLeases
  pollAt: number
  readonly inbox: ((nowMs: number) => void)[]
}

export function simulate({ actors: count, lengthMs, disturbances, random }: Setup): Outcome {
  let now = 0
  let revision = 0
  let entry: (LeaseEntry & { readonly storedMs: number }) | null = null
  const wire: { readonly at: number; readonly run: () => void }[] = []
  const holders = new Map<number, Set<string>>()
  const epochs: number[] = []
  let [overlaps, vacantMs] = [0, 0]

  const active = (one: Disturbance): boolean => 'forMs' in one && now >= one.fromMs && now < one.fromMs + one.forMs
  const serverMs = (): number =>
    now + disturbances.reduce((sum, one) => sum + (one.is === 'clock' && now >= one.fromMs ? one.byMs : 0), 0)
  const localMs = (actor: Actor): number => actor.offset + now * actor.rate
  const isStopped = (at: number): boolean =>
    disturbances.some((one) => one.is === 'stopped' && one.actor === at && active(one))

  /** One way of a message: some time later, or never. */
  const transmit = (run: () => void): void => {
    const bad = disturbances.find((one) => one.is === 'network' && active(one))
    if (bad?.is === 'network' && random() < bad.loss) return
    const isSlow = bad?.is === 'network' && random() < bad.delay
    wire.push({ at: now + random() * (isSlow ? 20_000 : 200), run })
  }
  const serve = (request: LeaseRequest): LeaseAnswer => {
    if (entry !== null && serverMs() - entry.storedMs >= LEASE_TTL_MS) entry = null
    if (request.do === 'read')
      return { is: 'entry', entry: entry === null ? null : { ...entry, epoch: epochOf(entry, 0) } }
    if ((entry?.revision ?? 0) !== request.revision) return { is: 'conflict' }
    revision++
    entry = { revision, value: request.value, storedMs: serverMs() }
    return { is: 'stored', revision, epoch: revision }
  }
  const ask = (actor: Actor, request: LeaseRequest, then: (answer: LeaseAnswer, nowMs: number) => void): void =>
    transmit(() => {
      const answer = serve(request)
      transmit(() => actor.inbox.push((nowMs) => then(answer, nowMs)))
    })
  const apply = (actor: Actor, { state, request }: LeaseStep): void => {
    actor.lease = state.is === 'lost' ? null : state
    const { token, pending } = state
    if (request === null || pending === null) return
    ask(actor, request, (answer, nowMs) => {
      if (actor.lease?.token === token) apply(actor, answerLease(actor.lease, pending.id, answer, nowMs))
    })
  }
  const poll = (actor: Actor, nowMs: number): void => {
    const { starts } = actor
    actor.pollAt = nowMs + POLL_MS
    ask(actor, { do: 'read' }, (answer, atMs) => {
      if (actor.lease !== null || answer.is !== 'entry' || actor.starts !== starts) return
      const entries = new Map(answer.entry === null ? [] : [[SHARD, answer.entry]])
      const { seen, free } = findFreeShards(actor.seen, entries, [SHARD], atMs)
      actor.seen = seen
      const [found] = free
      if (found === undefined) return
      const token = `${actor.name}.${actor.starts}.${now}`
      apply(actor, beginLease({ token, recorder: actor.name, revision: found.revision }, atMs))
    })
  }

  const actors = Array.from({ length: count }, (_, at): Actor => ({
    name: `recorder ${at}`,
    starts: 0,
    rate: 0.99 + random() * 0.02,
    offset: random() * 1e9,
    lease: null,
    seen: new Map(),
    pollAt: 0,
    inbox: [],
  }))
  for (; now < lengthMs; now += STEP_MS) {
    const due = wire.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const one of due) {
      wire.splice(wire.indexOf(one), 1)
      one.run()
    }
    for (const [at, actor] of actors.entries()) {
      if (disturbances.some((one) => one.is === 'restarted' && one.actor === at && one.fromMs === now)) {
        actor.starts++
        actor.lease = null
        actor.seen = new Map()
        actor.inbox.length = 0
      }
      if (isStopped(at)) continue
      const nowMs = localMs(actor)
      // What arrived while it was stopped comes before its timers, as in Node after SIGCONT; or after them.
      if (random() < 0.5 && actor.lease !== null) apply(actor, tickLease(actor.lease, nowMs))
      for (const take of actor.inbox.splice(0)) take(nowMs)
      if (actor.lease !== null) apply(actor, tickLease(actor.lease, nowMs))
      else if (nowMs >= actor.pollAt) poll(actor, nowMs)
    }
    const holding = actors.flatMap((actor, at) => {
      const epoch = actor.lease === null ? null : heldEpoch(actor.lease, localMs(actor))
      return epoch === null ? [] : [{ epoch, actor, isStopped: isStopped(at) }]
    })
    for (const { epoch, actor } of holding) {
      if (!holders.has(epoch)) epochs.push(epoch)
      holders.set(epoch, (holders.get(epoch) ?? new Set()).add(`${actor.name}.${actor.starts}`))
    }
    if (holding.length > 1) overlaps++
    vacantMs = holding.some((one) => !one.isStopped) ? 0 : vacantMs + STEP_MS
  }
  return { holders, epochs, overlaps, vacantMs }
}
