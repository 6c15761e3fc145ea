/**
 * The history of a team in a real PostgreSQL: storing frames beside inserting the same bytes unread, blocks beside rows
 * of the decoded numbers, and reading back with every hash recomputed. 100 messages a flush, 50 instruments.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { encodeFlushes } from '../src/main/features/team/frame/encode.ts'
import type { CommittedFlush } from '../src/main/features/team/frame/frame.ts'
import { Archive, dayOf } from '../src/main/features/team/history/archive.ts'
import {
  connectDatabase,
  insertRows,
  type Database,
  type SqlValue,
} from '../src/main/features/team/history/database.ts'
import { historyOf } from '../src/main/features/team/history/history.ts'
import { migrate } from '../src/main/features/team/history/schema.ts'
import { BLOCK_COLUMNS, sealPart } from '../src/main/features/team/history/seal.ts'
import { readHistoryTarget } from '../src/main/features/team/history/target.ts'
import { tickSink } from '../src/main/features/team/history/ticks.ts'
import { readTeamName } from '../src/main/features/team/names.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import { unixMs, type SessionId } from '../src/shared/base/units.ts'
import { makePostgres, stopPostgres } from '../tests/kit/postgres-process.ts'
import { ownSeconds, processSeconds } from './cpu.ts'
import { makeFlushes } from './flushes.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const FLUSH_ROWS = 100
/** Frames of one transaction: what an archiver that catches up stores at a time, about 2 MiB. */
const STORE_FRAMES = 40
/** Transactions until the other one has its turn: processor time is counted in steps of 10 ms. */
const TURN = 5
const WARM_UP = 400_000
const READ_GOAL = 500_000

/** Rates and sizes over `count` messages. Needs PostgreSQL. */
export async function benchHistory(count: number): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const server = await makePostgres(folder)
    const team = readTeamName('bench')
    if (team === null) throw new TypeError('no team')
    const db = await connectDatabase(readHistoryTarget(server.url()), team)
    try {
      await migrate(db)
      return await new HistoryBench(db, server.pid ?? 0, count).run()
    } finally {
      await db.close()
      await stopPostgres()
    }
  })
}

/** What several stretches of work took together. */
class Meter {
  readonly #server: number
  #ms = 0
  #own = 0
  #servers = 0

  constructor(server: number) {
    this.#server = server
  }

