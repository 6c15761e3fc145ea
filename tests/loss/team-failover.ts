/**
 * Two recorders of one market and shard, a terminal that follows them, and the real program: the one that holds the lease is
 * killed and started again, then stopped and continued, while the clock of the one that takes over is set ahead by an hour and back. Afterwards the terminal has each message that any of them received, once,
 * and claims a gap where nobody received, and nowhere else.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startReceivers } from '../../benchmarks/team-terminals.ts'
import { openLocalReader, type LocalReader } from '../../src/main/core/store/threads/reader.ts'
import type { TickQuery } from '../../src/main/core/store/types/ticks.ts'
import type { SessionInfo } from '../../src/main/features/team/session-info.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import { EDGE_MS, skewAt } from '../../src/shared/core/recording/merged-sessions.ts'
import type { Gap } from '../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs } from '../../src/shared/base/units.ts'
import { startSimulator, type Simulator } from '../../src/simulator/simulator.ts'
import type { NatsServer } from '../kit/nats-server.ts'
import { EU, openLog } from '../kit/team-recorder.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const CLOCK = new URL('clock-jump.ts', import.meta.url).href
const AHEAD_MS = 3_600_000
const DATA = new URL('../../resources/demo/', import.meta.url)
const REACH = ['--team', EU, '--allow-old-nats']
const FEED = 'crypto/XT' as const
const SYMBOLS = ['BTC-USD', 'ETH-USD']
const SHARD = `team:1@${EU}`
/** Limit a hang, not the machine. */
const WITHIN_MS = 300_000
/** The market sends more often than this, so a longer silence is a gap, ms. */
const SILENT_MS = 4_000

export interface FailoverOptions {
  readonly folder: string
  readonly nats: NatsServer
  readonly rounds: number
  /** How long everything is left alone between two faults, ms. */
  readonly calmMs?: number
  readonly say?: (text: string) => void
}

interface Recorder {
  readonly name: string
  child: ChildProcess
  said: string
}

/** Returns what was seen. Throws at the first difference. */
export async function failOver({
  folder,
  nats,
  rounds,
  calmMs = 10_000,
  say = () => {},
}: FailoverOptions): Promise<string> {
  const simulator = await startSimulator({ port: 0, dataDir: DATA })
  const plan = ['plan', ...REACH, '--upstream', nats.url, '--feed', `${FEED}:${SYMBOLS.join()}`, '--write']
  const [planned] = await once(spawn(process.execPath, [CLI, ...plan], { stdio: 'ignore' }), 'exit')
  if (planned !== 0) throw new Error('the plan couldn’t be written')
  const log = await openLog(nats.url)
  const own = join(folder, 'terminal')
  mkdirSync(own)
  const recorders: Recorder[] = []
  const terminal = await startReceivers({ kind: 'terminals', hasStore: true, count: 1, servers: nats.url, team: EU, folder: own, warmUp: 0 }) // oxfmt-ignore
  const start = (name: string): ChildProcess => startRecorder(join(folder, name), name, nats, simulator)
  try {
    for (const name of ['first', 'second']) recorders.push(watched({ name, child: start(name), said: '' }))
    let holder = await findHolder(recorders, log, 0)
    for (let round = 1; round <= rounds; round++) {
      await sleep(calmMs)
      const killed = recorderOf(recorders, holder)
      killed.child.kill('SIGKILL')
      holder = await findHolder(recorders, log, holder.epoch)
      await sleep(calmMs)
      killed.child = start(killed.name)
      watched(killed)
      await sleep(calmMs)
      const stopped = recorderOf(recorders, holder)
      stopped.child.kill('SIGSTOP')
      setClock(folder, killed.name, AHEAD_MS)
      holder = await findHolder(recorders, log, holder.epoch)
      await sleep(calmMs)
      setClock(folder, killed.name, 0)
      await sleep(calmMs)
      stopped.child.kill('SIGCONT')
      await sleep(calmMs)
      say(`${round} of ${rounds} rounds`)
    }
    for (const { child } of recorders) await end(child)
    await waitFor('every session is complete in the terminal', async () => isComplete(log, own))
    return await check(folder, own, `${rounds} recorders killed and ${rounds} stopped, with a clock set ahead and back`)
  } finally {
    for (const { child } of recorders) child.kill('SIGKILL')
    await terminal.close()
    await log.close()
    await simulator.close()
  }
}

function startRecorder(home: string, name: string, nats: NatsServer, simulator: Simulator): ChildProcess {
  const { baseUrl, username, password, apiKey } = simulator
  const args = ['record', '--base-url', baseUrl, '--user', username, '--home', home, '--publish', nats.url, ...REACH]
  const own = ['--recorder-name', name, '--team-shard', 'auto']
  return spawn(process.execPath, ['--import', CLOCK, CLI, ...args, ...own], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, CLOCK_FILE: `${home}.clock`, TAPEDECK_PASSWORD: password, TAPEDECK_API_KEY: apiKey },
  })
}

/** Sets a recorder's wall clock ahead of the machine's. */
const setClock = (folder: string, name: string, aheadMs: number): void =>
  writeFileSync(join(folder, `${name}.clock`), String(aheadMs))

