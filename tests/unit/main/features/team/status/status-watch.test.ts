/** The status of a team as a terminal watches it, over a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { encodeLease } from '../../../../../../src/main/features/team/lease/lease.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { encodeReport } from '../../../../../../src/main/features/team/reports/report.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { StatusWatch } from '../../../../../../src/main/features/team/status/status-watch.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'

const A = sessionId('01kccccccc0000000000000001')
const info: SessionInfo = {
  session: A,
  shard: 1,
  shards: 1,
  recorder: 'r1',
  source: { kind: 'demo', origin: '', user: '' },
  startedMs: unixMs(1_700_000_000_000),
  epoch: 0,
  end: null,
}

describe.skipIf(!hasNatsServer)('the watched status of a team [needs nats-server]', () => {
  let server: NatsServer
  let log: TeamLog
  let isWatched = true
  let watch: StatusWatch
  let quarantine: () => Promise<ReadonlyMap<number, number> | null>
  let looks = 0
  const waits = new Set<object>()
  let n = 0
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server.kill())
  beforeEach(async () => {
    const target = readNatsTarget(server.url, {}, {})
    const team = readTeamName(`eu${++n}`) as TeamName // it is a name
    log = await connectTeam({ target, team, name: 'test', allowOld: true })
    isWatched = true
    looks = 0
    quarantine = () => Promise.resolve(null)
    watch = new StatusWatch({
      log: () => log,
      quarantine: () => quarantine(),
      // Looks again at once.
      clock: {
        ...systemClock,
        after(_ms, run) {
          const wait = {}
          waits.add(wait)
          const undo = systemClock.after(5, () => void (waits.delete(wait), run()))
          return () => void (waits.delete(wait), undo())
        },
      },
      isWatched: () => isWatched,
      changed: () => looks++,
    })
  })
  afterEach(async () => {
    watch.stop()
    await log.close()
  })

  it('says that the team is unknown, then shows what its members do as it changes', async () => {
    watch.start()
    await expect.poll(() => watch.state.problem?.message).toBe(`These servers have no data of team ${log.team}.`)
    await log.ensureBuckets()
    await log.ensureShard(1)
    await log.putSession(info)
    await expect
      .poll(() => watch.state.status?.shards[0]?.sessions[0])
      .toMatchObject({ session: A, committedSeq: null })
    expect(watch.state.problem).toBeNull()
    await log.putWatermark(A, { lastSeq: 5, isComplete: false })
    await log.bucket('leases').put('1', encodeLease({ token: 't', recorder: 'r1', epoch: null, released: false }))
    const standby = { role: 'recorder', name: 'r2', shard: null, epoch: 0, spoolBytes: 0, spoolLimitBytes: null, unpublished: 0, trouble: null, sessions: [] } as const // oxfmt-ignore
    await log.bucket('reports').put('recorder.b', encodeReport(standby))
    await expect
      .poll(() => watch.state.status)
      .toMatchObject({ shards: [{ lease: { recorder: 'r1' }, sessions: [{ committedSeq: 5 }] }], standby: ['r2'] })
    const heads = {}
    await log.putSession({ ...info, end: { endedMs: unixMs(1_700_000_001_000), clean: true, lastSeq: 5, messages: 5, entries: 0, heads } }) // oxfmt-ignore
    await expect.poll(() => watch.state.status?.shards[0]?.sessions).toEqual([])
  })

  it('says why the history can’t be read, and how much it has in quarantine once it can', async () => {
    await log.ensureBuckets()
    await log.putSession(info)
    quarantine = () => Promise.reject(new CodedError('offline', 'PostgreSQL at db isn’t there.'))
    watch.start()
    await expect.poll(() => watch.state.historyProblem?.message).toBe('PostgreSQL at db isn’t there.')
    quarantine = () => Promise.resolve(new Map([[1, 2]]))
    await expect.poll(() => watch.state.status?.shards[0]?.quarantined).toBe(2)
    expect(watch.state.historyProblem).toBeNull()
  })

  it('stops when nobody looks, and starts again', async () => {
    await log.ensureBuckets()
    watch.start()
    await expect.poll(() => watch.state.status).not.toBeNull()
    isWatched = false
    await expect.poll(() => waits.size).toBe(0)
    await log.putSession(info)
    expect(watch.state.status?.shards).toEqual([])
    isWatched = true
    watch.start()
    await expect.poll(() => watch.state.status?.shards.length).toBe(1)
  })

  it('keeps the last status while the servers are away, and reads everything again afterwards', async () => {
    await log.ensureBuckets()
    await log.ensureShard(1)
    await log.putSession(info)
    watch.start()
    await expect.poll(() => watch.state.status?.shards.length).toBe(1)
    await server.kill()
    await expect.poll(() => log.state().is).toBe('disconnected')
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 2)
    expect(watch.state).toMatchObject({ status: { shards: [{ shard: 1 }] }, problem: null })
    await server.restart()
    await expect.poll(() => log.state().is, { timeout: 10_000 }).toBe('connected')
    await log.putWatermark(A, { lastSeq: 9, isComplete: false })
    await expect.poll(() => watch.state.status?.shards[0]?.sessions[0]?.committedSeq).toBe(9)
  })
})
