/**
 * A team on three real nats-servers: publishing beside a bare publish of the same bytes, catching up with every hash
 * recomputed, and terminals beside bare subscriptions while a recorder receives 10,000 messages a second.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import { encodeFlushes } from '../src/main/features/team/frame/encode.ts'
import type { ChainHeads } from '../src/main/features/team/frame/frame.ts'
import { readLog } from '../src/main/features/team/follow/read-log.ts'
import { verifyPiece } from '../src/main/features/team/follow/verify-piece.ts'
import { connectTeam } from '../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../src/main/features/team/nats/team-log.ts'
import { frameSubject, readTeamName, type TeamName } from '../src/main/features/team/names.ts'
import { unixMs, type SessionId } from '../src/shared/base/units.ts'
import { startNatsCluster, type NatsCluster } from '../tests/kit/nats-server.ts'
import { ownSeconds, processSeconds } from './cpu.ts'
import { makeFlushes } from './flushes.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'
import { recordSession, type RecorderReport } from './team-recorder.ts'
import { startReceivers, type ReceiverOptions, type ReceiverReport } from './team-terminals.ts'

export interface TeamSizes {
  /** Messages to publish and catch up with. */
  readonly messages: number
  readonly terminals: number
  /** How long the recorder receives. */
  readonly seconds: number
}

const RATE = 10_000
/** Messages of a flush at that rate: the recorder flushes about every 10 ms. */
const FLUSH_ROWS = 100
const WARM_UP_SECONDS = 2
/** Terminals of one process. */
const PER_PROCESS = 10
const WITHIN_MS = 120_000
const CATCH_UP_GOAL = 500_000

export async function benchTeam(sizes: TeamSizes): Promise<readonly Row[]> {
  const cluster = await startNatsCluster()
  try {
    return [
      ...(await benchLog(cluster, sizes.messages)),
      ...(await benchDelay(cluster, sizes)),
      ...(await benchTerminals(cluster, sizes)),
    ]
  } finally {
    for (const node of cluster.nodes) await node.kill()
  }
}

/** Processor time of the servers, s. */
const serverSeconds = ({ nodes }: NatsCluster): number => processSeconds(nodes.flatMap(({ pid }) => pid ?? []))

let teams = 0
/** A team of its own for each measurement. */
function newTeam(): TeamName {
  const team = readTeamName(`bench${++teams}`)
  if (team === null) throw new TypeError('no team')
  return team
}

async function openTeam(cluster: NatsCluster): Promise<TeamLog> {
  const team = newTeam()
  const log = await connectTeam({ target: readNatsTarget(cluster.url, {}, {}), team, name: 'bench', allowOld: true })
  await log.ensureBuckets()
  await log.ensureShard(1)
  return log
}

/** What `work` took for each of `count` messages, with the servers' processor time. */
async function measure(cluster: NatsCluster, count: number, work: () => Promise<unknown>) {
  const [cpuFrom, from] = [ownSeconds() + serverSeconds(cluster), performance.now()]
  await work()
  const seconds = (performance.now() - from) / 1_000
  const cpuSeconds = ownSeconds() + serverSeconds(cluster) - cpuFrom
  return { perSecond: count / seconds, cpuUs: (cpuSeconds / count) * 1e6 }
}

/** Publishing one frame after another, then reading them back. */
async function benchLog(cluster: NatsCluster, count: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [what, bundleBytes, messages] of [
    [`${FLUSH_ROWS} messages a frame`, 1, Math.ceil(count / 4)],
    ['256 KiB a frame', undefined, count],
  ] as const) {
    const log = await openTeam(cluster)
    const session = newSessionId(unixMs(Date.now()))
    const frames = encode(session, messages, bundleBytes)
    const replicated = await measure(cluster, messages, () => publish(log, session, frames))
    const bare = await measure(cluster, messages, () => publishBare(cluster, session, frames))
    rows.push(
      row({
        name: `messages published to three replicas a second, ${what}`,
        unit: '/s',
        ours: replicated.perSecond,
        peer: bare.perSecond,
        peerName: 'core publish of the same bytes, kept nowhere',
        goal: null,
        cpuUs: { ours: replicated.cpuUs, peer: bare.cpuUs },
      }),
    )
    if (bundleBytes === undefined) rows.push(await benchCatchUp(log, session, messages))
    await log.close()
  }
  return rows
}

