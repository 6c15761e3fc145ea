/** Archiving from a real nats-server into a real PostgreSQL, while things die. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { Archive } from '../../../../../../src/main/features/team/history/archive.ts'
import { runArchiver } from '../../../../../../src/main/features/team/history/archiver.ts'
import { migrate, SCHEMA_VERSION } from '../../../../../../src/main/features/team/history/schema.ts'
import { makeSeed, readSigningKey } from '../../../../../../src/main/features/team/sign/keys.ts'
import { signState } from '../../../../../../src/main/features/team/sign/signature.ts'
import type { ChainHeads } from '../../../../../../src/main/features/team/frame/frame.ts'
import { createTeamMetrics } from '../../../../../../src/main/features/team/metrics/metrics.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import { readReports } from '../../../../../../src/main/features/team/reports/report.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import type { TeamName } from '../../../../../../src/main/features/team/names.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'
import { hasPostgres, startPostgres } from '../../../../../kit/postgres-server.ts'
import type { PostgresServer } from '../../../../../kit/postgres-process.ts'
import { publishFrames } from '../../../../../kit/publish-frames.ts'
import { killArchivers } from '../../../../../loss/team-archive.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, all, connect, endOf, newHistory, plain, teamName } from './kit.ts'

const WITHIN_MS = 25_000

/** Waits for a condition. */
async function until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await sleep(20)
  }
}

const FLUSHES = flushesOf(Array.from({ length: 120 }, (_, i) => trades(1 + (i % 7), ['BTC-USD', 'ETH-USD'][i % 2])))
const FRAMES = encode(FLUSHES, { bundleBytes: 1 }).map(({ bytes }) => bytes)
const END = endOf(FLUSHES)
/** The last seq of so many frames. */
const seqAfter = (frames: number): number => endOf(FLUSHES.slice(0, frames)).lastSeq

/** `running`: what is stopped after the test. */
const it = test.extend('running', ({}, { onCleanup }) => {
  const running: (() => Promise<unknown>)[] = []
  onCleanup(async () => void (await Promise.all(running.map((stop) => stop()))))
  return running
})

