import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '../../../../../../src/main/features/team/history/database.ts'
import { migrate } from '../../../../../../src/main/features/team/history/schema.ts'
import { readHistoryTarget } from '../../../../../../src/main/features/team/history/target.ts'
import { claimTeam } from '../../../../../../src/main/features/team/history-claim.ts'
import { openHistory } from '../../../../../../src/main/features/team/history/history.ts'
import type { TeamAddress } from '../../../../../../src/main/features/team/access.ts'
import { testTeam } from '../../../../../../src/main/features/team/test-team.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer } from '../../../../../kit/nats-server.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { commandContext } from '../../../hosts/cli/context.ts'
import { ABOUT, endOf, newHistory, sealAll, testServer } from './kit.ts'

async function run(...args: string[]) {
  const context = commandContext()
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}

describe('commands of a history', () => {
  it.each([
    [['archive'], 'archive takes one database, such as postgres://USER@HOST/DATABASE'],
    [['archive', 'postgres://u:secret@h/db', '--team', 'eu'], 'leave the password out of the PostgreSQL URL'],
    [['archive', 'postgres://h/db', '--upstream', 'nats://h'], 'name the team with --team'],
    [['archive', 'postgres://h/db', '--team', 'eu'], 'name the team’s NATS servers with --upstream nats://HOST'],
    [['archive', 'postgres://h/db', '--team', 'EU', '--migrate'], '--team takes 1 to 31 lower-case letters and digits'],
    [['archive', 'postgres://h/db', '--team', 'eu', '--ticks', '7h'], '--ticks takes days, such as 7d, not "7h"'],
    [['fetch-session', '--team', 'eu'], 'fetch-session takes one session ID'],
    [['fetch-session', 'a', '--team', 'eu'], 'name the team’s history with --history postgres://USER@HOST/DATABASE'],
    [['verify', '--team', 'eu'], '--team requires --history'],
    [['verify', '--upstream', 'nats://h'], '--upstream requires --history'],
    [['verify', '--history', 'postgres://h/db'], 'name the team with --team'],
    [
      ['verify', '--history', 'postgres://h/db', '--team', 'eu', '--agreement'],
      '--history and --agreement can’t be combined',
    ],
  ])('refuses %j', async (args, message) => {
    const { code, out, err } = await run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).not.toContain('secret')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  it('says in one sentence that the database can’t be reached', async () => {
    expect(await run('verify', '--history', 'postgres://u@127.0.0.1:9/db', '--team', 'eu')).toEqual({
      code: 1,
      out: '',
      err: 'tapedeck: Couldn’t reach PostgreSQL at 127.0.0.1:9/db. Check the address, and that PostgreSQL runs there.\n',
    })
  })
})

describe.skipIf(!hasPostgres)('commands of a history [needs postgresql]', () => {
  const FLUSHES = flushesOf([
    [{ entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 } }, ...trades(50)],
    trades(30, 'ETH-USD'),
  ])
  const END = endOf(FLUSHES)

  async function archived() {
    const made = await newHistory()
    await made.archive.putSession({ ...ABOUT, end: END })
    await made.archive.store(
      SESSION,
      encode(FLUSHES).map(({ bytes }) => bytes),
    )
    await made.archive.complete(SESSION)
    await sealAll(made.db)
    return { ...made, args: ['--history', made.server.url(), '--team', made.team] }
  }

  it('create the history with --migrate alone, and refuse one that isn’t there', async () => {
    const server = await testServer()
    const place = `127.0.0.1:${server.port}/postgres`
    expect(await run('verify', '--history', server.url(), '--team', 'made')).toEqual({
      code: 1,
      out: '',
      err: `tapedeck: The database ${place} has no history of team made. Its owner creates it with: tapedeck archive postgres://OWNER@${place} --team made --migrate\n`,
    })
    const migrate = () => run('archive', server.url(), '--team', 'made', '--migrate')
    // Standard error is a log here, because it isn't a terminal.
    const said = async (): Promise<unknown> => {
      const { code, out, err } = await migrate()
      return { code, out, said: (JSON.parse(err) as { readonly msg: string }).msg } // a line of the log
    }
    expect(await said()).toEqual({ code: 0, out: '', said: `Created the history of team made at ${place}.` })
    expect(await said()).toEqual({ code: 0, out: '', said: `The history of team made at ${place} is up to date.` })
    expect(await run('verify', '--history', server.url(), '--team', 'made')).toEqual({
      code: 0,
      out: '0 sessions, 0 messages: all as recorded\n',
      err: '',
    })
  })

  it('archive nothing as a user who may only read', async () => {
    const { server, db, team } = await newHistory()
    await db.run('CREATE ROLE watcher LOGIN')
    await db.run(`GRANT ${db.schema}_reader TO watcher`)
    const args = [server.url('postgres', 'watcher'), '--upstream', 'nats://127.0.0.1:9', '--team', team]
    const { code, out, err } = await run('archive', ...args)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`watcher may not add to the history of team ${team}`)
    expect(err).toContain(`GRANT ${db.schema}_archiver TO watcher`)
  })

  it('verify a history, and list what is wrong', async () => {
    const { args, db } = await archived()
    expect(await run('verify', ...args)).toEqual({
      code: 0,
      out: `1 session, 80 messages: all as recorded\n${SESSION}: unsigned\n`,
      err: '',
    })
    await db.run(`UPDATE ${db.schema}.session SET messages = 81`)
    const { code, out, err } = await run('verify', '--session', SESSION, ...args)
    expect([code, err]).toEqual([1, 'tapedeck: the history has 1 problem.\n'])
    expect(out).toMatch(
      /^\S+ {2}- {2}count: it has 80 messages and 1 entries instead of 81 and 1\n1 session, .*NOT as recorded\n\S+: unsigned\n$/,
    )
    const json = JSON.parse((await run('verify', '--json', ...args)).out) as { readonly ok: boolean } // a VerifyReport
    expect(json).toMatchObject({ ok: false, sessions: 1, messages: 80, problems: [{ kind: 'count' }] })
  })

  it('fetch a session into the store, which verifies it, once', async () => {
    const { args, db } = await archived()
    const home = makeFolder('fetch')
    const store = ['--store', join(home, 'tapedeck.db')]
    expect(await run('fetch-session', SESSION, ...args, ...store)).toEqual({
      code: 0,
      out: `${SESSION}: 80 messages, unsigned\n`,
      err: '',
    })
    expect(await run('verify', ...store)).toMatchObject({ code: 0, out: '1 session, 80 messages: all as recorded\n' })
    const sessions = await run('sessions', '--json', ...store)
    expect(JSON.parse(sessions.out)).toMatchObject({ session: SESSION, source: `team:1@${db.team}`, messages: 80 })
    expect(await run('fetch-session', SESSION, ...args, ...store, '--json')).toMatchObject({
      code: 0,
      out: `{"schema":"tapedeck/fetch-session/1","session":"${SESSION}","messages":80,"already":true,"author":null}\n`,
    })
  })

  it('store nothing of a session that is unknown, incomplete, removed or corrupt', async () => {
    const { args, db } = await archived()
    const home = makeFolder('fetch')
    const fetch = (id: string) => run('fetch-session', id, ...args, '--store', join(home, 'tapedeck.db'))
    const list = () => run('sessions', '--store', join(home, 'tapedeck.db'))
    expect(await fetch('none')).toMatchObject({
      code: 1,
      err: `tapedeck: The history of team ${db.team} doesn’t have session none. Check the ID: tapedeck verify --history lists those of the history.\n`,
    })
    await db.run(`UPDATE ${db.schema}.session SET complete = false`)
    expect(await fetch(SESSION)).toMatchObject({ code: 1, err: expect.stringContaining('isn’t complete') as string })
    const noneYet = `tapedeck: The history of team ${db.team} has no complete session yet.\n`
    expect(await fetch('latest')).toMatchObject({ code: 1, err: noneYet })
    expect(existsSync(join(home, 'tapedeck.db'))).toBe(false)
    await db.run(`UPDATE ${db.schema}.session SET complete = true`)
    await db.run(`UPDATE ${db.schema}.chain SET head = head || '\\x00' WHERE conn = 1`)
    expect(await fetch(SESSION)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is corrupt in the history') as string,
    })
    expect((await list()).out).toBe('')
    await db.run(`SELECT ${db.schema}.detach_day('2026-01-05')`)
    expect(await fetch(SESSION)).toMatchObject({ code: 1, err: expect.stringContaining('was detached') as string })
  })
})

