/** `tapedeck record --team-shard auto`: takes a free shard of the team's plan, or waits in standby for one. */
import { randomUUID } from 'node:crypto'
import { CodedError } from '../../../shared/base/errors.ts'
import { FEED_IDS, type FeedId } from '../../../shared/base/units.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { acquireLease, retakeLease, type HeldLease } from '../../features/team/lease/hold.ts'
import { Patience } from '../../features/team/nats/patience.ts'
import type { TeamLog } from '../../features/team/nats/team-log.ts'
import type { AutoOptions } from '../../features/team/publish/options.ts'
import { PLAN_KEY, decodePlan } from '../../features/team/plan/document.ts'
import { keepReporting } from '../../features/team/reports/report.ts'
import { readPlan } from '../../features/team/plan/cli.ts'
import type { Plan, PlannedShard } from '../../features/team/plan/plan.ts'
import { waitUntil } from '../../base/clock.ts'
import { readTeamName } from '../../features/team/names.ts'
import { recordOnce, type RecordResult, type RecordSetup } from './record-once.ts'

const RETRY_MS = 1_000
/** How long a recorder that lost its shard overlaps with the one that has it now. */
const HANDOVER_MS = 10_000

/** The plan as it is now, and each change of it. */
class PlanWatch {
  plan: Plan | null = null
  readonly #listeners = new Listeners()

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  shard(number: number): PlannedShard | undefined {
    return this.plan?.shards.find(({ shard }) => shard === number)
  }

  /** Shards with something to record. */
  shards(): readonly number[] {
    return (this.plan?.shards ?? []).filter((one) => symbolsOf(one).size > 0).map(({ shard }) => shard)
  }

  /** Follows the plan until `signal` aborts. Reports plans that this version can't read, and keeps the last one. */
  async follow(log: TeamLog, setup: RecordSetup, signal: AbortSignal): Promise<void> {
    const { context } = setup
    while (!signal.aborted) {
      try {
        for await (const { value } of log.bucket('plan').watch({ signal, key: PLAN_KEY })) {
          const plan = value === null ? null : decodePlan(value)
          if (value !== null && plan === null)
            context.err('This version can’t read the team’s plan. Update Tapedeck.\n')
          else this.plan = plan
          this.#listeners.call()
        }
      } catch (thrown) {
        // Recording goes on with the last plan, also while permissions are missing.
        if (!(thrown instanceof CodedError)) throw thrown
        // A server that lost its disk lost its buckets, too.
        if (thrown.code === 'not-found') await ensureBuckets(log).catch(() => {})
      }
      await waitUntil(context.clock, signal, RETRY_MS)
    }
  }
}

const ensureBuckets = (log: TeamLog): Promise<void> => log.ensureBuckets(undefined, ['plan', 'leases', 'reports'])

const symbolsOf = ({ symbols }: PlannedShard): Map<FeedId, readonly string[]> =>
  new Map(
    FEED_IDS.flatMap((feed): [FeedId, readonly string[]][] => (symbols[feed]?.length ? [[feed, symbols[feed]]] : [])),
  )

/**
 * Records shards of the plan until Ctrl+C, SIGTERM or the end of `ms`. Returns the last session; null if no shard
 * became free.
 */
export async function recordAuto(
  setup: RecordSetup,
  options: AutoOptions,
  ms: number | null,
): Promise<RecordResult | null> {
  const { clock } = setup.context
  const ended = new AbortController()
  const signal = AbortSignal.any([setup.context.signal, ended.signal])
  const undo = ms === null ? () => {} : clock.after(ms, () => ended.abort())
  const team = readTeamName(options.team)
  if (team === null) throw new CodedError('bad-arguments', `"${options.team}" isn’t a team name.`)
  const { target, allowOld, recorder } = options
  const patience = new Patience(setup.context)
  const log = await patience.connect({ target, team, allowOld, name: `tapedeck record ${recorder}` })
  const watch = new PlanWatch()
  try {
    await patience.read(() => ensureBuckets(log))
    watch.plan = (await patience.read(() => readPlan(log.bucket('plan'))))?.plan ?? null
    const following = watch.follow(log, setup, signal)
    const recording = recordShards(setup, options, { log, watch, signal, following })
    // A plan that can't be followed any more ends the session, too.
    following.catch(() => ended.abort())
    const result = await recording
    ended.abort()
    await following
    return result === null || setup.context.signal.aborted ? result : { ...result, how: 'time' }
  } finally {
    undo()
    ended.abort()
    await log.close()
  }
}

interface AutoParts {
  readonly log: TeamLog
  readonly watch: PlanWatch
  readonly signal: AbortSignal
  readonly following: Promise<void>
}

async function recordShards(setup: RecordSetup, options: AutoOptions, parts: AutoParts): Promise<RecordResult | null> {
  const { watch, signal } = parts
  const { context } = setup
  let result: RecordResult | null = null
  while (!signal.aborted) {
    const lease = await waitForLease(setup, options, parts)
    if (lease === null) break
    context.err(`Recording shard ${lease.shard} of team ${options.team}, lease ${lease.epoch}.\n`)
    result = await recordShard(setup, options, lease, parts)
    if (!signal.aborted) context.err(`Shard ${lease.shard} is no longer recorded here: ${endText(lease, watch)}.\n`)
  }
  return result
}

