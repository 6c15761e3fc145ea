/**
 * Kills a recorder with SIGKILL while it publishes, again and again, then lets it finish: the team's log must hold every
 * session of its store, each committed flush once and in order, with equal heads and the end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openLocalReader } from '../../src/main/core/store/threads/reader.ts'
import { CodedError } from '../../src/shared/base/errors.ts'
import type { SessionId } from '../../src/shared/base/units.ts'
import { connectDatabase } from '../../src/main/features/team/history/database.ts'
import { migrate } from '../../src/main/features/team/history/schema.ts'
import { readHistoryTarget } from '../../src/main/features/team/history/target.ts'
import { connectTeam } from '../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import { readTeamName } from '../../src/main/features/team/names.ts'
import type { TeamName } from '../../src/main/features/team/names.ts'
import type { PostgresServer } from '../kit/postgres-process.ts'
import { compareHistory, waitForHistory } from './team-history.ts'
import { checkLog } from './team-log.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const ARCHIVER = fileURLToPath(new URL('team-archiver.ts', import.meta.url))
/** Limits a hang, not the machine: at a load of 40, a recorder took more than a minute. */
const STARTED_WITHIN_MS = 300_000

export interface RecorderKills {
  /** The server of the history; without it, the log alone is compared. */
  readonly postgres?: PostgresServer | null
  /** Folder of the recorder; empty. */
  readonly home: string
  readonly servers: string
  readonly kills: number
  readonly say?: (text: string) => void
}

/** Returns what was seen. Throws at the first difference. */
export async function killRecorder(options: RecorderKills): Promise<string> {
  const { home, servers, kills, postgres = null, say = () => {} } = options
  const team = readTeamName('eu')
  if (team === null) throw new TypeError('not a team')
  const log = await connectTeam({ target: readNatsTarget(servers, {}, {}), team, name: 'check', allowOld: true })
  await log.ensureBuckets()
  try {
    for (let i = 0; i < kills; i++) {
      const child = record(home, servers)
      child.stderr.resume()
      const ended = once(child, 'exit')
      try {
        await published(log, i + 1)
        await sleep(Math.random() * 400)
      } finally {
        child.kill('SIGKILL')
        await ended
      }
      if ((i + 1) % 10 === 0) say(`${i + 1} kills`)
    }
    const last = record(home, servers)
    let said = ''
    last.stderr.on('data', (data: Buffer) => (said += data.toString()))
    const closed = once(last, 'close') as Promise<[number | null]>
    await published(log, kills + 1)
    last.kill('SIGTERM')
    const [code] = await closed
    if (code !== 0) throw new Error(`the last run ended with code ${code}: ${said}`)
    const store = join(home, 'tapedeck.db')
    const seen = `${kills} kills: ${await compare(log, store, kills + 1)}`
    return postgres === null ? seen : `${seen}; ${await archiveAll(postgres, servers, team, store)}`
  } finally {
    await log.close()
  }
}

/** Archives everything, and compares the history with the store. */
async function archiveAll(postgres: PostgresServer, servers: string, team: TeamName, store: string): Promise<string> {
  const db = await connectDatabase(readHistoryTarget(postgres.url()), team)
  await migrate(db)
  const archiver = spawn(process.execPath, [ARCHIVER, postgres.url(), servers, team], { stdio: 'ignore' })
  const ended = once(archiver, 'exit')
  const reader = openLocalReader(store)
  try {
    const sessions = (await reader.sessions(true)).map(({ session }) => session)
    await waitForHistory(db, sessions)
    return `${await compareHistory(db, reader, sessions)} of them in the history, equal to the store`
  } finally {
    await reader.close()
    archiver.kill('SIGKILL')
    await ended
    await db.close()
  }
}

function record(home: string, servers: string) {
  const feed = ['--demo', '--feed', 'crypto/XT:BTC-USD,ETH-USD,SOL-USD']
  const team = ['--publish', servers, '--team', 'eu', '--allow-old-nats']
  return spawn(process.execPath, [CLI, 'record', '--home', home, ...feed, ...team], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TAPEDECK_PASSWORD: '', TAPEDECK_API_KEY: '' },
  })
}

/** Waits until the log has something of this many sessions. */
async function published(log: TeamLog, count: number): Promise<void> {
  const deadline = Date.now() + STARTED_WITHIN_MS
  for (let found = 0; found < count; await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`only ${found} of ${count} sessions were published`)
    found = 0
    try {
      for (const { session } of await log.sessions()) if ((await log.lastOf(1, session)) !== null) found++
    } catch (thrown) {
      // A busy server may answer late: then it is asked again, as the product does.
      if (!(thrown instanceof CodedError && ['offline', 'timeout'].includes(thrown.code))) throw thrown
    }
  }
}

async function compare(log: TeamLog, store: string, sessions: number): Promise<string> {
  const reader = openLocalReader(store)
  try {
    const rows = await reader.sessions(true)
    if (rows.length !== sessions) throw new Error(`${rows.length} sessions in the store instead of ${sessions}`)
    let messages = 0
    for (const row of rows) {
      const info = await log.session(row.session)
      const ledger = await reader.ledger(row.session)
      if (JSON.stringify(info?.end?.heads) !== JSON.stringify(ledger.heads))
        throw new Error(`the end of ${row.session} in the team's list isn't its close record`)
      messages += row.messages
    }
    const ids: readonly SessionId[] = rows.map(({ session }) => session)
    const frames = await checkLog(log, 1, reader, ids)
    return `${sessions} sessions, ${messages} messages in ${frames} frames, all in the log once and in order`
  } finally {
    await reader.close()
  }
}
