import { describe, expect, it } from 'vitest'
import { connectDatabase } from '../../../../../../src/main/features/team/history/database.ts'
import { openHistory } from '../../../../../../src/main/features/team/history/history.ts'
import { checkDurability, checkSchema, migrate } from '../../../../../../src/main/features/team/history/schema.ts'
import { readHistoryTarget } from '../../../../../../src/main/features/team/history/target.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { connect, newHistory, teamName, testServer } from './kit.ts'

describe('the URL of a history', () => {
  it.each([
    ['postgres://u@h/db', 'h:5432/db'],
    ['postgresql://h:6543/my%20db?sslmode=verify-full', 'h:6543/my db'],
  ])('reads %s', (text, place) => {
    expect(readHistoryTarget(text).place).toBe(place)
  })

  it.each(['postgres://u:secret@h/db', 'postgres://u@h/db?password=secret'])('refuses a password in %s', (text) => {
    expect(() => readHistoryTarget(text)).toThrow(/leave the password out of the PostgreSQL URL/)
    expect(() => readHistoryTarget(text)).not.toThrow(/secret/)
  })

  it.each(['', 'eu', 'mysql://h/db', 'postgres://h', 'postgres:///db', 'u:secret@h/db'])('refuses %j', (text) => {
    expect(() => readHistoryTarget(text)).toThrow(/isn’t the URL of a PostgreSQL database/)
    expect(() => readHistoryTarget(text)).not.toThrow(/secret/)
  })
})