/** Reports that it stands by until it has a lease. Null once the signal aborts. */
async function waitForLease(
  { context, manager }: RecordSetup,
  { recorder }: AutoOptions,
  { log, watch, signal }: AutoParts,
): Promise<HeldLease | null> {
  const ended = new AbortController()
  const reports: Promise<void>[] = []
  const report = (): Promise<void> =>
    keepReporting(
      () => (log.state().is === 'connected' ? log.bucket('reports') : null),
      randomUUID(),
      () => ({ role: 'recorder', name: recorder, shard: null, ...NOTHING_HELD }),
      context.clock,
      AbortSignal.any([signal, ended.signal]),
    )
  const lease = await acquireLease({
    bucket: log.bucket('leases'),
    clock: context.clock,
    recorder,
    shards: () => watch.shards(),
    signal,
    onMissing: () => ensureBuckets(log),
    onWait: (why) => {
      if (reports.length === 0) reports.push(report())
      const text = why === 'taken' ? standbyText(watch) : `${why.message} Waiting.`
      context.err(`${text}\n`)
      manager.ready(text)
    },
  }).finally(() => ended.abort())
  // Recording doesn't wait for a report to be taken back.
  if (lease === null) await Promise.all(reports)
  return lease
}

const NOTHING_HELD = { epoch: 0, spoolBytes: 0, spoolLimitBytes: null, unpublished: 0, trouble: null, sessions: [] }

const standbyText = ({ plan }: PlanWatch): string =>
  plan === null
    ? 'The team has no plan yet. Write one with: tapedeck plan --write. Waiting.'
    : 'Every shard of the plan has a recorder. Waiting in standby.'

const endText = (lease: HeldLease, watch: PlanWatch): string =>
  watch.shards().includes(lease.shard) ? 'another recorder has it' : 'the plan has nothing for it'

/** Records one shard until another recorder has it, the plan has nothing for it, or the run ends. */
async function recordShard(
  setup: RecordSetup,
  options: AutoOptions,
  lease: HeldLease,
  parts: AutoParts,
): Promise<RecordResult> {
  const { watch, signal } = parts
  const gone = new AbortController()
  const ended = new AbortController()
  const read = (): Map<FeedId, readonly string[]> => {
    const planned = watch.shard(lease.shard)
    return planned === undefined ? new Map<FeedId, readonly string[]>() : symbolsOf(planned)
  }
  const undo = watch.onChange(() => {
    if (read().size === 0) gone.abort()
  })
  const until = AbortSignal.any([signal, gone.signal, ended.signal])
  const keeping = keepLease(setup, options, lease, parts.log, until)
  keeping.then(
    () => gone.abort(),
    () => gone.abort(),
  )
  try {
    return await recordOnce(
      {
        ...setup,
        allowSharding: () => setup.allowSharding() || (watch.shard(lease.shard)?.connections ?? 1) > 1,
      },
      {
        symbols: { read, onChange: (listener) => watch.onChange(() => read().size > 0 && listener()) },
        publish: {
          ...options,
          shard: lease.shard,
          shards: watch.plan?.shards.length ?? lease.shard,
          epoch: lease.epoch,
        },
        signal: AbortSignal.any([signal, gone.signal]),
        ms: null,
        // First, so that a recorder in standby starts while this one still ends: an overlap is better than a gap.
        onEnding: async () => {
          ended.abort()
          await keeping
        },
      },
    )
  } finally {
    undo()
    ended.abort()
    await keeping
  }
}

/**
 * Holds the lease until `signal` aborts, then releases it. Recording goes on while the lease can't be renewed, because nobody
 * else may be recording then. Returns once another recorder has had the lease for long enough to record in its place.
 */
async function keepLease(
  { context }: RecordSetup,
  { recorder, team }: AutoOptions,
  first: HeldLease,
  log: TeamLog,
  signal: AbortSignal,
): Promise<void> {
  let lease = first
  for (;;) {
    await waitUntil(context.clock, AbortSignal.any([signal, lease.signal]), null)
    if (signal.aborted) return lease.release()
    const what = `shard ${lease.shard} of team ${team}`
    context.err(`The lease of ${what} couldn’t be renewed. Recording continues.\n`)
    const bucket = log.bucket('leases')
    const onMissing = (): Promise<void> => ensureBuckets(log)
    const again = await retakeLease({ bucket, clock: context.clock, recorder, signal, onMissing }, lease)
    if (again === null) {
      if (signal.aborted) return
      context.err(`Another recorder has the lease of ${what}. Recording ends in ${HANDOVER_MS / 1_000} s.\n`)
      await waitUntil(context.clock, signal, HANDOVER_MS)
      return
    }
    context.err(`Holding the lease of ${what} again.\n`)
    lease = again
  }
}
