/**
 * What happens to the log of a team while a recorder publishes and an archiver follows: its disk is wiped, its stream is
 * deleted or full, and the network loses, delays, holds back and damages what passes. Afterwards the history must have
 * exactly what the recorder's store has.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectDatabase, type Database } from '../../src/main/features/team/history/database.ts'
import { migrate } from '../../src/main/features/team/history/schema.ts'
import { readHistoryTarget } from '../../src/main/features/team/history/target.ts'
import { streamName } from '../../src/main/features/team/names.ts'
import type { SessionId } from '../../src/shared/base/units.ts'
import { withStreams, type NatsServer } from '../kit/nats-server.ts'
import type { PostgresServer } from '../kit/postgres-process.ts'
import { TcpProxy } from '../kit/tcp-proxy.ts'
import { EU, TeamRecorder } from '../kit/team-recorder.ts'
import { compareHistory, waitForHistory } from './team-history.ts'

const ARCHIVER = fileURLToPath(new URL('team-archiver.ts', import.meta.url))
/** Limits a hang, not the machine. */
const WITHIN_MS = 300_000

export interface TeamServers {
  readonly nats: NatsServer
  readonly postgres: PostgresServer
}

interface Scene extends TeamServers {
  readonly recorder: TeamRecorder
  readonly db: Database
  /** Between the recorder and NATS, and between NATS and the archiver. */
  readonly proxies: { readonly recorder: TcpProxy; readonly archiver: TcpProxy }
  readonly archiver: ChildProcess
  /** What the archiver reported. */
  readonly reports: () => string
}

/** Each begins a fault, and puts it right. */
const LOG_FAULTS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'disk wiped': async ({ nats }) => {
    await nats.kill()
    rmSync(nats.storeFolder, { recursive: true })
    await nats.start()
  },
  'stream deleted': async ({ nats }) => withStreams(nats.port, (streams) => streams.delete(STREAM)),
  'stream full': async ({ nats, recorder }) =>
    withStreams(nats.port, async (streams) => {
      const { state } = await streams.info(STREAM)
      const before = recorder.said.length
      await streams.update(STREAM, { max_bytes: state.bytes + 20_000 })
      const isFull = (): boolean => recorder.said.slice(before).some((text) => text.includes('the stream is full'))
      await waitFor('the stream is full', isFull)
      await streams.update(STREAM, { max_bytes: -1 })
    }),
  'frames dropped before they were archived': async ({ nats, recorder, archiver }) => {
    archiver.kill('SIGSTOP')
    try {
      await sleep(300)
      await published(recorder, 'before frames are dropped')
      await withStreams(nats.port, async (streams) => {
        // A lower limit drops the oldest frames, as their age does after three days.
        const { state } = await streams.info(STREAM)
        await streams.update(STREAM, { discard: 'old', max_bytes: Math.ceil(state.bytes / 2) })
        await streams.update(STREAM, { discard: 'new', max_bytes: -1 })
      })
    } finally {
      archiver.kill('SIGCONT')
    }
  },
}

const NETWORK_FAULTS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'acknowledgements lost': async ({ proxies: { recorder } }) => {
    recorder.eatReplies()
    await sleep(20 + Math.random() * 200)
    recorder.cut()
  },
  'requests held back, and delivered late': async ({ proxies: { recorder } }) => {
    recorder.holdRequests()
    await sleep(20 + Math.random() * 200)
    const { release } = recorder.cutHeld()
    await sleep(Math.random() * 500)
    release()
  },
  'cut in the middle of a message': async ({ proxies: { recorder, archiver } }) => {
    recorder.cutAfter(Math.floor(Math.random() * 3_000))
    archiver.cutAfter(Math.floor(Math.random() * 3_000))
    await sleep(200)
  },
  'half open': async ({ proxies: { recorder, archiver } }) => {
    recorder.halfOpen()
    archiver.halfOpen()
    await sleep(200)
  },
  'a bit flipped on its way out of the log': async ({ proxies: { archiver } }) => {
    archiver.flipBit('replies', 400)
    await sleep(200)
  },
}

const STREAM = streamName(EU, 1)

export interface TeamFaults extends TeamServers {
  readonly faults: 'log' | 'network'
  /** How often each. */
  readonly rounds: number
  readonly say?: (text: string) => void
}

/** Returns what was seen. Throws at the first difference. */
export async function breakTeam({ faults, rounds, say = () => {}, ...servers }: TeamFaults): Promise<string> {
  const all = Object.entries(faults === 'log' ? LOG_FAULTS : NETWORK_FAULTS)
  return inScene(servers, async (scene) => {
    const { recorder, db } = scene
    const sessions: SessionId[] = [recorder.session]
    await commitDuring(recorder, () => sleep(200))
    for (let round = 0; round < rounds; round++) {
      for (const [name, fault] of all) {
        await commitDuring(recorder, () => fault(scene))
        await published(recorder, name)
      }
      // A session ends in each round, half of the time while its last flushes are on their way.
      recorder.end()
      if (round % 2 === 0) await sleep(100)
      recorder.now += 1_000
      sessions.push(recorder.begin())
      recorder.commit(3)
      if (scene.archiver.exitCode !== null) throw new Error(`the archiver ended: ${scene.reports()}`)
      if ((round + 1) % 5 === 0) say(`${round + 1} of ${rounds} rounds`)
    }
    recorder.end()
    await waitForHistory(db, sessions).catch((thrown: unknown) => {
      throw new Error(`${String(thrown)}; the archiver said: ${scene.reports()}`)
    })
    const messages = await compareHistory(db, recorder.reader, sessions)
    const names = all.map(([name]) => name).join(', ')
    return `${rounds} times each ${names}: ${sessions.length} sessions, ${messages} messages, the history equal to the store`
  })
}

