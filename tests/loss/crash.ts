/** kill -9 of a recording process in a burst, again and again into one store. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStoreWriter } from '../../src/main/store/open.ts'
import { startSimulator, type Simulator } from '../../src/simulator/simulator.ts'
import { recordingId, unixMs, type RecordingId } from '../../src/shared/units.ts'
import { CRASH_WANTS } from './crash-wants.ts'
import { probeSyncs } from './sync-probe.ts'
import { gapsOf, must, storedFeed, verified } from './stored.ts'

const RATE = 20_000
/**
 * What was received longer ago than this is on disk. The promise is one flush interval; but these kills come
 * within a third of a second of the start, while the writer's thread is still loading, on a machine that runs
 * other things. The disk's own slowest sync of the last seconds comes on top, for the commit under way, the
 * one before it and a checkpoint. The figures seen are printed.
 */
const SAFE_MS = 1_000
const SYNCS = 3

interface Killed {
  readonly recording: RecordingId
  /** Seq of the last message whose commit was acknowledged before death. */
  readonly committed: number
  readonly received: readonly { readonly seq: number; readonly atMs: number }[]
  readonly killedMs: number
}

export async function crashLoop(folder: string, times: number, say: (text: string) => void): Promise<string> {
  const file = join(folder, 'crash.db')
  const dataDir = new URL('../../resources/demo/', import.meta.url)
  const simulator = await startSimulator({
    dataDir,
    market: { kind: 'load', messagesPerSecond: RATE },
    keepFrames: true,
    turnMs: 5,
  })
  const token = await signIn(simulator)
  const probe = await probeSyncs(folder)
  let frames = 0
  let unstored = 0
  const ages: number[] = []
  const recordings: RecordingId[] = []
  try {
    for (let i = 1; i <= times; i++) {
      const fromMs = performance.now()
      const killed = await recordAndKill(file, simulator.baseUrl, token, 20 + ((i * 37) % 300))
      const safeMs = SAFE_MS + SYNCS * probe.slowestSince(fromMs)
      recordings.push(killed.recording)
      let lastSeq = 0
      for (const [feed] of CRASH_WANTS) {
        const stored = await storedFeed(file, feed, killed.recording)
        const sent = simulator.sent().connections.findLast((one) => one.feed === feed)
        must(stored.ordered, `kill ${i}: ${feed} is out of order or doubled`)
        const prefix = sent === undefined ? undefined : simulator.sentPrefix(sent.id, stored.frames)
        must(prefix === stored.sha256, `kill ${i}: what is stored of ${feed} is no prefix of what was sent`)
        lastSeq = Math.max(lastSeq, stored.lastSeq)
        frames += stored.frames
      }
      must(lastSeq >= killed.committed, `kill ${i}: ${killed.committed} was committed and ${lastSeq} is stored`)
      const lost = killed.received.filter(({ seq }) => seq > lastSeq)
      const age = lost.length === 0 ? 0 : killed.killedMs - lost[0].atMs
      must(
        age <= safeMs,
        `kill ${i}: a message received ${age} ms before death is not stored (at most ${safeMs.toFixed(0)})`,
      )
      ages.push(age)
      unstored = Math.max(unstored, (killed.received.at(-1)?.seq ?? 0) - lastSeq)
      const report = await verified(file, killed.recording)
      must(report.ok, `kill ${i}: verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
      if (i % 10 === 0) say(`${i} kills, ${frames} frames stored, each a prefix of what was sent`)
    }
  } finally {
    await probe.stop()
    await simulator.close()
  }
  await nextStart(file)
  const gaps = await gapsOf(file)
  for (const recording of recordings) {
    const crash = gaps.filter((gap) => gap.recording === recording && gap.cause === 'crash')
    must(crash.length === CRASH_WANTS.length, `${recording} has ${crash.length} gaps of cause crash`)
    must(
      crash.every(({ toMs }) => toMs !== null),
      `${recording} has a crash gap without an end`,
    )
  }
  const all = await verified(file, null)
  must(all.ok, `verify of the whole store finds ${JSON.stringify(all.problems.slice(0, 3))}`)
  const sorted = ages.toSorted((a, b) => a - b)
  return (
    `${times} kills, ${all.messages} messages kept in one store; oldest message lost: median ` +
    `${sorted[sorted.length >> 1]} ms before death, worst ${sorted.at(-1)} ms (at most ${unstored} messages)`
  )
}

async function signIn({ baseUrl, username, password }: Simulator): Promise<string> {
  const response = await fetch(`${baseUrl}/api/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const { access } = (await response.json()) as { readonly access: string } // the simulator's own answer
  return access
}

async function recordAndKill(file: string, baseUrl: string, token: string, afterMs: number): Promise<Killed> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('recorder.ts', import.meta.url)), file, baseUrl], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TOKEN: token, NODE_COMPILE_CACHE: join(dirname(file), 'compiled') },
  })
  let text = ''
  let errors = ''
  const bursting = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (text.includes('\nr ')) bursting.resolve()
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part))
  const gone = once(child, 'exit')
  void gone.then(() => bursting.reject(new Error(`the recorder ended by itself: ${errors}`)))
  await bursting.promise
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const killedMs = Date.now()
  child.kill('SIGKILL')
  await gone
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n')
  const of = (kind: string): string[][] => lines.map((line) => line.split(' ')).filter(([k]) => k === kind)
  return {
    recording: recordingId(of('id')[0][1]),
    committed: Number(of('c').at(-1)?.[1] ?? 0),
    received: of('r').map(([, seq, atMs]) => ({ seq: Number(seq), atMs: Number(atMs) })),
    killedMs,
  }
}

/** The next start closes what was left. */
async function nextStart(file: string): Promise<void> {
  const writer = await openStoreWriter({ file })
  await writer.begin({ kind: 'demo', origin: 'demo', user: '' }, unixMs(Date.now()))
  await writer.end(unixMs(Date.now()), [])
  await writer.close()
}
