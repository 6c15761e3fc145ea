/** kill -9 of a recording process in a burst, again and again into one store. */
import { dirname, join } from 'node:path'
import { openStoreWriter } from '../../src/main/core/store/open.ts'
import { startSimulator, type Simulator } from '../../src/simulator/simulator.ts'
import { unixMs, type SessionId } from '../../src/shared/base/units.ts'
import { CRASH_WANTS } from './crash-wants.ts'
import { spawnAndKill } from './kill.ts'
import { probeSyncs } from './sync-probe.ts'
import { connectedFeeds, gapsOf, must, storedFeed, verified } from './stored.ts'

const RATE = 20_000
/** Most kills come this early, while the threads of the recorder are still starting. */
const EARLY_MS = 320
/** One in so many comes later than what must be on disk by then. */
const LATE_EVERY = 10
const LATE_MS = 1_800
/**
 * What was received so long before the last message is on disk. The promise is one flush interval; the rest is for a machine
 * that runs other things. On top come the slowest syncs of the disk of the last seconds, for the commit under way, the one
 * before it and a checkpoint. The time of the kill doesn’t count, because a recorder that stood still before it received
 * and wrote nothing. The figures seen are printed.
 */
const SAFE_MS = 1_000
const SYNCS = 3

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
  let lateKills = 0
  /** Feeds of each session that are known to have been connected. */
  const sessions = new Map<SessionId, number>()
  try {
    for (let i = 1; i <= times; i++) {
      const fromMs = performance.now()
      const afterMs = 20 + ((i * 37) % (EARLY_MS - 20)) + (i % LATE_EVERY === 0 ? LATE_MS : 0)
      const killed = await spawnAndKill({
        program: 'recorder.ts',
        args: [file, simulator.baseUrl],
        env: { TOKEN: token, NODE_COMPILE_CACHE: join(dirname(file), 'compiled') },
        after: 'r',
        afterMs,
      })
      const safeMs = SAFE_MS + SYNCS * probe.slowestSince(fromMs)
      let lastSeq = 0
      for (const [feed] of CRASH_WANTS) {
        const stored = await storedFeed(file, feed, killed.session)
        const sent = simulator.sent().connections.findLast((one) => one.feed === feed)
        must(stored.ordered, `kill ${i}: ${feed} is out of order or doubled`)
        // The first one may be killed before this feed has connected: then nothing was sent, and nothing may be stored.
        const isPrefix =
          sent === undefined ? stored.frames === 0 : simulator.sentPrefix(sent.id, stored.frames) === stored.sha256
        must(isPrefix, `kill ${i}: the ${stored.frames} frames stored of ${feed} are no prefix of what was sent`)
        lastSeq = Math.max(lastSeq, stored.lastSeq)
        frames += stored.frames
      }
      // Before its first commit, nothing says that it connected.
      const feeds = lastSeq > 0 ? CRASH_WANTS.length : await connectedFeeds(file, killed.session)
      sessions.set(killed.session, feeds)
      must(lastSeq >= killed.committed, `kill ${i}: ${killed.committed} was committed and ${lastSeq} is stored`)
      const lost = killed.received.filter(({ n }) => n > lastSeq)
      const lastMs = killed.received.at(-1)?.atMs ?? 0
      const age = lost.length === 0 ? 0 : lastMs - lost[0].atMs
      must(
        age <= safeMs,
        `kill ${i}: a message received ${age} ms before the last one is not stored (at most ${safeMs.toFixed(0)})`,
      )
      ages.push(age)
      if (lastMs - killed.received[0].atMs > safeMs) lateKills++
      unstored = Math.max(unstored, (killed.received.at(-1)?.n ?? 0) - lastSeq)
      const report = await verified(file, killed.session)
      must(report.ok, `kill ${i}: verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
      if (i % 10 === 0) say(`${i} kills, ${frames} frames stored, each a prefix of what was sent`)
    }
  } finally {
    await probe.stop()
    await simulator.close()
  }
  await nextStart(file)
  const gaps = await gapsOf(file)
  for (const [session, feeds] of sessions) {
    const crash = gaps.filter((gap) => gap.session === session && gap.cause === 'crash')
    must(crash.length === feeds, `${session} has ${crash.length} gaps of cause crash, and ${feeds} feeds`)
    must(
      crash.every(({ toMs }) => toMs !== null),
      `${session} has a crash gap without an end`,
    )
  }
  const all = await verified(file, null)
  must(all.ok, `verify of the whole store finds ${JSON.stringify(all.problems.slice(0, 3))}`)
  const sorted = ages.toSorted((a, b) => a - b)
  return (
    `${times} kills, ${all.messages} messages kept in one store; oldest message lost: median ` +
    `${sorted[sorted.length >> 1]} ms before the last, worst ${sorted.at(-1)} ms (at most ${unstored} messages); ` +
    `${lateKills} kills came later than what must be on disk by then`
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

/** The next start closes what was left. */
async function nextStart(file: string): Promise<void> {
  const writer = await openStoreWriter({ file })
  await writer.begin({ kind: 'demo', origin: 'demo', user: '' }, unixMs(Date.now()))
  await writer.end(unixMs(Date.now()), [])
  await writer.close()
}