describe.skipIf(!hasPostgres)('the schema of a history [needs postgresql]', () => {
  it('is refused while it is missing, with the command that creates it', async () => {
    const server = await testServer()
    const db = await connect(server, teamName('missing'))
    const place = `127.0.0.1:${server.port}/postgres`
    await expect(checkSchema(db)).rejects.toMatchObject({
      code: 'not-found',
      message: `The database ${place} has no history of team missing.`,
      hint: `Its owner creates it with: tapedeck archive postgres://OWNER@${place} --team missing --migrate`,
    })
    expect(await migrate(db)).toBeNull()
    await checkSchema(db)
    expect(await migrate(db)).toBe(2)
  })

  it('is refused if it is newer, older, or of another team, and left as it is', async () => {
    const { db, team } = await newHistory()
    await db.run(`UPDATE ${db.schema}.meta SET version = 3`)
    const newer = { code: 'store-newer', hint: 'Update Tapedeck on this machine.' }
    await expect(checkSchema(db)).rejects.toMatchObject(newer)
    await expect(migrate(db)).rejects.toMatchObject(newer)
    await db.run(`UPDATE ${db.schema}.meta SET version = 0`)
    await expect(checkSchema(db)).rejects.toMatchObject({
      code: 'store-damaged',
      message: `The history of team ${team} has schema 0, and this Tapedeck needs 2.`,
    })
    await db.run(`UPDATE ${db.schema}.meta SET version = 2, team = 'other'`)
    await expect(checkSchema(db)).rejects.toMatchObject({ code: 'store-damaged' })
    expect(await db.rows(`SELECT version FROM ${db.schema}.meta`)).toEqual([{ version: 2 }])
  })

  it('is created once by two owners at the same time', async () => {
    const server = await testServer()
    const [a, b] = await Promise.all([connect(server, teamName('twice')), connect(server, teamName('twice'))])
    const found = await Promise.all([migrate(a), migrate(b)])
    expect(found.toSorted()).toEqual([2, null])
  })

  it('gets an ID when it is updated from its first version, and keeps it', async () => {
    const team = teamName('updated')
    const db = await connect(await testServer(), team)
    await migrate(db)
    await db.run(`ALTER TABLE ${db.schema}.meta DROP COLUMN id`)
    await db.run(`UPDATE ${db.schema}.meta SET version = 1`)
    expect(await migrate(db)).toBe(1)
    const id = await db.rows(`SELECT id FROM ${db.schema}.meta`)
    expect(id).toEqual([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    expect(await migrate(db)).toBe(2)
    expect(await db.rows(`SELECT id FROM ${db.schema}.meta`)).toEqual(id)
  })

  it('lets archivers add and readers read, and nothing else', async () => {
    const { server, db, team } = await newHistory()
    for (const who of ['archiver', 'reader']) {
      await db.run(`CREATE ROLE ${who} LOGIN`)
      await db.run(`GRANT ${db.schema}_${who} TO ${who}`)
    }
    await db.run('CREATE ROLE stranger LOGIN')
    const [archiver, reader, stranger] = await Promise.all(
      ['archiver', 'reader', 'stranger'].map((user) => connect(server, team, user)),
    )
    const insert = `INSERT INTO ${db.schema}.session (key, day, shard, shards, recorder, source, started_ms, epoch)
      VALUES ('a', '2026-01-05', 1, 1, 'r', '{}', 0, 0)`
    const read = `SELECT count(*)::int AS n FROM ${db.schema}.session`
    const statements = {
      read,
      insert,
      'move the watermark': `UPDATE ${db.schema}.session SET last_seq = 0`,
      'change a block': `UPDATE ${db.schema}.block SET count = 0`,
      'delete a block': `DELETE FROM ${db.schema}.block`,
      'drop a sealed frame': `DELETE FROM ${db.schema}.tail`,
      'add a day': `SELECT ${db.schema}.add_partition('block', '2026-01-05')`,
      'detach a day': `SELECT ${db.schema}.detach_day('2026-01-06')`,
      'drop a table': `DROP TABLE ${db.schema}.quarantine`,
      'change the version': `UPDATE ${db.schema}.meta SET version = 9`,
    }
    const allowed = async (as: typeof db): Promise<string[]> => {
      const found: string[] = []
      for (const [what, sql] of Object.entries(statements)) {
        const outcome = await as.run(sql).then(
          () => 'allowed',
          (error: { readonly code: string }) => error.code,
        )
        if (outcome === 'allowed') found.push(what)
        else expect([what, outcome]).toEqual([what, 'forbidden'])
      }
      return found
    }
    expect(await allowed(stranger)).toEqual([])
    expect(await allowed(reader)).toEqual(['read'])
    expect(await allowed(archiver)).toEqual([
      'read',
      'insert',
      'move the watermark',
      'drop a sealed frame',
      'add a day',
    ])
    await expect(openHistory(readHistoryTarget(server.url('postgres', 'stranger')), team)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/doesn’t let this user do that: permission denied for schema/) as string,
    })
  })

  it('can’t be created without the permission to do so', async () => {
    const server = await testServer()
    const { db } = await newHistory()
    await db.run('CREATE ROLE nobody LOGIN')
    const stranger = await connect(server, teamName('theirs'), 'nobody')
    await expect(migrate(stranger)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('refuses a server that could lose what it committed', async () => {
    const { db, server } = await newHistory()
    await checkDurability(db)
    await db.run('CREATE DATABASE careless')
    await db.run('ALTER DATABASE careless SET synchronous_commit = off')
    const careless = await connectDatabase(readHistoryTarget(server.url('careless')), teamName('eu'))
    await expect(checkDurability(careless)).rejects.toMatchObject({
      code: 'not-allowed',
      message: `PostgreSQL at 127.0.0.1:${server.port}/careless runs with synchronous_commit = off, so a crash could lose sessions that recorders have released.`,
    })
    await careless.close()
  })

  it.each([
    ['a database that isn’t there', (port: number) => `postgres://postgres@127.0.0.1:${port}/none`, 'not-found'],
    ['an unknown user', (port: number) => `postgres://who@127.0.0.1:${port}/postgres`, 'unauthorized'],
    ['nobody listening', () => 'postgres://postgres@127.0.0.1:9/postgres', 'offline'],
    ['TLS', (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=verify-full`, 'tls'],
  ])('says why it couldn’t connect: %s', async (_what, url, code) => {
    const { port } = await testServer()
    const failed = connectDatabase(readHistoryTarget(url(port)), teamName('eu'))
    await expect(failed).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^(PostgreSQL|Couldn’t|The) .*[^.]\.$/) as string,
    })
  })
})
