/** Histories in a real PostgreSQL, and sessions to store in them. */
import { afterAll } from 'vitest'
import { Archive, type ArchiveOptions } from '../../../../../../src/main/features/team/history/archive.ts'
import { connectDatabase, type Database } from '../../../../../../src/main/features/team/history/database.ts'
import { historyOf } from '../../../../../../src/main/features/team/history/history.ts'
import { migrate } from '../../../../../../src/main/features/team/history/schema.ts'
import { sealPart, type SealOptions } from '../../../../../../src/main/features/team/history/seal.ts'
import { readHistoryTarget } from '../../../../../../src/main/features/team/history/target.ts'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { advanceHeads } from '../../../../../../src/main/features/team/frame/encode.ts'
import type { ChainHeads, CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import type { SessionEnd, SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { T0 } from '../../../core/store/harness.ts'
import type { PostgresServer } from '../../../../../kit/postgres-process.ts'
import { startPostgres } from '../../../../../kit/postgres-server.ts'
import { NONE, SESSION } from '../frame/flushes.ts'

export function teamName(text: string): TeamName {
  const team = readTeamName(text)
  if (team === null) throw new Error(`${text} is no team`)
  return team
}

const open: Database[] = []
afterAll(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()))
})

/** Connects; closed after the last test of the file. */
export async function connect(server: PostgresServer, team: TeamName, user?: string): Promise<Database> {
  const db = await connectDatabase(readHistoryTarget(server.url('postgres', user)), team)
  open.push(db)
  return db
}

let server: Promise<PostgresServer> | null = null
let teams = 0

/** The server of the test file, started on first use. */
export const testServer = (): Promise<PostgresServer> => (server ??= startPostgres())

/** A new history with its archive. `own`: in a server of its own. */
export async function newHistory(options?: ArchiveOptions, own?: PostgresServer) {
  const server = own ?? (await testServer())
  const team = teamName(`t${++teams}`)
  const db = await connect(server, team)
  await migrate(db)
  const archive = new Archive(db, options)
  return { server, team, db, archive, history: historyOf(db) }
}

export const ABOUT: SessionInfo = {
  session: SESSION,
  shard: 1,
  shards: 2,
  recorder: 'host-a',
  source: { kind: 'demo', origin: 'demo', user: '' },
  startedMs: unixMs(T0),
  epoch: 3,
  end: null,
}

/** The end of a session with these flushes. */
export function endOf(flushes: readonly CommittedFlush[]): SessionEnd {
  const heads: ChainHeads = advanceHeads(SESSION, NONE, flushes)
  const messages = flushes.reduce((sum, { batch }) => sum + batch.messages.count, 0)
  const entries = flushes.reduce((sum, { batch }) => sum + batch.entries.length, 0)
  return {
    endedMs: unixMs(T0 + 3_600_000),
    clean: true,
    lastSeq: messages + entries,
    messages,
    entries,
    heads: Object.fromEntries([...heads].map(([conn, { head }]) => [conn, Buffer.from(head).toString('hex')])),
  }
}

/** Seals a whole session. */
export async function sealAll(db: Database, options?: SealOptions): Promise<void> {
  while (await sealPart(db, SESSION, options)) continue
}

/** Flushes as plain values, with the columns' memory. */
export const plain = (flushes: readonly CommittedFlush[]): unknown[] =>
  flushes.map(({ batch, leaves }) => ({
    columns: columnBytes(batch.messages).map((column) => Buffer.from(column).toString('hex')),
    entries: batch.entries,
    leaves: leaves.map(({ conn, count, head }) => [conn, count, Buffer.from(head).toString('hex')]),
  }))

export const announcements = (flushes: readonly CommittedFlush[]): unknown[] =>
  flushes.flatMap(({ batch }) => batch.connections ?? []).toSorted((a, b) => a.conn - b.conn)

export async function all(pages: AsyncIterable<readonly CommittedFlush[]>): Promise<CommittedFlush[]> {
  const flushes: CommittedFlush[] = []
  for await (const page of pages) flushes.push(...page)
  return flushes
}
