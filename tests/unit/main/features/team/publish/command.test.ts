/** `tapedeck record --publish`: what it refuses before anything is recorded, and recording while NATS is away. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, isOldNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'
import { checkLog } from '../../../../../loss/team-log.ts'
import { commandContext } from '../../../hosts/cli/context.ts'

let home: string
beforeAll(() => {
  home = makeFolder('publish')
})

const DEMO = ['--demo', '--feed', 'crypto/XT:BTC-USD']
async function record(store: string, args: readonly string[], env: Record<string, string> = {}) {
  const context = commandContext({ dataDir: home, env })
  const code = await runCommandLine(['record', ...DEMO, '--store', store, '--duration', '1500ms', ...args], context)
  return { code, err: context.errors(), out: context.output() }
}

describe('wrong usage of record --publish', () => {
  it.each([
    [['--team', 'eu'], '--team needs --publish'],
    [['--allow-old-nats'], '--allow-old-nats needs --publish'],
    [['--publish', 'nats://localhost'], 'name the team with --team'],
    [['--publish', 'nats://localhost', '--team', 'EU'], 'lower-case letters and digits'],
    [['--publish', 'nats://me:pw@localhost', '--team', 'eu'], 'leave the password out'],
    [['--publish', 'nats://me@localhost', '--team', 'eu'], 'TAPEDECK_NATS_PASSWORD'],
    [['--publish', 'http://localhost', '--team', 'eu'], 'isn’t a NATS URL'],
    [['--publish', 'nats://localhost', '--team', 'eu', '--team-shard', '3/2'], '--team-shard takes'],
    [['--publish', 'nats://localhost', '--team', 'eu', '--spool-max', '5'], '--spool-max takes'],
    [['--publish', 'nats://localhost', '--team', 'eu', '--nats-monitor', 'localhost'], '--nats-monitor takes'],
    [['--publish', 'nats://localhost', '--team', 'eu', '--nats-creds', '/no/such'], '--nats-creds'],
  ])('%j ends with code 2 before a store is made', async (args, message) => {
    const store = join(home, 'usage.db')
    const { code, err, out } = await record(store, args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).not.toContain('pw')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(store)).toBe(false)
  })
})

describe.skipIf(!hasNatsServer)('record --publish [needs nats-server]', () => {
  let count = 0
  const team = (server: NatsServer, ...more: string[]) => ['--publish', server.url, '--team', 'eu', ...more]
  const newStore = () => join(home, `${++count}.db`)

  async function expectRefusal(args: readonly string[], message: string, env: Record<string, string> = {}) {
    const store = newStore()
    const { code, err, out } = await record(store, args, env)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(message)
    const reader = openLocalReader(store)
    expect(await reader.sessions()).toEqual([])
    await reader.close()
  }

  it.runIf(isOldNatsServer)('ends with code 1, and nothing recorded, at an old server', async () => {
    await expectRefusal(team(await startNatsServer()), 'is too old: a team needs 2.11 or newer')
  })

  it('ends with code 1, and nothing recorded, at what waiting can’t change', async () => {
    const config = 'authorization { user: me, password: right }'
    const [plain, bare, locked] = await Promise.all([
      startNatsServer(),
      startNatsServer({ jetstream: false }),
      startNatsServer({ config }),
    ])
    await expectRefusal(team(bare, '--allow-old-nats'), 'JetStream isn’t enabled')
    const wrong = ['--publish', locked.url.replace('//', '//me@'), '--team', 'eu', '--allow-old-nats']
    await expectRefusal(wrong, 'refused the credentials', { TAPEDECK_NATS_PASSWORD: 'wrong' })
    await expectRefusal([...team(plain, '--allow-old-nats'), '--nats-ca', new URL(import.meta.url).pathname], 'NATS')
  })

  it('ends with code 1, and nothing recorded or published, as a user who may not publish the shard', async () => {
    const read = '"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*"'
    const users = {
      admin: '',
      terminal: `, permissions: { publish: [${read}], subscribe: ["_INBOX.>"] }`,
      recorder: `, permissions: { publish: [${read}, "td.eu.f.1.*", "$KV.td_eu_sessions.*"], subscribe: ["_INBOX.>"] }`,
    }
    const lines = Object.entries(users).map(([user, more]) => `{ user: ${user}, password: secret${more} }`)
    const server = await startNatsServer({ config: `authorization { users: [ ${lines.join(', ')} ] }` })
    const env = { TAPEDECK_NATS_PASSWORD: 'secret' }
    const as = (user: string) => server.url.replace('//', `//${user}@`)
    const target = readNatsTarget(as('admin'), {}, env)
    const log = await connectTeam({ target, team: readTeamName('eu') as TeamName, name: 'test', allowOld: true })
    await log.ensureBuckets()
    for (const shard of [1, 2]) await log.ensureShard(shard)
    const args = (user: string, shard: string) => {
      return ['--publish', as(user), '--team', 'eu', '--allow-old-nats', '--team-shard', shard]
    }
    await expectRefusal(args('terminal', '1/2'), 'no permission for the stream TD_eu_1', env)
    await expectRefusal(args('recorder', '2/2'), 'no permission for the stream TD_eu_2', env)
    expect((await record(newStore(), args('recorder', '1/2'), env)).out).toContain('everything is in the team’s log')
    expect(await log.sessions()).toHaveLength(1)
    await log.close()
  })

  it('records while NATS is away, says so, and publishes both sessions in the next run', async () => {
    const server = await startNatsServer()
    const store = newStore()
    await server.kill()
    const away = await record(store, team(server, '--allow-old-nats'))
    expect(away).toMatchObject({ code: 0 })
    expect(away.err.match(/Not publishing to the team eu: Couldn’t reach a NATS server/g)).toHaveLength(1)
    expect(away.out).toContain('team eu, shard 1/1: 1 session isn’t in the team’s log completely')
    await server.start()
    const back = await record(store, team(server, '--allow-old-nats', '--recorder-name', 'desk 2'))
    expect(back.out).toContain('team eu, shard 1/1: everything is in the team’s log')
    const target = readNatsTarget(server.url, {}, {})
    const log = await connectTeam({ target, team: readTeamName('eu') as TeamName, name: 'test', allowOld: true })
    const reader = openLocalReader(store)
    const rows = await reader.sessions()
    expect(rows).toHaveLength(2)
    expect(
      await checkLog(
        log,
        1,
        reader,
        rows.map(({ session }) => session),
      ),
    ).toBeGreaterThan(1)
    const infos = await log.sessions()
    expect(infos.map(({ end }) => end?.clean)).toEqual([true, true])
    expect(new Set(infos.map(({ recorder }) => recorder)).has('desk 2')).toBe(true)
    await reader.close()
    await log.close()
  })
})
