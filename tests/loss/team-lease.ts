/**
 * Two recorders of one shard, of which the one that holds the lease is stopped for a while and then goes on: the other
 * takes over, each epoch has one publisher, and the log has what both recorded, each message once.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openLocalReader } from '../../src/main/core/store/threads/reader.ts'
import { readHeader } from '../../src/main/features/team/frame/decode.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import type { NatsServer } from '../kit/nats-server.ts'
import { openLog } from '../kit/team-recorder.ts'
import { checkLog } from './team-log.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const TAKEN_OVER_WITHIN_MS = 30_000
/** Limits a hang, not the machine. */
const STARTED_WITHIN_MS = 300_000
const REACH = ['--team', 'eu', '--allow-old-nats']

export interface LeaseStops {
  readonly folder: string
  readonly nats: NatsServer
  readonly stops: number
  /** How long the holder is stopped each time, s. */
  readonly seconds: number
  readonly say?: (text: string) => void
}

interface Recorder {
  readonly name: string
  readonly child: ChildProcess
  said: string
}

/** Returns what was seen. Throws at the first difference. */
export async function stopHolders(options: LeaseStops): Promise<string> {
  const { folder, nats, stops, seconds, say = () => {} } = options
  const plan = ['plan', ...REACH, '--upstream', nats.url, '--feed', 'crypto/XT:BTC-USD,ETH-USD', '--write']
  const planning = spawn(process.execPath, [CLI, ...plan], { stdio: 'ignore' })
  if ((await once(planning, 'exit'))[0] !== 0) throw new Error('the plan couldn’t be written')
  const recorders = ['first', 'second'].map((name) => startRecorder(folder, nats, name))
  const log = await openLog(nats.url)
  const stopped = new Set<Recorder>()
  let longestMs = 0
  try {
    let holder = await findHolder(recorders, log, 0, STARTED_WITHIN_MS)
    for (let i = 0; i < stops; i++) {
      const { epoch } = holder
      holder.recorder.child.kill('SIGSTOP')
      stopped.add(holder.recorder)
      const from = performance.now()
      const next = await findHolder(recorders, log, epoch, TAKEN_OVER_WITHIN_MS)
      longestMs = Math.max(longestMs, performance.now() - from)
      await sleep(Math.max(0, seconds * 1_000 - (performance.now() - from)))
      holder.recorder.child.kill('SIGCONT')
      stopped.delete(holder.recorder)
      // It notices, overlaps for up to ten seconds, and waits in standby.
      await sleep(12_000)
      holder = next
      say(`${i + 1} of ${stops} stops`)
    }
    for (const { child } of recorders) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    return await check(
      folder,
      log,
      `${stops} holders stopped for ${seconds} s, taken over within ${(longestMs / 1_000).toFixed(1)} s`,
    )
  } finally {
    for (const { child } of recorders) child.kill('SIGKILL')
    await log.close()
  }
}

function startRecorder(folder: string, nats: NatsServer, name: string): Recorder {
  const home = join(folder, name)
  mkdirSync(home)
  const args = ['record', '--demo', '--home', home, '--publish', nats.url, ...REACH]
  const child = spawn(process.execPath, [CLI, ...args, '--recorder-name', name, '--team-shard', 'auto'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TAPEDECK_PASSWORD: '', TAPEDECK_API_KEY: '' },
  })
  const recorder: Recorder = { name, child, said: '' }
  child.stderr?.on('data', (data: Buffer) => (recorder.said += data.toString()))
  return recorder
}

/** Waits until a session with a later epoch is in the log, and returns its recorder. */
async function findHolder(recorders: readonly Recorder[], log: TeamLog, after: number, withinMs: number) {
  const deadline = Date.now() + withinMs
  for (;;) {
    for (const { session, epoch, recorder: name, shard } of await log.sessions().catch(() => [])) {
      const recorder = recorders.find((one) => one.name === name)
      if (epoch > after && recorder !== undefined && (await log.lastOf(shard, session)) !== null)
        return { recorder, epoch }
    }
    if (Date.now() > deadline) throw new Error(`nobody took over: ${recorders.map(({ said }) => said).join('')}`)
    await sleep(50)
  }
}

async function check(folder: string, log: TeamLog, what: string): Promise<string> {
  const sessions = await log.sessions()
  const publishers = new Map<number, Set<string>>()
  for (const { epoch, recorder } of sessions) publishers.set(epoch, (publishers.get(epoch) ?? new Set()).add(recorder))
  const shared = [...publishers].filter(([, names]) => names.size > 1)
  if (shared.length > 0) throw new Error(`epoch ${shared[0][0]} has two publishers`)
  const epochOf = new Map(sessions.map(({ session, epoch }) => [session, epoch]))
  const stop = new AbortController()
  const last = Math.max(
    ...(await Promise.all(sessions.map(async ({ session }) => (await log.lastOf(1, session))?.sequence ?? 0))),
  )
  for await (const { session, bytes, sequence } of log.read({ shard: 1, from: { at: 'first' }, signal: stop.signal })) {
    const header = readHeader(bytes)
    if (header.ok && header.value.epoch !== epochOf.get(session))
      throw new Error(`a frame of ${session} has another epoch`)
    if (sequence >= last) break
  }
  stop.abort()
  const readers = ['first', 'second'].map((name) => openLocalReader(join(folder, name, 'tapedeck.db')))
  try {
    const owner = new Map<string, (typeof readers)[number]>()
    for (const reader of readers) for (const { session } of await reader.sessions(true)) owner.set(session, reader)
    if (owner.size !== sessions.length) throw new Error(`${sessions.length} of ${owner.size} sessions are in the log`)
    const both = {
      flushes: (query: Parameters<(typeof readers)[number]['flushes']>[0]) =>
        (owner.get(query.session) ?? readers[0]).flushes(query),
    }
    const frames = await checkLog(
      log,
      1,
      both,
      sessions.map(({ session }) => session),
    )
    return `${what}: ${sessions.length} sessions in ${publishers.size} epochs with one publisher each, ${frames} frames, all in the log once and in order`
  } finally {
    for (const reader of readers) await reader.close()
  }
}
