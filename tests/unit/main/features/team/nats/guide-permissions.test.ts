/** The permissions that docs/guide/team.md gives to operators, recorders, archivers and terminals, on a real server. */
import { readFileSync } from 'node:fs'
import { createUser } from '@nats-io/nkeys'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { acquireLease } from '../../../../../../src/main/features/team/lease/hold.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'

const ROLES = ['TERMINAL', 'ARCHIVER', 'RECORDER', 'OPERATOR'] as const
type Role = (typeof ROLES)[number]
const GUIDE = readFileSync(new URL('../../../../../../docs/guide/team.md', import.meta.url), 'utf8')
const EU = readTeamName('eu') as TeamName // it is a name
const SESSION = sessionId('01kccccccc0000000000000001')

/** The accounts of the guide's configuration, with keys in the places of the roles, and another team's user. */
function accounts(keys: ReadonlyMap<Role | 'STRANGER', string>): string {
  const [, text = ''] = /<!-- nats-server -->\n+```\n[\s\S]*?(accounts \{[\s\S]*?)\n```/.exec(GUIDE) ?? []
  const own = ROLES.reduce((config, role) => config.replace(`nkey: ${role}`, `nkey: ${keys.get(role)}`), text)
  return own.replace(/\}\s*$/, `us { jetstream: enabled, users: [ { nkey: ${keys.get('STRANGER')} } ] }\n}`)
}

const info = (session: typeof SESSION, shard: number): SessionInfo => ({
  session,
  shard,
  shards: 2,
  recorder: 'r',
  source: { kind: 'demo', origin: '', user: '' },
  startedMs: unixMs(1_700_000_000_000),
  epoch: 0,
  end: null,
})

describe.skipIf(!hasNatsServer)('permissions [needs nats-server]', { timeout: 60_000 }, () => {
  let server: NatsServer
  const logs = new Map<string, TeamLog>()
  const as = (who: Role | 'STRANGER'): TeamLog => {
    const log = logs.get(who)
    if (log === undefined) throw new Error(`${who} isn't connected`)
    return log
  }
  beforeAll(async () => {
    const users = [...ROLES, 'STRANGER' as const].map((who) => [who, createUser()] as const)
    server = await startNatsServer({ config: accounts(new Map(users.map(([who, key]) => [who, key.getPublicKey()]))) })
    for (const [who, key] of users) {
      const env = { TAPEDECK_NATS_SEED: new TextDecoder().decode(key.getSeed()) }
      const target = readNatsTarget(server.url, {}, env)
      logs.set(who, await connectTeam({ target, team: EU, name: who, allowOld: true }))
    }
    await as('OPERATOR').ensureBuckets()
    for (const shard of [1, 2]) await as('OPERATOR').ensureShard(shard)
  })
  afterAll(() => Promise.all([...logs.values()].map((log) => log.close())))

  /** 'done', or the code of the refusal. */
  const attempt = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)),
    )
  const stop = AbortSignal.timeout(30_000)
  const readOne = async (log: TeamLog): Promise<void> => {
    for await (const _ of log.read({ shard: 1, from: { at: 'first' }, signal: stop })) return
  }
  const consumeOne = async (log: TeamLog): Promise<void> => {
    const last = await as('OPERATOR').lastOf(1, SESSION)
    await as('OPERATOR').publish(1, SESSION, Buffer.from('one more'), last?.sequence ?? 0)
    for await (const one of log.consume({ shard: 1, name: 'archive', signal: stop })) {
      await one.ack()
      return
    }
  }
  const lease = async (log: TeamLog): Promise<void> => {
    const parts = { bucket: log.bucket('leases'), clock: systemClock, recorder: 'r', shards: () => [1], signal: stop }
    await (await acquireLease(parts))?.release()
  }

  const ACTIONS: readonly (readonly [string, (log: TeamLog) => Promise<unknown>, readonly Role[]])[] = [
    ['publishes its shard', (log) => log.publish(1, SESSION, Buffer.from('frame'), 0), ['OPERATOR', 'RECORDER']],
    ['publishes another shard', (log) => log.publish(2, SESSION, Buffer.from('frame'), 0), ['OPERATOR']],
    ['describes a session', (log) => log.putSession(info(SESSION, 1)), ['OPERATOR', 'RECORDER']],
    ['holds the lease of its shard', lease, ['OPERATOR', 'RECORDER']],
    ['holds another lease', (log) => log.bucket('leases').put('2', 'x'), ['OPERATOR']],
    ['writes the plan', (log) => log.bucket('plan').put('plan', 'x'), ['OPERATOR']],
    [
      'moves a watermark',
      (log) => log.putWatermark(SESSION, { lastSeq: 1, isComplete: false }),
      ['OPERATOR', 'ARCHIVER'],
    ],
    ['reports as a recorder', (log) => log.bucket('reports').put('recorder.x', 'x'), ['OPERATOR', 'RECORDER']],
    ['reports as an archiver', (log) => log.bucket('reports').put('archiver.x', 'x'), ['OPERATOR', 'ARCHIVER']],
    ['reads what members report', (log) => log.bucket('reports').entries(), ROLES],
    ['archives', consumeOne, ['OPERATOR', 'ARCHIVER']],
    ['reads the log', readOne, ROLES],
    ['reads the last frame of a session', (log) => log.lastOf(1, SESSION), ROLES],
    ['lists sessions', (log) => log.sessions(), ROLES],
    ['reads the plan', (log) => log.bucket('plan').get('plan'), ROLES],
    ['creates a stream', (log) => log.ensureShard(3), ['OPERATOR']],
  ]
  it.each(ACTIONS)('only who may: %s', async (_, act, allowed) => {
    for (const role of ROLES) {
      const outcome = await attempt(act(as(role)))
      expect([role, outcome]).toEqual([role, allowed.includes(role) ? 'done' : 'forbidden'])
    }
  })

  it('a terminal follows the shards live', async () => {
    const live: string[] = []
    const undo = as('TERMINAL').subscribeLive('*', ({ bytes }) => live.push(Buffer.from(bytes).toString()))
    const last = await as('RECORDER').lastOf(1, SESSION)
    await expect
      .poll(async () => {
        const at = (await as('RECORDER').lastOf(1, SESSION))?.sequence ?? last?.sequence ?? 0
        await as('RECORDER').publish(1, SESSION, Buffer.from('next'), at)
        return live
      })
      .toContain('next')
    undo()
  })

  it('another team sees nothing of this one', async () => {
    expect(await attempt(as('STRANGER').sessions())).toBe('not-found')
    expect(await attempt(as('STRANGER').lastOf(1, SESSION))).toBe('not-found')
    expect(await attempt(as('STRANGER').bucket('plan').get('plan'))).toBe('not-found')
  })
})