describe.skipIf(!hasPostgres || !hasNatsServer)(
  'the one history of a team [needs postgresql] [needs nats-server]',
  () => {
    const undo: (() => Promise<unknown>)[] = []
    afterAll(() => Promise.all(undo.map((end) => end())))

    async function scene() {
      const nats = await startNatsServer()
      const { server, db, team, archive } = await newHistory()
      const log = await connectTeam({ target: readNatsTarget(nats.url, {}, {}), team, name: 'test', allowOld: true })
      await log.ensureBuckets(1)
      await db.run(`CREATE DATABASE trial_${team}`)
      const trial = await connectDatabase(readHistoryTarget(server.url(`trial_${team}`)), team)
      await migrate(trial)
      undo.push(async () => {
        await trial.close()
        await log.close()
        await nats.kill()
      })
      const args = [server.url(`trial_${team}`), '--upstream', nats.url, '--team', team, '--allow-old-nats']
      return { server, archive, db, trial, log, team, args }
    }

    it('isn’t another database by mistake, because recorders delete what the history has', async () => {
      const { db, trial, log, team, args } = await scene()
      await claimTeam(log, db, false)
      await claimTeam(log, db, false)
      const { code, out, err } = await run('archive', ...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain(`The history of team ${team} is another database, not ${trial.place}.`)
      expect(err).toContain('add --replace-history once')
      await claimTeam(log, trial, true)
      await claimTeam(log, trial, false)
      await expect(claimTeam(log, db, false)).rejects.toMatchObject({ code: 'not-allowed' })
    })

    it('is the one that terminals, tapedeck team and tapedeck verify read, or they say that it’s another one', async () => {
      const { server, db, trial, log, team, args } = await scene()
      const [, , upstream] = args
      const address = (url: string): TeamAddress => ({
        team: log.team,
        target: readNatsTarget(upstream, {}, {}),
        history: readHistoryTarget(url),
        allowOld: true,
        trusted: null,
      })
      const tested = async (url: string) => {
        const connect = (to: TeamAddress) => connectTeam({ ...to, name: 'test' })
        const open = ({ history }: TeamAddress) => openHistory(history!, log.team)
        return (await testTeam(() => Promise.resolve(address(url)), connect, open)).at(-1)
      }
      const options = (url: string) => ['--history', url, ...args.slice(1)]
      const mine = server.url()
      const others = server.url(`trial_${team}`)
      // Nobody has said yet which one it is.
      expect(await run('verify', ...options(others))).toMatchObject({ code: 0 })
      await claimTeam(log, db, false)
      const refusal = `The history of team ${team} is another database, not ${trial.place}.`
      expect(await tested(mine)).toMatchObject({ step: 'history', ok: true })
      expect(await tested(others)).toMatchObject({ step: 'history', ok: false, text: expect.stringContaining(refusal) }) // oxfmt-ignore
      for (const command of ['verify', 'team']) {
        expect(await run(command, ...options(mine))).toMatchObject({ code: 0, err: '' })
        const { code, out, err } = await run(command, ...options(others))
        expect([code, out]).toEqual([1, ''])
        expect(err).toBe(
          `tapedeck: ${refusal} Name the database that the team’s archivers use. "tapedeck archive" says which one it is when it starts.\n`,
        )
      }
      await claimTeam(log, trial, true)
      expect(await tested(others)).toMatchObject({ ok: true })
      expect((await run('verify', ...options(mine))).err).toContain(`is another database, not ${db.place}.`)
    })

    it('is left by an archiver once another database has taken its place', async () => {
      const { server, db, trial, log, team, args } = await scene()
      const archiving = run('archive', server.url(), ...args.slice(1))
      await expect.poll(async () => (await log.bucket('watermarks').get('history'))?.value ?? '').not.toBe('')
      await claimTeam(log, trial, true)
      const { code, err } = await archiving
      expect(code).toBe(1)
      expect(err).toContain(`The history of team ${team} is another database, not ${db.place}.`)
    })

    it('isn’t a database that has nothing of what the team’s watermarks say', async () => {
      const { archive, db, trial, log } = await scene()
      await log.putWatermark(SESSION, { lastSeq: 2, isComplete: false })
      await expect(claimTeam(log, trial, false)).rejects.toMatchObject({ code: 'not-allowed' })
      await archive.putSession(ABOUT)
      await expect(claimTeam(log, db, false)).rejects.toMatchObject({ code: 'not-allowed' })
      await archive.store(
        SESSION,
        encode(flushesOf([trades(2)])).map(({ bytes }) => bytes),
      )
      await claimTeam(log, db, false)
    })

    it('is one of two that start at the same time, is claimed again if the log lost it, and isn’t guessed from what was damaged', async () => {
      const { db, trial, log } = await scene()
      const both = await Promise.allSettled([claimTeam(log, db, false), claimTeam(log, trial, false)])
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await log.bucket('watermarks').delete('history')
      await claimTeam(log, trial, false)
      await log.bucket('watermarks').put('history', '00000000.damaged')
      await expect(claimTeam(log, db, false)).rejects.toMatchObject({
        code: 'not-allowed',
        message: expect.stringMatching(/was changed\.$/) as string,
      })
      await claimTeam(log, db, true)
      await claimTeam(log, db, false)
    })
  },
)