// Side by side, because they mostly wait. Each has a team of its own; one that kills a server has that to itself, too.
describe
  .skipIf(!hasNatsServer || !hasPostgres)
  .concurrent('an archiver [needs nats-server] [needs postgresql]', { timeout: 60_000 }, () => {
    let nats: NatsServer
    const logs: TeamLog[] = []

    beforeAll(async () => {
      nats = await startNatsServer()
    })
    afterAll(() => Promise.all(logs.map((log) => log.close())))

    async function connectLog(team: TeamName, url: string): Promise<TeamLog> {
      const log = await connectTeam({ target: readNatsTarget(url, {}, {}), team, name: 'test', allowOld: true })
      logs.push(log)
      return log
    }

    async function newTeam(
      running: (() => Promise<unknown>)[],
      own: { readonly nats?: NatsServer; readonly postgres?: PostgresServer } = {},
    ) {
      const made = await newHistory({}, own.postgres)
      const { url } = own.nats ?? nats
      const log = await connectLog(made.team, url)
      await log.ensureBuckets(1)
      await log.ensureShard(1, 1)
      return { ...made, log, url, running }
    }
    type Team = Awaited<ReturnType<typeof newTeam>>

    /** Starts an archiver in this process. Returns what it reported. */
    async function startArchiver({ db, team, url, running }: Team, change = (log: TeamLog) => log) {
      const log = change(await connectLog(team, url))
      const stop = new AbortController()
      const reports: string[] = []
      const metrics = createTeamMetrics({ team, role: 'archiver' })
      const done = runArchiver({
        log,
        db,
        archive: new Archive(db),
        clock: systemClock,
        signal: stop.signal,
        report: (level, text) => reports.push(`${level}: ${text}`),
        metrics,
        sealBytes: 20_000,
        retryMs: 300,
      })
      const end = async () => {
        stop.abort()
        return done
      }
      running.push(end)
      return { reports, end, metrics }
    }

    const script = fileURLToPath(new URL('../../../../../loss/team-archiver.ts', import.meta.url))
    /** Starts an archiver in a process of its own. */
    function spawnArchiver({ server, team, url, running }: Team, ...args: string[]): ChildProcess {
      const child = spawn(process.execPath, [script, server.url(), url, team, ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      running.push(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      })
      return child
    }

    /** Publishes frames as a recorder does: each after the last one. */
    async function publish(log: TeamLog, frames: readonly Uint8Array[]): Promise<void> {
      await publishFrames(log, SESSION, frames, (await log.lastOf(1, SESSION))?.sequence ?? 0)
    }

    /** Everything was archived once, sealed, and gives back what was recorded; the watermark says so. */
    async function expectWhole({ archive, history, log, db }: Team): Promise<void> {
      await until('the session is sealed', async () => {
        // A test that ended the connections may be answered by one of them.
        const progress = await archive.progress(SESSION).catch(() => null)
        return progress?.complete === true && progress.sealedSeq === END.lastSeq
      })
      await until('the watermark', async () => (await log.watermark(SESSION))?.isComplete === true)
      expect((await log.watermark(SESSION))?.lastSeq).toBe(END.lastSeq)
      const [session] = await history.sessions()
      expect(session).toMatchObject({ lastSeq: END.lastSeq, messages: END.messages, entries: END.entries })
      expect(await db.rows(`SELECT 1 FROM ${db.schema}.tail`)).toEqual([])
      const [{ rows }] = await db.rows<{ rows: number }>(`SELECT sum(count)::int AS rows FROM ${db.schema}.block`)
      expect(rows).toBe(END.messages)
      expect(plain(await all(history.flushes(SESSION, 0)))).toEqual(plain(FLUSHES))
    }

    it('survives being killed before it commits and before it acknowledges, and PostgreSQL being killed', async () => {
      const [team, postgres] = [teamName('killed'), await startPostgres()]
      const seen = await killArchivers({ team, postgres, nats: nats.url, kills: 4, postgresKills: 1 })
      expect(seen).toMatch(/^4 archivers and 1 times PostgreSQL killed: 240 messages, each once/)
    })

    it('stores, seals and acknowledges what recorders publish', async ({ running }) => {
      const team = await newTeam(running)
      const { reports, end } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 40))
      await until('40 frames', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(40))
      await publish(team.log, FRAMES.slice(40))
      const hasAll = async () => (await team.log.watermark(SESSION))?.lastSeq === END.lastSeq
      await until('all frames', hasAll)
      // Its recorder keeps it until the history has its close record, too.
      expect(await team.log.watermark(SESSION)).toEqual({ lastSeq: END.lastSeq, isComplete: false })
      await team.log.putSession({ ...ABOUT, end: END })
      await expectWhole(team)
      expect(reports).toEqual(['info: Archiving shard 1.'])
      expect(await readReports(team.log.bucket('reports'))).toMatchObject([{ role: 'archiver', name: hostname() }])
      await end()
      expect(await readReports(team.log.bucket('reports'))).toEqual([])
    })

    it('joins frames that travel as parts', async ({ running }) => {
      const team = await newTeam(running)
      await startArchiver(team)
      await team.log.putSession({ ...ABOUT, end: END })
      const parts = encode(FLUSHES, { maxPayload: 4_096, canCompress: false }).map(({ bytes }) => bytes)
      expect(parts.length).toBeGreaterThan(2)
      await publish(team.log, parts)
      await expectWhole(team)
    })

    it('joins a frame of more parts than a server delivers without an acknowledgement', async ({ running }) => {
      const team = await newTeam(running)
      await startArchiver(team)
      await team.log.putSession(ABOUT)
      const flushes = flushesOf([trades(55_000)])
      const parts = encode(flushes, { maxPayload: 4_096, canCompress: false }).map(({ bytes }) => bytes)
      expect(parts.length).toBeGreaterThan(1_024)
      await publish(team.log, parts)
      await until('the frame', async () => (await team.archive.progress(SESSION))?.lastSeq === 55_000)
    })

    it('waits for PostgreSQL while it is down, however it went', async ({ running }) => {
      const team = await newTeam(running, { postgres: await startPostgres() })
      const { reports } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 40))
      await team.server.kill()
      await publish(team.log, FRAMES.slice(40, 80))
      await team.server.start()
      await publish(team.log, FRAMES.slice(80))
      await team.log.putSession({ ...ABOUT, end: END })
      await expectWhole(team)
      expect(reports.filter((text) => text.startsWith('alarm'))).toEqual([])
    })

    it('waits while PostgreSQL is read-only, as a standby is, and says so', async ({ running }) => {
      const team = await newTeam(running, { postgres: await startPostgres() })
      const { reports } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 40))
      await until('40 frames', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(40))
      // Not one of the archiver's connections: all of those have to be new, because the setting holds for new ones alone.
      const admin = await connect(team.server, team.team)
      const setReadOnly = async (value: 'on' | 'off') => {
        await admin.transaction(async (sql) => {
          await sql.run('SET TRANSACTION READ WRITE')
          await sql.run(`ALTER DATABASE postgres SET default_transaction_read_only = ${value}`)
        })
        const others = 'usename IS NOT NULL AND pid <> pg_backend_pid()'
        await admin.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
      }
      await setReadOnly('on')
      await publish(team.log, FRAMES.slice(40))
      await team.log.putSession({ ...ABOUT, end: END })
      await until('the report', () => reports.some((text) => text.includes('is read-only: ')))
      await setReadOnly('off')
      await expectWhole(team)
      expect(reports.filter((text) => text.startsWith('alarm'))).toEqual([])
    })

    it('catches up after the log lost everything and the recorder published again, bundled otherwise', async ({
      running,
    }) => {
      const own = await startNatsServer()
      const team = await newTeam(running, { nats: own })
      const { reports } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 60))
      await until('60 frames', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(60))
      await own.kill()
      rmSync(own.storeFolder, { recursive: true })
      await own.start()
      await until('the connection', () => team.log.state().is === 'connected')
      await team.log.ensureBuckets(1)
      await team.log.ensureShard(1, 1)
      await team.log.putSession({ ...ABOUT, end: END })
      await until(
        'the watermark is back',
        async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(60),
      )
      await publish(
        team.log,
        encode(FLUSHES, { bundleBytes: 1_500 }).map(({ bytes }) => bytes),
      )
      await expectWhole(team)
      expect(reports.filter((text) => text === 'info: Archiving shard 1.')).toHaveLength(1)
    })

    it('lets one of two archivers work at a time, and the other take over', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.putSession(ABOUT)
      const first = spawnArchiver(team)
      await publish(team.log, FRAMES.slice(0, 30))
      await until('the first', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(30))
      const { reports } = await startArchiver(team)
      await publish(team.log, FRAMES.slice(30, 60))
      await until('60 frames', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(60))
      expect(reports).toEqual([])
      first.kill('SIGKILL')
      await publish(team.log, FRAMES.slice(60))
      await team.log.putSession({ ...ABOUT, end: END })
      await expectWhole(team)
      expect(reports).toEqual(['info: Archiving shard 1.'])
    })

    it('lowers the watermark of a history that was restored from a backup, with an alarm', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 30))
      await team.log.putWatermark(SESSION, { lastSeq: 10_000, isComplete: false })
      const { reports } = await startArchiver(team)
      await until('the watermark', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(30))
      expect(reports.find((text) => text.startsWith('alarm'))).toMatch(
        /^alarm: The history has session \S+ up to seq \d+, but had it up to 10000 before\.$/,
      )
    })

    it('archives a session again that ended before the history was restored from a backup', async ({ running }) => {
      const team = await newTeam(running)
      const { end } = await startArchiver(team)
      await team.log.putSession({ ...ABOUT, end: END })
      await publish(team.log, FRAMES)
      await expectWhole(team)
      await end()
      await team.db.run(`DROP SCHEMA ${team.db.schema} CASCADE`)
      await migrate(team.db)
      await startArchiver(team)
      await expectWhole(team)
    })

    it('archives again what a standby lacks that took over while the archiver ran', async ({ running }) => {
      const team = await newTeam(running, { postgres: await startPostgres() })
      const { reports } = await startArchiver(team)
      await team.log.putSession({ ...ABOUT, end: END })
      await publish(team.log, FRAMES)
      await expectWhole(team)
      // The standby had nothing of the session yet, and connections to the old primary break.
      const admin = await connect(team.server, team.team)
      await admin.run(`DROP SCHEMA ${team.db.schema} CASCADE`)
      await migrate(admin)
      const others = 'usename IS NOT NULL AND pid <> pg_backend_pid()'
      await admin.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
      await expectWhole(team)
      expect(reports.filter((text) => text.startsWith('alarm'))).toEqual([
        `alarm: The history has session ${SESSION} up to seq 0, but had it up to ${END.lastSeq} before.`,
      ])
    })

    it('archives again what a standby lacks that took over, also as the archiver that waited for the shard', async ({
      running,
    }) => {
      const team = await newTeam(running, { postgres: await startPostgres() })
      const first = await startArchiver(team)
      await team.log.putSession({ ...ABOUT, end: END })
      await publish(team.log, FRAMES)
      await expectWhole(team)
      const { reports } = await startArchiver(team)
      await until('two archivers', async () => (await readReports(team.log.bucket('reports'))).length === 2)
      // It gets the shard's lock from the first archiver before the second one can.
      const admin = await connect(team.server, team.team)
      const lock = `(hashtext('${team.db.schema}'), 1001)`
      const locked = admin.run(`SELECT pg_advisory_lock${lock}`)
      await first.end()
      await locked
      await admin.run(`DROP SCHEMA ${team.db.schema} CASCADE`)
      await migrate(admin)
      const others = 'usename IS NOT NULL AND pid <> pg_backend_pid()'
      await admin.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
      await admin.run(`SELECT pg_advisory_unlock${lock}`)
      await expectWhole(team)
      expect(reports.filter((text) => text.startsWith('alarm'))).toEqual([
        `alarm: The history has session ${SESSION} up to seq 0, but had it up to ${END.lastSeq} before.`,
      ])
    })

    it('stores nothing in a history that a newer version has updated, and says so', async ({ running }) => {
      const team = await newTeam(running)
      const { reports } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 40))
      await until('40 frames', async () => ((await team.log.watermark(SESSION))?.lastSeq ?? 0) >= seqAfter(40))
      await team.db.run(`UPDATE ${team.db.schema}.meta SET version = 99`)
      await publish(team.log, FRAMES.slice(40))
      await team.log.putSession({ ...ABOUT, end: END })
      await until('the report', () => reports.some((text) => text.includes('has schema 99, written by a newer')))
      expect((await team.archive.progress(SESSION))?.lastSeq).toBe(seqAfter(40))
      await team.db.run(`UPDATE ${team.db.schema}.meta SET version = ${SCHEMA_VERSION}`)
      await expectWhole(team)
    })

    it('archives other sessions of a shard while one waits for frames, however many follow these', async ({
      running,
    }) => {
      const team = await newTeam(running)
      const other = sessionId('01khj7x0a0zzzzzzzzzzzzzzzz')
      await team.log.putSession(ABOUT)
      await team.log.putSession({ ...ABOUT, session: other })
      // More than a server delivers without an acknowledgement. Its recorder lost the first ones with its disk.
      const flushes = flushesOf(
        Array.from({ length: 1_100 }, () => trades(1)),
        other,
      )
      const waiting = encode(flushes, { bundleBytes: 1, session: other }).slice(1)
      for (const [sequence, { bytes }] of waiting.entries()) await team.log.publish(1, other, bytes, sequence)
      const { reports } = await startArchiver(team)
      await until('the alarm', () => reports.some((text) => text.includes(`Seq 1 to 1 of session ${other}`)))
      await publish(team.log, FRAMES)
      await team.log.putSession({ ...ABOUT, end: END })
      await until('the other session', async () => (await team.archive.progress(SESSION))?.complete === true)
      // What was missing arrives after all.
      const [first] = encode(flushes, { bundleBytes: 1, session: other })
      await team.log.publish(1, other, first.bytes, waiting.length)
      await until('all of it', async () => (await team.archive.progress(other))?.lastSeq === 1_100)
    })

    it('says that it has nothing of a session whose frames the log lost before any arrived', async ({ running }) => {
      const team = await newTeam(running)
      await startArchiver(team)
      await team.log.putSession({ ...ABOUT, end: END })
      await until('the watermark', async () => (await team.log.watermark(SESSION))?.lastSeq === 0)
      await publish(team.log, FRAMES)
      await expectWhole(team)
    })

    it('says that a session without a message is complete', async ({ running }) => {
      const team = await newTeam(running)
      await startArchiver(team)
      const end = { ...END, lastSeq: 0, messages: 0, entries: 0, heads: {} }
      await team.log.putSession({ ...ABOUT, end })
      await until('the watermark', async () => (await team.log.watermark(SESSION))?.isComplete === true)
    })

    it('puts a watermark again that was damaged on its way', async ({ running }) => {
      const team = await newTeam(running)
      let sent = 0
      await startArchiver(team, (log) => {
        const bucketOf = log.bucket.bind(log)
        vi.spyOn(log, 'bucket').mockImplementation((name) => {
          const bucket = bucketOf(name)
          if (name !== 'watermarks') return bucket
          const damaged = (value: string) =>
            sent++ === 0 ? value.replace(/\d$/, (digit) => String(9 - Number(digit))) : value
          return { ...bucket, update: (key, value, revision) => bucket.update(key, damaged(value), revision) }
        })
        return log
      })
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 5))
      await until('the watermark', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(5))
      expect(sent).toBeGreaterThan(1)
    })

    it('never lowers a watermark that another archiver has raised', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.putSession(ABOUT)
      await startArchiver(team)
      await publish(team.log, FRAMES.slice(0, 5))
      await until('5 frames', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(5))
      await team.log.putWatermark(SESSION, { lastSeq: 1_000, isComplete: false })
      await publish(team.log, FRAMES.slice(5, 6))
      await until('6 frames', async () => (await team.archive.progress(SESSION))?.lastSeq === seqAfter(6))
      await publish(team.log, FRAMES.slice(6, 8))
      await until('8 frames', async () => (await team.archive.progress(SESSION))?.lastSeq === seqAfter(8))
      await sleep(600) // two rounds of watermarks
      expect((await team.log.watermark(SESSION))?.lastSeq).toBe(1_000)
    })

    it('reads from the log what another archiver had and didn’t store', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.putSession({ ...ABOUT, end: END })
      await publish(team.log, FRAMES)
      // Another archiver takes ten frames from the shared consumer, and neither stores nor acknowledges them.
      const taken: number[] = []
      const stop = new AbortController()
      for await (const { sequence } of team.log.consume({
        shard: 1,
        name: 'archive',
        signal: stop.signal,
      }))
        if (taken.push(sequence) === 10) break
      stop.abort()
      expect(taken[0]).toBe(1)
      await startArchiver(team)
      await expectWhole(team)
    })

    it('stops the shard at a frame that doesn’t verify, and keeps what came before', async ({ running }) => {
      const team = await newTeam(running)
      const { reports, end } = await startArchiver(team)
      await team.log.putSession(ABOUT)
      const flipped = Buffer.from(FRAMES[2])
      flipped[60] ^= 1
      await publish(team.log, [FRAMES[0], FRAMES[1], flipped, ...FRAMES.slice(3, 6)])
      await until('the alarm', () => reports.some((text) => text.startsWith('alarm')))
      expect(reports.at(-1)).toBe(
        `alarm: Shard 1 stopped. Session ${SESSION} can’t be archived. The frame is corrupt: its bytes don't match their checksum. Its recorder keeps what isn’t archived.`,
      )
      expect(await team.archive.progress(SESSION)).toMatchObject({ lastSeq: 3 })
      const rows = await team.db.rows(`SELECT session, code, data FROM ${team.db.schema}.quarantine`)
      expect(rows).toEqual([{ session: SESSION, code: 'checksum', data: flipped }])
      expect(await end()).toEqual([1])
    })

    it('stops the shard at a frame with a wrong signature, and counts what is in quarantine', async ({ running }) => {
      const team = await newTeam(running)
      const { reports, end, metrics } = await startArchiver(team)
      const valueOf = (name: string) => new RegExp(`_${name}\\{.*shard="1"\\} (\\d)`).exec(metrics.text())?.[1]
      const counted = () => valueOf('quarantined_frames')
      await team.log.putSession(ABOUT)
      await until('the count', () => counted() === '0')
      // Prometheus sees no increase of a counter that begins with its first event.
      expect(valueOf('chain_failures_total')).toBe('0')
      const key = readSigningKey(makeSeed())
      const sign = (seq: number, heads: ChainHeads) => signState(key, { ...ABOUT, team: 'another' }, { seq, heads })
      const [forged] = encode(FLUSHES.slice(0, 1), { sign })
      await publish(team.log, [forged.bytes])
      await until('the alarm', () => reports.some((text) => text.startsWith('alarm')))
      expect(reports.at(-1)).toContain(`by ${key.publicKey} doesn’t match what is stored.`)
      expect(counted()).toBe('1')
      expect(valueOf('chain_failures_total')).toBe('1')
      expect(await end()).toEqual([1])
    })

    it('says how far the history is behind while PostgreSQL is away', async ({ running }) => {
      const postgres = await startPostgres()
      const team = await newTeam(running, { postgres })
      const { metrics } = await startArchiver(team)
      const lag = () => Number(/history_lag_seconds\{.*shard="1"\} ([\d.]+)/.exec(metrics.text())?.[1])
      await team.log.putSession(ABOUT)
      await publish(team.log, FRAMES.slice(0, 1))
      await until('the first frame', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(1))
      await until('no lag', () => lag() === 0)
      expect(team.db.isReachable()).toBe(true)
      await postgres.kill()
      await publish(team.log, FRAMES.slice(1, 2))
      await until('a lag', () => lag() >= 1)
      expect(team.db.isReachable()).toBe(false)
      await postgres.start()
      await until('the second frame', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(2))
      await until('no lag again', () => lag() === 0)
      expect(team.db.isReachable()).toBe(true)
    })

    it('stores nothing of a session that arrives in another shard than its own', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.ensureShard(2, 1)
      await team.log.putSession(ABOUT)
      await team.log.putSession({ ...ABOUT, session: sessionId('01khj7x0a0zzzzzzzzzzzzzzzz'), shard: 2 })
      const { reports } = await startArchiver(team)
      await publish(team.log, FRAMES.slice(0, 2))
      await until('2 frames', async () => (await team.log.watermark(SESSION))?.lastSeq === seqAfter(2))
      // The next frame, with the right hashes, from a recorder that may publish to shard 2 only.
      await team.log.publish(2, SESSION, FRAMES[2], 0)
      await until('the alarm', () => reports.some((text) => text.startsWith('alarm')))
      expect(reports.at(-1)).toBe(
        `alarm: Shard 2 stopped. Session ${SESSION} can’t be archived. It is of shard 1 and arrived in shard 2. Its recorder keeps what isn’t archived.`,
      )
      expect(await team.archive.progress(SESSION)).toMatchObject({ lastSeq: seqAfter(2) })
      await publish(team.log, FRAMES.slice(2))
      await team.log.putSession({ ...ABOUT, end: END })
      await expectWhole(team)
    })

    it('waits with an alarm for frames that are missing until the recorder publishes them', async ({ running }) => {
      const team = await newTeam(running)
      await team.log.putSession(ABOUT)
      const { reports } = await startArchiver(team)
      await publish(team.log, [FRAMES[0], ...FRAMES.slice(2, 5)])
      await until('the alarm', () => reports.some((text) => text.startsWith('alarm')))
      expect(reports.at(-1)).toBe(
        `alarm: Seq 2 to 3 of session ${SESSION} are missing from the log. Waiting for the recorder to publish them.`,
      )
      await publish(team.log, FRAMES.slice(1))
      await team.log.putSession({ ...ABOUT, end: END })
      await expectWhole(team)
      expect(reports.filter((text) => text.startsWith('alarm'))).toHaveLength(1)
    })
  })