function encode(session: SessionId, count: number, bundleBytes: number | undefined): readonly Uint8Array[] {
  const encoded = encodeFlushes(
    { session, epoch: 0, heads: new Map(), maxPayload: 1 << 20, ...(bundleBytes === undefined ? {} : { bundleBytes }) },
    makeFlushes(session, count, FLUSH_ROWS),
  )
  if (!encoded.ok) throw new Error(encoded.refusal.message)
  return encoded.value.messages.map(({ bytes }) => bytes)
}

async function publish(log: TeamLog, session: SessionId, frames: readonly Uint8Array[]): Promise<void> {
  let previous = 0
  for (const bytes of frames) {
    const outcome = await log.publish(1, session, bytes, previous)
    if (outcome.is !== 'stored') throw new Error('somebody else publishes this session')
    previous = outcome.sequence
  }
}

async function publishBare(cluster: NatsCluster, session: SessionId, frames: readonly Uint8Array[]): Promise<void> {
  const { connect } = await import('@nats-io/transport-node')
  const connection = await connect({ servers: readNatsTarget(cluster.url, {}, {}).servers.slice() })
  // Nobody listens to this team's subjects.
  for (const bytes of frames) connection.publish(frameSubject(newTeam(), 1, session), bytes)
  await connection.flush()
  await connection.close()
}

/** Reads and verifies what a terminal would read that joins now. Counted by this process's own processor time. */
async function benchCatchUp(log: TeamLog, session: SessionId, count: number): Promise<Row> {
  let lastSeq = 0
  let heads: ChainHeads = new Map()
  const signal = new AbortController().signal
  const [cpuFrom, from] = [ownSeconds(), performance.now()]
  for await (const { bytes } of readLog(log, { shard: 1, session, fromSeq: 1, from: { at: 'first' }, signal })) {
    const piece = {
      firstSeq: 0,
      lastSeq: 0,
      bytes: bytes.length,
      data: { is: 'frame', time: { clock: 'log', ms: 0 }, bytes },
    } as const
    const verified = verifyPiece({ session, lastSeq, heads }, piece)
    if (!verified.ok) throw new Error(verified.refusal.message)
    heads = verified.value.heads
    for (const { batch } of verified.value.flushes) lastSeq += batch.messages.count
  }
  const cpuSeconds = ownSeconds() - cpuFrom
  if (lastSeq !== count) throw new Error(`the log has ${lastSeq} of ${count} messages`)
  const elapsed = Math.round(count / ((performance.now() - from) / 1_000))
  return row({
    name: `messages read from the log and verified, a second of one core (${elapsed.toLocaleString('en')} by the clock)`,
    unit: '/s',
    ours: count / cpuSeconds,
    peer: CATCH_UP_GOAL,
    peerName: 'half a million a second',
    goal: { is: 'at least', ratio: 1 },
    cpuUs: { ours: (cpuSeconds / count) * 1e6, peer: NaN },
  })
}

/** From receipt to the hub of one terminal in another process, beside the servers' acknowledgement. */
async function benchDelay(cluster: NatsCluster, sizes: TeamSizes): Promise<readonly Row[]> {
  const { recorder, reports } = await follow(cluster, sizes, { kind: 'terminals', hasStore: true, count: 1 })
  const [p50, p99] = [reports[0].p50, reports[0].p99].map((ms) => ms - recorder.startNs / 1e6)
  return [
    row({
      name: `receive → hub of a terminal with a store in another process, p99 at ${RATE.toLocaleString('en')} messages/s (p50 ${p50.toFixed(1)} ms)`,
      unit: 'ms',
      ours: p99,
      peer: recorder.p99,
      peerName: `receive → acknowledgement by three replicas, p99 (p50 ${recorder.p50.toFixed(1)} ms)`,
      goal: { is: 'at most', ratio: 1.5 },
    }),
  ]
}

