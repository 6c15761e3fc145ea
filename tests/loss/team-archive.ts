/**
 * Archivers that are killed between any two steps, in turn before they commit and before they acknowledge, while
 * PostgreSQL is killed, too: the history ends with every message once, and says how far it is.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeFlushes } from '../../benchmarks/flushes.ts'
import { columnBytes } from '../../src/main/core/store/format/message-columns.ts'
import { newSessionId } from '../../src/main/core/store/types/session-id.ts'
import { advanceHeads, encodeFlushes } from '../../src/main/features/team/frame/encode.ts'
import { Archive } from '../../src/main/features/team/history/archive.ts'
import { connectDatabase, type Database } from '../../src/main/features/team/history/database.ts'
import { historyOf } from '../../src/main/features/team/history/history.ts'
import { migrate } from '../../src/main/features/team/history/schema.ts'
import { readHistoryTarget } from '../../src/main/features/team/history/target.ts'
import { verifyHistory } from '../../src/main/features/team/history/verify-history.ts'
import { connectTeam } from '../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import type { TeamName } from '../../src/main/features/team/names.ts'
import type { SessionInfo } from '../../src/main/features/team/session-info.ts'
import { unixMs } from '../../src/shared/base/units.ts'
import type { PostgresServer } from '../kit/postgres-process.ts'
import { publishFrames } from '../kit/publish-frames.ts'

const ARCHIVER = fileURLToPath(new URL('team-archiver.ts', import.meta.url))
/** Flushes published around each kill, and messages in each. */
const FLUSHES_A_KILL = 12
const FLUSH_ROWS = 5
const WITHIN_MS = 60_000

export interface ArchiverKills {
  readonly team: TeamName
  readonly postgres: PostgresServer
  /** A server of its own, or one where nothing else is called like the team. */
  readonly nats: string
  readonly kills: number
  /** How many of these kills PostgreSQL dies next to. */
  readonly postgresKills: number
}

/** Kills and compares. Returns what was seen; throws at the first broken promise. */
export async function killArchivers({ team, postgres, nats, kills, postgresKills }: ArchiverKills): Promise<string> {
  const log = await connectTeam({ target: readNatsTarget(nats, {}, {}), team, name: 'loss', allowOld: true })
  const db = await connectDatabase(readHistoryTarget(postgres.url()), team)
  try {
    await migrate(db)
    await log.ensureBuckets(1)
    await log.ensureShard(1, 1)
    const session = await createSession(kills)
    await log.putSession(session.open)
    const publish = publisher(log, session)
    for (let i = 0; i < kills; i++) {
      const point = i % 2 === 0 ? 'before-commit' : 'before-ack'
      // Every third time another one works at first, next to it.
      const other = i % 3 === 2 ? startArchiver(postgres, nats, team) : null
      const archiver = startArchiver(postgres, nats, team, point, other === null ? String(1 + (i % 3)) : '1')
      const ended = once(archiver, 'exit')
      const isPostgresDue = Math.floor(((i + 1) * postgresKills) / kills) > Math.floor((i * postgresKills) / kills)
      // In small groups, each of which is a transaction.
      for (let n = 0; n < FLUSHES_A_KILL; n += 2) {
        await publish(2)
        await sleep(15)
        if (isPostgresDue && n === 4) await postgres.restart()
        if (n === 6 && other !== null) await kill(other)
      }
      const late = setTimeout(() => archiver.kill('SIGKILL'), WITHIN_MS)
      await ended
      clearTimeout(late)
    }
    await log.putSession(session.ended)
    const archiver = startArchiver(postgres, nats, team)
    try {
      return await check(db, log, session, `${kills} archivers and ${postgresKills} times PostgreSQL killed`)
    } finally {
      await kill(archiver)
    }
  } finally {
    await log.close()
    await db.close()
  }
}

type Made = Awaited<ReturnType<typeof createSession>>

/** The session that is published, and its frames: one for each flush. */
async function createSession(kills: number) {
  const startedMs = unixMs(Date.now())
  const id = newSessionId(startedMs)
  const flushes = makeFlushes(id, kills * FLUSHES_A_KILL * FLUSH_ROWS, FLUSH_ROWS)
  const options = { session: id, epoch: 0, heads: new Map(), maxPayload: 1 << 20, bundleBytes: 1 }
  const encoded = encodeFlushes(options, flushes)
  if (!encoded.ok) throw new Error(encoded.refusal.message)
  const messages = flushes.reduce((sum, { batch }) => sum + batch.messages.count, 0)
  const heads = [...advanceHeads(id, new Map(), flushes)].map(([conn, { head }]): [string, string] => [
    String(conn),
    Buffer.from(head).toString('hex'),
  ])
  const open: SessionInfo = {
    session: id,
    shard: 1,
    shards: 1,
    recorder: 'loss',
    source: { kind: 'demo', origin: 'demo', user: '' },
    startedMs,
    epoch: 0,
    end: null,
  }
  const end = {
    endedMs: unixMs(startedMs + 60_000),
    clean: true,
    lastSeq: messages,
    messages,
    entries: 0,
    heads: Object.fromEntries(heads),
  }
  return { id, flushes, frames: encoded.value.messages, open, ended: { ...open, end }, messages }
}

/** Publishes the next frames, each after the last one. */
function publisher(log: TeamLog, { id, frames }: Made): (count: number) => Promise<void> {
  let next = 0
  let previous = 0
  return async (count) => {
    const due = frames.slice(next, next + count).map(({ bytes }) => bytes)
    previous = await publishFrames(log, id, due, previous)
    next += count
  }
}

function startArchiver(postgres: PostgresServer, nats: string, team: TeamName, ...kill: string[]) {
  return spawn(process.execPath, [ARCHIVER, postgres.url(), nats, team, ...kill], { stdio: 'ignore' })
}

async function kill(archiver: ReturnType<typeof startArchiver>): Promise<void> {
  const ended = once(archiver, 'exit')
  if (archiver.kill('SIGKILL')) await ended
}

/** Waits until the session is sealed, and compares it with what was published. */
async function check(db: Database, log: TeamLog, { id, flushes, messages }: Made, what: string): Promise<string> {
  const archive = new Archive(db)
  const deadline = Date.now() + WITHIN_MS
  for (;;) {
    const progress = await archive.progress(id)
    const isSealed = progress?.complete === true && progress.sealedSeq === messages
    if (isSealed && (await log.watermark(id))?.lastSeq === messages) break
    if (Date.now() > deadline) throw new Error(`the history ends at ${progress?.lastSeq ?? 0} of ${messages}`)
    await sleep(50)
  }
  const report = await verifyHistory(db, id)
  if (!report.ok || report.messages !== messages) throw new Error(report.problems[0]?.detail ?? 'messages are missing')
  let at = 0
  for await (const page of historyOf(db).flushes(id, 0)) {
    for (const { batch, leaves } of page) {
      const published = flushes[at++]
      const isEqual =
        Buffer.concat(columnBytes(batch.messages)).equals(Buffer.concat(columnBytes(published.batch.messages))) &&
        leaves.every(({ head }, i) => Buffer.from(head).equals(published.leaves[i].head))
      if (!isEqual) throw new Error(`flush ${at} isn't what was published`)
    }
  }
  if (at !== flushes.length) throw new Error(`${at} of ${flushes.length} flushes`)
  return `${what}: ${messages} messages, each once, and the watermark says so`
}