function watched(recorder: Recorder): Recorder {
  recorder.child.stderr?.on('data', (data: Buffer) => (recorder.said += data.toString()))
  return recorder
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function recorderOf(recorders: readonly Recorder[], { recorder }: SessionInfo): Recorder {
  const found = recorders.find(({ name }) => name === recorder)
  if (found === undefined) throw new Error(`nobody started the recorder ${recorder}`)
  return found
}

/** Waits until a session with a later epoch is in the log. */
async function findHolder(recorders: readonly Recorder[], log: TeamLog, after: number): Promise<SessionInfo> {
  let found: SessionInfo | undefined
  const isThere = async (): Promise<boolean> => {
    for (const info of await log.sessions().catch(() => []))
      if (info.epoch > after && (await log.lastOf(info.shard, info.session)) !== null) found = info
    return found !== undefined
  }
  await waitFor('somebody takes over', isThere).catch((thrown: unknown) => {
    throw new Error(recorders.map(({ said }) => said).join(''), { cause: thrown })
  })
  return found!
}

async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await sleep(100)
  }
}

const storeIn = (folder: string): LocalReader => {
  const file = readdirSync(folder).find((name) => name.endsWith('.db'))
  return openLocalReader(join(folder, file ?? 'none.db'))
}

async function isComplete(log: TeamLog, folder: string): Promise<boolean> {
  const reader = storeIn(folder)
  try {
    const stored = new Map((await reader.sessions(true)).map((row) => [row.session, row.endedMs]))
    return (await log.sessions()).every(
      ({ session, end: close }) => close !== null && (stored.get(session) ?? null) !== null,
    )
  } finally {
    await reader.close()
  }
}

interface Message {
  readonly count: number
  /** When it was dated, UTC ms. */
  readonly ms: number
  /** How long after that it was received, ms: what a stopped recorder reads when it goes on is late. */
  readonly delayMs: number
}

/** How often each message is there. */
async function readAll(reader: LocalReader, query: Partial<TickQuery>): Promise<Map<string, Message>> {
  const found = new Map<string, Message>()
  const instruments = SYMBOLS.map((symbol) => instrumentId('crypto', symbol))
  for await (const run of reader.ticks({ feed: FEED, instruments, ...query }))
    for (let i = 0; i < run.count; i++) {
      const text = Buffer.from(run.raw(i)).toString('latin1')
      const before = found.get(text)
      const delayMs = Math.min(before?.delayMs ?? Infinity, run.recvMs[i] - run.eventMs[i])
      found.set(text, { count: (before?.count ?? 0) + 1, ms: run.eventMs[i], delayMs })
    }
  return found
}

const best = (one: Message, other: Message = one): Message => ({
  ...one,
  count: Math.max(one.count, other.count),
  delayMs: Math.min(one.delayMs, other.delayMs),
})

/** Whether one of the recorders wrote that its clock was set by about as much as it was. */
async function hasShift(readers: readonly LocalReader[]): Promise<boolean> {
  const shifts: number[] = []
  for (const reader of readers)
    for (const { session } of await reader.sessions(true))
      for (const { entry } of await reader.entries({ session, types: ['clock'] }))
        if (entry.type === 'clock') shifts.push(Math.abs(entry.shiftMs))
  return shifts.some((ms) => Math.abs(ms - AHEAD_MS) < SILENT_MS)
}

/** The gaps of the shard by the service's clock. */
async function gapsOf(reader: LocalReader): Promise<readonly Pick<Gap, 'fromMs' | 'toMs' | 'cause'>[]> {
  const sessions = (await reader.sessions(true)).map(({ session }) => session)
  const clocks = new Map((await reader.shares(sessions, SHARD)).map(({ session, clock }) => [session, clock]))
  return (await reader.gaps({ source: SHARD, feed: FEED })).map(({ session, cause, fromMs, toMs, fromSeq }) => {
    const clock = clocks.get(session)
    const skewMs = clock === undefined ? 0 : skewAt({ clock }, fromSeq)
    return { cause, fromMs: unixMs(fromMs + skewMs), toMs: toMs === null ? null : unixMs(toMs + skewMs) }
  })
}

async function check(folder: string, own: string, what: string): Promise<string> {
  const terminal = storeIn(own)
  const recorders = ['first', 'second'].map((name) => openLocalReader(join(folder, name, 'tapedeck.db')))
  try {
    const received = new Map<string, Message>()
    for (const reader of recorders)
      for (const [text, one] of await readAll(reader, {})) received.set(text, best(one, received.get(text)))
    const shown = await readAll(terminal, { source: SHARD })
    for (const [text, { count }] of received)
      if (shown.get(text)?.count !== count)
        throw new Error(`${shown.get(text)?.count ?? 0} instead of ${count}: ${text}`)
    for (const text of shown.keys()) if (!received.has(text)) throw new Error(`nobody received ${text}`)
    if (!(await hasShift(recorders))) throw new Error('no recorder noticed that its clock was set')
    const times = [...received.values()].map(({ ms }) => ms).sort((a, b) => a - b)
    const prompt = [...received.values()].filter(({ delayMs }) => delayMs < EDGE_MS).map(({ ms }) => ms)
    const gaps = await gapsOf(terminal)
    for (const { fromMs, toMs, cause } of gaps) {
      const inside = prompt.find((ms) => ms > fromMs + EDGE_MS && ms < (toMs ?? Infinity) - EDGE_MS)
      if (inside !== undefined) throw new Error(`a gap (${cause}) from ${fromMs} to ${toMs} has a message of ${inside}`)
    }
    let silences = 0
    for (const [i, ms] of times.slice(1).entries()) {
      if (ms - times[i] < SILENT_MS) continue
      silences++
      const middle = (times[i] + ms) / 2
      if (!gaps.some(({ fromMs, toMs }) => fromMs <= middle && middle < (toMs ?? Infinity)))
        throw new Error(`nobody received from ${times[i]} to ${ms}, and no gap says so`)
    }
    return `${what}: ${received.size} messages, each in the terminal once; ${gaps.length} gaps without a message in them, ${silences} silences all in gaps`
  } finally {
    for (const reader of [terminal, ...recorders]) await reader.close()
  }
}