/** Many terminals beside as many bare subscriptions, while one recorder receives. */
async function benchTerminals(cluster: NatsCluster, sizes: TeamSizes): Promise<readonly Row[]> {
  const { terminals: count } = sizes
  const bare = await follow(cluster, sizes, { kind: 'subscriptions', hasStore: false, count })
  const full = await follow(cluster, sizes, { kind: 'terminals', hasStore: false, count })
  const rate = ({ recorder, reports, messages }: Followed): number =>
    (count * messages) / ((Math.max(...reports.map(({ lastNs }) => lastNs)) - recorder.firstNs) / 1e9)
  const cpuUs = ({ cpuSeconds, messages }: Followed): number => (cpuSeconds / (count * messages)) * 1e6
  const processes = Math.ceil(count / PER_PROCESS)
  return [
    row({
      name: `messages to ${count} terminals a second at ${RATE.toLocaleString('en')} messages/s, none lost (in ${processes} processes: connection, follower and hub of each, without its store and window)`,
      unit: '/s',
      ours: rate(full),
      peer: rate(bare),
      peerName: `${count} bare subscriptions that count frames`,
      goal: { is: 'at least', ratio: 0.8 },
      cpuUs: { ours: cpuUs(full), peer: cpuUs(bare) },
    }),
  ]
}

interface Followed {
  readonly recorder: RecorderReport
  readonly reports: readonly ReceiverReport[]
  readonly messages: number
  /** Of the receivers and the servers. */
  readonly cpuSeconds: number
}

/** Records a session while receivers follow it, until each has all of it. Throws if one lost something. */
async function follow(
  cluster: NatsCluster,
  { seconds }: TeamSizes,
  { kind, hasStore, count }: Pick<ReceiverOptions, 'kind' | 'hasStore' | 'count'>,
): Promise<Followed> {
  return inFolder(async (folder) => {
    const log = await openTeam(cluster)
    const common = { servers: cluster.url, team: log.team, warmUp: WARM_UP_SECONDS * RATE }
    const started = []
    try {
      for (let from = 0; from < count; from += PER_PROCESS) {
        const own = join(folder, `receivers-${from}`)
        mkdirSync(own)
        started.push(
          await startReceivers({ ...common, kind, hasStore, count: Math.min(PER_PROCESS, count - from), folder: own }),
        )
      }
      const serversFrom = serverSeconds(cluster)
      const messages = (seconds + WARM_UP_SECONDS) * RATE
      const recorder = await recordSession({ ...common, folder, messages, rate: RATE })
      const expected = kind === 'subscriptions' ? recorder.frames : messages
      const deadline = Date.now() + WITHIN_MS
      for (;;) {
        const reports = await Promise.all(started.map((one) => one.report()))
        const all = reports.flatMap(({ received }) => received)
        if (all.every((one) => one.count >= expected && (kind === 'subscriptions' || one.isComplete))) {
          checkReceived(kind, reports, recorder, expected)
          const cpuSeconds = reports.reduce((sum, one) => sum + one.cpuSeconds, serverSeconds(cluster) - serversFrom)
          return { recorder, reports, messages, cpuSeconds }
        }
        if (Date.now() > deadline)
          throw new Error(`${kind}: only ${Math.min(...all.map((one) => one.count))} of ${expected}`)
        await sleep(100)
      }
    } finally {
      await Promise.all(started.map((one) => one.close()))
      await log.close()
    }
  })
}

/** Each has every message once, with the recorder's heads. */
function checkReceived(
  kind: ReceiverOptions['kind'],
  reports: readonly ReceiverReport[],
  recorder: RecorderReport,
  expected: number,
): void {
  for (const { count, heads } of reports.flatMap(({ received }) => received)) {
    if (count !== expected) throw new Error(`${kind}: ${count} instead of ${expected}`)
    if (kind === 'terminals' && !isSame(heads, recorder.heads)) throw new Error('a terminal has other chain heads')
  }
}

const isSame = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([conn, head]) => b[conn] === head)
