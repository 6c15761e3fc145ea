/**
 * Kills the servers of a cluster with SIGKILL while a recorder publishes: the leader of the stream, any server, and all
 * at once. Also lets one hang. Afterwards the log must hold each committed flush once and in order.
 */
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNatsCluster, type NatsCluster, type NatsServer } from '../kit/nats-server.ts'
import { openLog, TeamRecorder } from '../kit/team-recorder.ts'
import { checkLog } from './team-log.ts'

/**
 * The longest time in which nothing may be published after a fault, ms. A whole cluster elects all its leaders again. It is
 * judged after everything was compared, and only on a machine that isn't busy with other work.
 */
const STALL_MS = { leader: 15_000, any: 15_000, hung: 15_000, all: 30_000 } as const

/** Runnable processes per core up to which stalls are judged: the three servers and the recorder need about two. */
const MOST_LOAD = 4
/** How long all of it may take to be published. Limits a hang, not the machine. */
const CAUGHT_UP_WITHIN_MS = 300_000

/** How long a server hangs, ms. */
const HUNG_MS = 25_000

export interface ClusterKills {
  readonly messages: number
  /** Of each kind. */
  readonly kills: number
  readonly say?: (text: string) => void
}

/** Returns what was seen. Throws at the first difference. */
export async function killCluster({ messages, kills, say = () => {} }: ClusterKills): Promise<string> {
  const cluster = await startNatsCluster()
  const recorder = new TeamRecorder(cluster.url)
  const faults = (['leader', 'any', 'hung', 'all'] as const).flatMap((kind) =>
    Array.from({ length: kills }, () => kind),
  )
  const perFault = Math.ceil(messages / (faults.length + 1))
  let sent = 0
  const tooLong: string[] = []
  const longestMs = { leader: 0, any: 0, hung: 0, all: 0 }
  /** Commits flushes of 100 while `work` runs, and then until this many messages are committed. */
  const commitDuring = async (work: () => Promise<void>): Promise<void> => {
    const until = sent + perFault
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    working.catch(() => undefined) // awaited below
    for (let i = 0; !isOver || sent < until; i++) {
      // A few even after enough of them, so that there is always something to publish after a fault.
      const count = sent < until ? 100 : 1
      recorder.commit(count)
      sent += count
      if (i % 200 === 199) recorder.seal()
      await sleep(sent < until ? 0 : 5)
    }
    await working
  }
  try {
    await commitDuring(() => caughtUp(recorder))
    for (const [i, kind] of faults.entries()) {
      await commitDuring(async () => {
        const ms = kind === 'hung' ? await hang(cluster, i, recorder) : await kill(cluster, kind, recorder)
        longestMs[kind] = Math.max(longestMs[kind], ms)
        if (ms > STALL_MS[kind]) {
          const load = loadavg()[0] / availableParallelism()
          const text = `${kind}: nothing was published for ${(ms / 1_000).toFixed(1)} s at a load of ${load.toFixed(1)} per core: ${recorder.said.at(-1)}`
          say(text)
          if (load <= MOST_LOAD) tooLong.push(text)
        }
      })
      if ((i + 1) % 10 === 0) say(`${i + 1} of ${faults.length} faults, ${sent} messages`)
    }
    await caughtUp(recorder)
    const log = await openLog(cluster.url)
    const frames = await checkLog(log, 1, recorder.reader, [recorder.session])
    await log.close()
    if (tooLong.length > 0) throw new Error(`nothing was lost, but ${tooLong.join('; ')}`)
    const stalls = Object.entries(longestMs).map(([kind, ms]) => `${kind} ${(ms / 1_000).toFixed(1)} s`)
    return `${faults.length} faults, ${sent} messages in ${frames} frames, all in the log once and in order; longest stalls: ${stalls.join(', ')}`
  } finally {
    await recorder.remove()
    for (const node of cluster.nodes) await node.kill()
  }
}

/** Kills servers and starts them again. Returns how long nothing was published afterwards, ms. */
async function kill(cluster: NatsCluster, kind: 'leader' | 'any' | 'all', recorder: TeamRecorder): Promise<number> {
  const killed = kind === 'all' ? cluster.nodes : [await choose(cluster, kind)]
  await Promise.all(killed.map((node) => node.kill()))
  await sleep(500)
  await Promise.all(killed.map((node) => node.start()))
  return untilPublished(recorder, publishedSeq(recorder), performance.now())
}

/**
 * Stops one of the servers, in turn: the leader, the one that the recorder is connected to, both in one, or neither.
 * Returns the longest time without a publish until it continues, ms.
 */
async function hang(cluster: NatsCluster, round: number, recorder: TeamRecorder): Promise<number> {
  const server = cluster.nodes[round % cluster.nodes.length]
  const deadline = performance.now() + HUNG_MS
  server.signal('SIGSTOP')
  try {
    let longest = 0
    while (performance.now() < deadline)
      longest = Math.max(longest, await untilPublished(recorder, publishedSeq(recorder), performance.now()))
    return longest
  } finally {
    server.signal('SIGCONT')
  }
}

/** Returns the time until more than this seq was published, ms. */
async function untilPublished(recorder: TeamRecorder, seq: number, fromMs: number): Promise<number> {
  while (publishedSeq(recorder) === seq) await sleep(10)
  return performance.now() - fromMs
}

async function caughtUp(recorder: TeamRecorder): Promise<void> {
  const deadline = Date.now() + CAUGHT_UP_WITHIN_MS
  while (!recorder.isCaughtUp()) {
    if (Date.now() > deadline) throw new Error(`not caught up: ${recorder.said.at(-1) ?? 'nothing was said'}`)
    await sleep(20)
  }
}

/** The server that leads the stream, or any. */
async function choose(cluster: NatsCluster, kind: 'leader' | 'any'): Promise<NatsServer> {
  const any = cluster.nodes[Math.floor(Math.random() * cluster.nodes.length)]
  if (kind === 'any') return any
  const { connect } = await import('@nats-io/transport-node')
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const connection = await connect({ servers: cluster.nodes.map(({ port }) => `127.0.0.1:${port}`) })
  try {
    const { cluster: state } = await (await jetstreamManager(connection)).streams.info('TD_eu_1')
    return cluster.nodes.find((_, i) => `n${i + 1}` === state?.leader) ?? any
  } catch {
    return any // there is no leader just now
  } finally {
    await connection.close()
  }
}

const publishedSeq = (recorder: TeamRecorder): number => recorder.publishing.status().progress.at(-1)?.publishedSeq ?? 0