/**
 * Flips a bit on its way into the log until the log has it. The archiver must refuse it, stop its shard and keep what
 * came before. So must another one. Once the shard's stream is deleted, as the guide says, the recorder must publish the original again, and an
 * archiver that is started again must store all of it. Returns what was seen.
 */
export async function flipIntoLog(servers: TeamServers): Promise<string> {
  return inScene(servers, async (scene) => {
    const { recorder, db, proxies, reports } = scene
    const deadline = Date.now() + WITHIN_MS
    while (!reports().includes('alarm: Shard 1 stopped.')) {
      if (Date.now() > deadline) throw new Error(`no alarm: ${reports()}`)
      proxies.recorder.flipBit('requests', 1_000)
      while (proxies.recorder.isFlipPending) {
        recorder.commit(100)
        await sleep(5)
      }
      // Servers end a connection whose protocol is damaged. Then it wasn't the frame, and is published again.
      await sleep(300)
    }
    const before = await compareHistory(db, recorder.reader, [recorder.session], true)
    await endArchiver(scene.archiver)
    const inVain = startArchiver(scene)
    const isStopped = (): boolean => inVain.reports().includes('alarm: Shard 1 stopped.')
    try {
      await waitFor('a new archiver stops at the same frame', isStopped, inVain.reports)
    } finally {
      await endArchiver(inVain.archiver)
    }
    await withStreams(scene.nats.port, (streams) => streams.delete(STREAM))
    recorder.end()
    const again = startArchiver(scene)
    try {
      await waitForHistory(db, [recorder.session]).catch((thrown: unknown) => {
        throw new Error(`${String(thrown)}; the archiver said: ${again.reports()}`)
      })
    } finally {
      await endArchiver(again.archiver)
    }
    const all = await compareHistory(db, recorder.reader, [recorder.session])
    return `a bit flipped on its way into the log: refused with an alarm, ${before} messages before it kept, and all ${all} after the stream was deleted`
  })
}

async function inScene<T>({ nats, postgres }: TeamServers, run: (scene: Scene) => Promise<T>): Promise<T> {
  const proxies = { recorder: await TcpProxy.start(nats.port), archiver: await TcpProxy.start(nats.port) }
  const recorder = new TeamRecorder(`nats://127.0.0.1:${proxies.recorder.port}`)
  const db = await connectDatabase(readHistoryTarget(postgres.url()), EU)
  await migrate(db)
  const { archiver, reports } = startArchiver({ postgres, proxies })
  try {
    // One that starts while the server is away ends, as the command does. It works once a session is described.
    recorder.commit(1)
    await waitFor('the archiver works', () => reports().includes('Archiving shard 1'), reports)
    return await run({ nats, postgres, recorder, db, proxies, archiver, reports })
  } finally {
    await endArchiver(archiver)
    await recorder.remove()
    await db.close()
    for (const proxy of Object.values(proxies)) proxy.close()
  }
}

function startArchiver({
  postgres,
  proxies,
}: Pick<Scene, 'postgres' | 'proxies'>): Pick<Scene, 'archiver' | 'reports'> {
  const archiver = spawn(
    process.execPath,
    [ARCHIVER, postgres.url(), `nats://127.0.0.1:${proxies.archiver.port}`, EU],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  archiver.stderr.on('data', (data: Buffer) => (said += data.toString()))
  return { archiver, reports: () => said }
}

/** Kills an archiver and waits for its end, if it hasn't ended. */
async function endArchiver(archiver: ChildProcess): Promise<void> {
  if (archiver.exitCode !== null || archiver.signalCode !== null) return
  const ended = once(archiver, 'exit')
  archiver.kill('SIGKILL')
  await ended
}

/** Commits a few messages at a time until `work` is done, with sealing now and then. */
async function commitDuring(recorder: TeamRecorder, work: () => Promise<unknown>): Promise<void> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  working.catch(() => undefined) // awaited below
  for (let i = 0; !isOver; i++) {
    recorder.commit(1 + (i % 40))
    if (i % 50 === 49) recorder.seal()
    await sleep(2)
  }
  await working
}

/** Commits once more first: what was published before a stream was deleted says nothing about the one that replaces it. */
async function published(recorder: TeamRecorder, what: string): Promise<void> {
  recorder.commit(1)
  await waitFor(
    `${what}: caught up`,
    () => recorder.isCaughtUp(),
    () => recorder.said.at(-1) ?? 'nothing was said',
  )
}

async function waitFor(what: string, check: () => boolean, why = (): string => ''): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  while (!check()) {
    if (Date.now() > deadline) throw new Error(`timed out: ${what}. ${why()}`)
    await sleep(20)
  }
}