  async time<T>(work: () => Promise<T>): Promise<T> {
    const [server, own, from] = [processSeconds([this.#server]), ownSeconds(), performance.now()]
    const result = await work()
    this.#ms += performance.now() - from
    this.#own += ownSeconds() - own
    this.#servers += processSeconds([this.#server]) - server
    return result
  }

  over(count: number): Measured {
    return {
      perSecond: (count / this.#ms) * 1_000,
      cpuUs: ((this.#own + this.#servers) / count) * 1e6,
      perCoreSecond: count / this.#own,
    }
  }
}

interface Measured {
  readonly perSecond: number
  /** Of this process and the server, for each message. */
  readonly cpuUs: number
  /** Messages for each second of this process's own time. */
  readonly perCoreSecond: number
}

class HistoryBench {
  readonly #db: Database
  readonly #server: number
  readonly #count: number
  readonly #startedMs = unixMs(Date.now())
  readonly #session: SessionId = newSessionId(this.#startedMs)

  constructor(db: Database, server: number, count: number) {
    this.#db = db
    this.#server = server
    this.#count = count
  }

  async run(): Promise<readonly Row[]> {
    return [await this.#store(), ...(await this.#seal()), await this.#read()]
  }

  /** Made again where they are needed: so many objects would make every collection of garbage slow. */
  #flushes(): CommittedFlush[] {
    return makeFlushes(this.#session, this.#count, FLUSH_ROWS)
  }

  /** Frames of a session, those of one transaction each. */
  #groups(session: SessionId, count: number): readonly Uint8Array[][] {
    const options = { session, epoch: 0, heads: new Map<never, never>(), maxPayload: 1 << 20 }
    const encoded = encodeFlushes(options, makeFlushes(session, count, FLUSH_ROWS))
    if (!encoded.ok) throw new Error(encoded.refusal.message)
    const frames = encoded.value.messages.map(({ bytes }) => bytes)
    const groups: Uint8Array[][] = []
    for (let i = 0; i < frames.length; i += STORE_FRAMES) groups.push(frames.slice(i, i + STORE_FRAMES))
    return groups
  }

  #meter(): Meter {
    return new Meter(this.#server)
  }

  async #measure(work: () => Promise<unknown>): Promise<Measured> {
    const meter = this.#meter()
    await meter.time(work)
    return meter.over(this.#count)
  }

  /** Verifying and storing frames beside inserting them. */
  async #store(): Promise<Row> {
    const groups = this.#groups(this.#session, this.#count)
    await this.#db.run('CREATE TABLE bare (seq bigint PRIMARY KEY, data bytea)')
    await this.#db.run('ALTER TABLE bare ALTER data SET STORAGE EXTERNAL')
    const archive = new Archive(this.#db)
    await this.#putSession(archive, this.#session)
    // Until here nothing of it is compiled.
    const other = newSessionId(this.#startedMs)
    await this.#putSession(archive, other)
    for (const group of this.#groups(other, WARM_UP)) await storeGroup(archive, other, group)
    const [bare, stored] = [this.#meter(), this.#meter()]
    let seq = 0
    // In turn, so that what else the machine does meets both alike.
    for (let from = 0; from < groups.length; from += TURN) {
      const some = groups.slice(from, from + TURN)
      await bare.time(async () => {
        for (const group of some) {
          const rows = group.map((bytes): SqlValue[] => [seq++, bytes])
          await this.#db.transaction((sql) => insertRows(sql, 'bare', ['seq', 'data'], rows))
        }
      })
      await stored.time(async () => {
        for (const group of some) await storeGroup(archive, this.#session, group)
      })
    }
    return compare(stored.over(this.#count), bare.over(this.#count), {
      name: 'messages an archiver verifies and stores a second',
      peerName: 'inserting the same bytes unread',
      goal: { is: 'at least', ratio: 0.5 },
    })
  }

  #putSession(archive: Archive, session: SessionId): Promise<void> {
    const source = { kind: 'demo', origin: 'demo', user: '' } as const
    const startedMs = this.#startedMs
    return archive.putSession({
      session,
      shard: 1,
      shards: 1,
      recorder: 'bench',
      source,
      startedMs,
      epoch: 0,
      end: null,
    })
  }

  async #seal(): Promise<readonly Row[]> {
    const flushes = this.#flushes()
    const db = this.#db
    const day = dayOf(this.#startedMs)
    const sink = await tickSink(db, 9_999, () => this.#startedMs)
    const decoded = await this.#measure(() => db.transaction((sql) => sink(sql, 1, day, flushes)))
    const sealed = await this.#measure(async () => {
      while (await sealPart(db, this.#session)) continue
    })
    const blockBytes = (await sizeOf(db, ['block', 'entry_block', 'part', 'chain'])) / this.#count
    const rowBytes = (await sizeOf(db, ['tick'])) / this.#count
    return [
      row({
        name: 'bytes a message in the history, indexes included',
        unit: 'B',
        ours: blockBytes,
        peer: rowBytes,
        peerName: 'rows of the decoded numbers, without the message',
        goal: { is: 'at most', ratio: 0.05 },
      }),
      compare(await this.#writeBlocks(), await this.#copyRows(), {
        name: 'messages written as blocks a second, encoded before',
        peerName: 'COPY of their rows, text made before',
        goal: { is: 'at least', ratio: 10 },
      }),
      compare(sealed, decoded, {
        name: 'messages sealed a second: verified, encoded, proven and written',
        peerName: 'COPY of their rows, decoding included',
        goal: null,
      }),
    ]
  }

  /** Inserts every block once more, into a table like the one they are in. */
  async #writeBlocks(): Promise<Measured> {
    const db = this.#db
    const blocks = await db.rows<Record<string, SqlValue>>(`SELECT ${BLOCK_COLUMNS.join()} FROM ${db.schema}.block`)
    const rows = blocks.map((block) => BLOCK_COLUMNS.map((column) => block[column]))
    await db.run(`CREATE TABLE block_again (LIKE ${db.schema}.block INCLUDING ALL)`)
    return this.#measure(() => db.transaction((sql) => insertRows(sql, 'block_again', BLOCK_COLUMNS, rows)))
  }

  /** Copies the text of every row once more, into a table like the one they are in. */
  async #copyRows(): Promise<Measured> {
    const db = this.#db
    const text: Buffer[] = []
    await db.transaction(async (sql) => {
      if (sql.client === null) throw new TypeError('a transaction has a client')
      for await (const part of sql.client.query(copyTo(`COPY (SELECT * FROM ${db.schema}.tick) TO STDOUT`)))
        text.push(part as Buffer) // which the stream yields
    })
    await db.run(`CREATE TABLE tick_again (LIKE ${db.schema}.tick INCLUDING ALL)`)
    return this.#measure(() =>
      db.transaction(async (sql) => {
        if (sql.client === null) throw new TypeError('a transaction has a client')
        await pipeline(Readable.from(text), sql.client.query(copyFrom('COPY tick_again FROM STDIN')))
      }),
    )
  }

  async #read(): Promise<Row> {
    let read = 0
    const measured = await this.#measure(async () => {
      for await (const page of historyOf(this.#db).flushes(this.#session, 0))
        for (const { batch } of page) read += batch.messages.count
    })
    if (read !== this.#count) throw new Error(`read ${read} of ${this.#count} messages`)
    return row({
      name: `messages read back and verified, a second of one core (${Math.round(measured.perSecond).toLocaleString('en')} by the clock)`,
      unit: '/s',
      ours: measured.perCoreSecond,
      peer: READ_GOAL,
      peerName: 'half a million a second',
      goal: { is: 'at least', ratio: 1 },
      cpuUs: { ours: measured.cpuUs, peer: NaN },
    })
  }
}

const compare = (ours: Measured, peer: Measured, about: Pick<Row, 'name' | 'peerName' | 'goal'>): Row =>
  row({
    ...about,
    unit: '/s',
    ours: ours.perSecond,
    peer: peer.perSecond,
    cpuUs: { ours: ours.cpuUs, peer: peer.cpuUs },
  })

async function storeGroup(archive: Archive, session: SessionId, group: readonly Uint8Array[]): Promise<void> {
  const outcome = await archive.store(session, group)
  if (outcome.is !== 'stored') throw new Error(outcome.is)
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
