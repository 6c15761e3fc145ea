/**
 * The history of a team in a real PostgreSQL: storing frames beside inserting the same bytes unread, blocks beside rows
 * of the decoded numbers, and reading back with every hash recomputed. 100 messages a flush, 50 instruments.
 */
import { encodeFlushes } from '../src/main/features/team/frame/encode.ts'
import { Archive, dayOf } from '../src/main/features/team/history/archive.ts'
import { connectDatabase, insertRows, type Database } from '../src/main/features/team/history/database.ts'
import { historyOf } from '../src/main/features/team/history/history.ts'
import { migrate } from '../src/main/features/team/history/schema.ts'
import { sealPart } from '../src/main/features/team/history/seal.ts'
import { readHistoryTarget } from '../src/main/features/team/history/target.ts'
import { tickSink } from '../src/main/features/team/history/ticks.ts'
import { readTeamName } from '../src/main/features/team/names.ts'
import { newRecordingId } from '../src/main/core/store/types/recording-id.ts'
import { unixMs } from '../src/shared/base/units.ts'
import { isPostgresInstalled, makePostgres, stopPostgres } from '../tests/kit/postgres-process.ts'
import { makeFlushes } from './flushes.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const FLUSH_ROWS = 100
/** Frames of one transaction: what an archiver that catches up stores at a time, about 2 MiB. */
const STORE_FRAMES = 40
const READ_GOAL = 500_000

/** Rates and sizes over `count` messages. None without PostgreSQL. */
export async function benchHistory(count: number): Promise<readonly Row[]> {
  if (!isPostgresInstalled) return []
  return inFolder(async (folder) => {
    const server = await makePostgres(folder)
    const team = readTeamName('bench')
    if (team === null) throw new TypeError('no team')
    const db = await connectDatabase(readHistoryTarget(server.url()), team)
    try {
      await migrate(db)
      return await measure(db, count)
    } finally {
      await db.close()
      await stopPostgres()
    }
  })
}

async function measure(db: Database, count: number): Promise<readonly Row[]> {
  const startedMs = unixMs(Date.now())
  const session = newRecordingId(startedMs)
  const flushes = makeFlushes(session, count, FLUSH_ROWS)
  const encoded = encodeFlushes({ session, epoch: 0, heads: new Map(), maxPayload: 1 << 20 }, flushes)
  if (!encoded.ok) throw new Error(encoded.refusal.message)
  const groups: Uint8Array[][] = []
  const frames = encoded.value.messages.map(({ bytes }) => bytes)
  for (let i = 0; i < frames.length; i += STORE_FRAMES) groups.push(frames.slice(i, i + STORE_FRAMES))

  await db.run('CREATE TABLE bare (seq bigint PRIMARY KEY, data bytea)')
  await db.run('ALTER TABLE bare ALTER data SET STORAGE EXTERNAL')
  const bare = await rate(count, async () => {
    let seq = 0
    for (const group of groups)
      await db.transaction((sql) =>
        insertRows(
          sql,
          'bare',
          ['seq', 'data'],
          group.map((bytes) => [seq++, bytes]),
        ),
      )
  })
  const archive = new Archive(db)
  await archive.putSession({
    session,
    shard: 1,
    shards: 1,
    recorder: 'bench',
    source: { kind: 'demo', origin: 'demo', user: '' },
    startedMs,
    epoch: 0,
    end: null,
  })
  const stored = await rate(count, async () => {
    for (const group of groups) {
      const outcome = await archive.store(session, group)
      if (outcome.is !== 'stored') throw new Error(outcome.is)
    }
  })
  const sink = await tickSink(db, 9_999, () => startedMs)
  const copied = await rate(count, () => db.transaction((sql) => sink(sql, 1, dayOf(startedMs), flushes)))
  const sealed = await rate(count, async () => {
    while (await sealPart(db, session)) continue
  })
  let read = 0
  const readRate = await rate(count, async () => {
    for await (const page of historyOf(db).flushes(session, 0))
      for (const { batch } of page) read += batch.messages.count
  })
  if (read !== count) throw new Error(`read ${read} of ${count} messages`)
  const blocks = (await sizeOf(db, ['block', 'entry_block', 'part', 'chain'])) / count
  const rows = (await sizeOf(db, ['tick'])) / count
  return [
    row({
      name: 'messages an archiver verifies and stores a second',
      unit: '/s',
      ours: stored,
      peer: bare,
      peerName: 'inserting the same bytes unread',
      goal: { is: 'at least', ratio: 0.5 },
    }),
    row({
      name: 'bytes a message in the history, indexes included',
      unit: 'B',
      ours: blocks,
      peer: rows,
      peerName: 'rows of the decoded numbers, without the message',
      goal: { is: 'at most', ratio: 0.05 },
    }),
    row({
      name: 'messages sealed into blocks a second, encoding included',
      unit: '/s',
      ours: sealed,
      peer: copied,
      peerName: 'COPY of the rows, decoding included',
      goal: null,
    }),
    row({
      name: 'messages read back a second, every hash recomputed',
      unit: '/s',
      ours: readRate,
      peer: READ_GOAL,
      peerName: 'half a million a second',
      goal: { is: 'at least', ratio: 1 },
    }),
  ]
}

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return count / ((performance.now() - from) / 1_000)
}

/** Bytes of tables with their partitions, indexes and values stored apart. */
async function sizeOf(db: Database, tables: readonly string[]): Promise<number> {
  const [{ bytes }] = await db.rows<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(relid))::bigint AS bytes
     FROM unnest($1::text[]) AS name, pg_partition_tree(($2 || '.' || name)::regclass)`,
    [[...tables], db.schema],
  )
  return bytes
}
