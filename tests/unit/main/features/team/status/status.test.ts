import { beforeAll, describe, expect, it } from 'vitest'
import { TEAM_LIMITS_MS } from '../../../../../../src/shared/features/team/limits.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { encodeLease } from '../../../../../../src/main/features/team/lease/lease.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import { PLAN_KEY, encodePlan } from '../../../../../../src/main/features/team/plan/document.ts'
import { makePlan } from '../../../../../../src/main/features/team/plan/plan.ts'
import type { SessionEnd, SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { ageText, teamStatus, type TeamFacts } from '../../../../../../src/main/features/team/status/status.ts'
import {
  encodeReport,
  type ArchiverReport,
  type RecorderReport,
} from '../../../../../../src/main/features/team/reports/report.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'
import { commandContext } from '../../../hosts/cli/context.ts'

const EU = readTeamName('eu') as TeamName // it is a name
const NOW = unixMs(1_700_000_000_000)
const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]
const KEY = `U${'A'.repeat(55)}`
const PLAN = makePlan(
  { symbols: new Map([['crypto/XT', ['BTC-USD', 'ETH-USD']]]), connections: [1, 1], pins: [] },
  null,
)

const info = (part: Partial<SessionInfo> = {}): SessionInfo => ({
  session: A,
  shard: 1,
  shards: 2,
  recorder: 'host-a',
  source: { kind: 'demo', origin: '', user: '' },
  startedMs: unixMs(NOW - 3_600_000),
  epoch: 4,
  end: null,
  ...part,
})
const ended = (agoMs: number, lastSeq: number): SessionEnd => ({
  endedMs: unixMs(NOW - agoMs),
  clean: true,
  lastSeq,
  messages: lastSeq,
  entries: 0,
  heads: {},
})
const lease = (recorder: string, released = false) => ({
  revision: 9,
  value: { token: 't', recorder, epoch: 4, released },
})
const recorder = (part: Partial<RecorderReport> = {}): RecorderReport => ({
  role: 'recorder',
  name: 'r1',
  shard: 1,
  epoch: 4,
  spoolBytes: 0,
  spoolLimitBytes: null,
  unpublished: 0,
  trouble: null,
  sessions: [],
  ...part,
})
const archiver = (shard: number, trouble: string | null): ArchiverReport => ({
  role: 'archiver',
  name: `db-${shard}`,
  shards: [{ shard, missing: 3, trouble }],
})
const facts = (part: Partial<TeamFacts> = {}): TeamFacts => ({
  team: EU,
  nowMs: NOW,
  plan: null,
  leases: new Map(),
  sessions: [],
  lastFrames: new Map(),
  watermarks: new Map(),
  quarantine: null,
  reports: [],
  ...part,
})

describe('the status of a team', () => {
  it('shows each shard of the plan, its lease, and how far its open session is', () => {
    const { shards, problems } = teamStatus(
      facts({
        plan: { ...PLAN, shards: PLAN.shards.map((one) => ({ ...one, symbols: { 'crypto/XT': ['A'] } })) },
        leases: new Map([
          [1, lease('host-a')],
          [2, lease('host-b', true)],
        ]),
        sessions: [info({ key: KEY })],
        lastFrames: new Map([[A, { lastSeq: 120, storedMs: unixMs(NOW - 400) }]]),
        watermarks: new Map([[A, 100]]),
      }),
    )
    expect(shards).toEqual([
      {
        shard: 1,
        lease: { recorder: 'host-a', epoch: 4 },
        symbols: 1,
        recorders: [],
        archiver: null,
        quarantined: null,
        sessions: [
          {
            session: A,
            shard: 1,
            recorder: 'host-a',
            epoch: 4,
            key: KEY,
            startedMs: NOW - 3_600_000,
            endedMs: null,
            lastSeq: 120,
            committedSeq: 100,
            behind: 20,
            ageMs: 400,
            isReported: false,
          },
        ],
      },
      { shard: 2, lease: null, symbols: 1, quarantined: null, sessions: [], recorders: [], archiver: null },
    ])
    expect(problems).toEqual(['Shard 2 has no recorder.'])
  })

  it('misses a recorder as soon as the alarm does, unless one has the lease, reports or sends frames', () => {
    const silent = (ageMs: number): TeamFacts =>
      facts({
        plan: { ...PLAN, shards: [{ ...PLAN.shards[0], symbols: { 'crypto/XT': ['A'] } }] },
        sessions: [info()],
        lastFrames: new Map([[A, { lastSeq: 1, storedMs: unixMs(NOW - ageMs) }]]),
      })
    const missing = 'Shard 1 has no recorder.'
    expect(teamStatus(silent(TEAM_LIMITS_MS.gone)).problems).toContain(missing)
    expect(teamStatus(silent(TEAM_LIMITS_MS.gone - 1)).problems).not.toContain(missing)
    for (const there of [{ reports: [recorder({ shard: 1 })] }, { leases: new Map([[1, lease('host-b')]]) }])
      expect(teamStatus({ ...silent(TEAM_LIMITS_MS.gone), ...there }).problems).not.toContain(missing)
  })

  it('waits for reports before it says that nobody archives: servers that come back have lost them', () => {
    const known = { ...recorded, sessions: [info()], watermarks: new Map([[A, 100]]) }
    expect(teamStatus(facts(known)).problems).toEqual([])
    expect(teamStatus(facts({ ...known, reports: [recorder()] })).problems).toEqual([
      'Nobody archives shard 1. Start tapedeck archive, or check that it reaches PostgreSQL.',
    ])
  })

  it('names an archiver once while the report of its last run is still there, and knows no watermark from none', () => {
    const { archivers, shards } = teamStatus(
      facts({ sessions: [info()], lastFrames: recorded.lastFrames, reports: [archiver(1, null), archiver(1, null)] }),
    )
    expect(archivers).toEqual(['db-1'])
    expect(shards[0].sessions).toMatchObject([{ lastSeq: 120, committedSeq: null, behind: null }])
  })

  const recorded = { lastFrames: new Map([[A, { lastSeq: 120, storedMs: unixMs(NOW - 400) }]]) }
  const cases: readonly (readonly [string, Partial<TeamFacts>, readonly string[]])[] = [
    ['an empty team', {}, []],
    [
      'a complete session, which isn’t listed',
      { sessions: [info({ end: ended(9e6, 7) })], watermarks: new Map([[A, 7]]) },
      [],
    ],
    [
      'an ended session whose last frames are on their way',
      { sessions: [info({ end: ended(1_000, 7) })], reports: [archiver(1, null)] },
      [],
    ],
    [
      'an ended session that the history lacks a part of',
      { sessions: [info({ end: ended(300_000, 7) })], watermarks: new Map([[A, 6]]), reports: [archiver(1, null)] },
      [`Session ${A} has ended, and the history lacks its last 1 seq.`],
    ],
    [
      'a session that has ended, without its watermark',
      { sessions: [info({ end: ended(300_000, 7) })], reports: [archiver(1, null)] },
      [`Session ${A} has ended, and it isn’t known yet how much of it the history has.`],
    ],
    [
      'a shard recorded without a lease',
      {
        plan: PLAN,
        sessions: [info(), info({ session: B, shard: 2 })],
        lastFrames: new Map([...recorded.lastFrames, [B, { lastSeq: 1, storedMs: NOW }]]),
      },
      [],
    ],
    [
      'a recorder that is silent',
      {
        sessions: [info()],
        lastFrames: new Map([[A, { lastSeq: 1, storedMs: unixMs(NOW - 180_000) }]]),
        reports: [archiver(1, null)],
      },
      [
        `Session ${A} of shard 1 is open, and host-a sent nothing for 3 min. Start it again on its machine: it publishes the rest once it records a shard.`,
      ],
    ],
    [
      'a recorder that is silent, whose shard another one of the same name records',
      {
        sessions: [info(), info({ session: B, startedMs: NOW })],
        lastFrames: new Map([
          [A, { lastSeq: 1, storedMs: unixMs(NOW - 180_000) }],
          [B, { lastSeq: 1, storedMs: NOW }],
        ]),
        reports: [recorder({ name: 'host-a', sessions: [B] }), archiver(1, null)],
      },
      [
        `Session ${A} of shard 1 is open, and host-a sent nothing for 3 min. Start it again on its machine: it publishes the rest once it records a shard.`,
      ],
    ],
    [
      'a recorder that receives nothing, and says that it is there',
      {
        sessions: [info()],
        lastFrames: new Map([[A, { lastSeq: 1, storedMs: unixMs(NOW - 180_000) }]]),
        reports: [recorder({ name: 'host-a', sessions: [A] }), archiver(1, null)],
      },
      [],
    ],
    [
      'two recorders of one shard',
      {
        sessions: [info({ session: B, recorder: 'host-b', startedMs: NOW }), info()],
        lastFrames: new Map([...recorded.lastFrames, [B, { lastSeq: 1, storedMs: NOW }]]),
      },
      ['Shard 1 is recorded 2 times: by host-a and host-b.'],
    ],
    [
      'a recorder that took over from one that died a moment ago',
      {
        sessions: [info(), info({ session: B, recorder: 'host-b', startedMs: NOW })],
        lastFrames: new Map([
          [A, { lastSeq: 9, storedMs: unixMs(NOW - 8_000) }],
          [B, { lastSeq: 1, storedMs: NOW }],
        ]),
      },
      [],
    ],
    [
      'a recorder that can’t publish',
      { reports: [recorder({ trouble: 'The stream is full. Make room.' })] },
      ['r1 isn’t publishing shard 1: The stream is full. Make room.'],
    ],
    ['a spool below half of its limit', { reports: [recorder({ spoolBytes: 4e9, spoolLimitBytes: 10e9 })] }, []],
    [
      'a spool over half of its limit',
      { reports: [recorder({ spoolBytes: 5e9, spoolLimitBytes: 10e9 })] },
      ['r1 keeps 5.0 GB that the history lacks, more than half of its limit of 10.0 GB. Check that an archiver runs.'],
    ],
    [
      'a spool over its limit',
      { reports: [recorder({ spoolBytes: 0.6e9, spoolLimitBytes: 0.5e9 })] },
      ['r1 keeps 600.0 MB that the history lacks, more than its limit of 500.0 MB. Check that an archiver runs.'],
    ],
    [
      'a shard whose archiver has stopped',
      { sessions: [info()], reports: [archiver(1, 'Shard 1 stopped.'), archiver(2, null)] },
      ['Shard 1 stopped.'],
    ],
    [
      'shards that nobody archives',
      {
        sessions: [info({ end: ended(1_000, 7) }), info({ session: B, shard: 2, end: ended(1_000, 7) })],
        watermarks: new Map([[A, 0]]),
      },
      ['Nobody archives shards 1, 2. Start tapedeck archive, or check that it reaches PostgreSQL.'],
    ],
    [
      'a team that never had an archiver',
      { ...recorded, sessions: [info()], reports: [recorder()] },
      ['Nobody archives this team, so its recorders keep everything they record. Start tapedeck archive.'],
    ],
    [
      'frames in quarantine',
      { ...recorded, sessions: [info()], quarantine: new Map([[1, 2]]), reports: [archiver(1, null)] },
      ['2 frames of shard 1 didn’t match their hash chain and are in quarantine.'],
    ],
  ]
  it.each(cases)('%s', (_, part, problems) => {
    expect(teamStatus(facts(part)).problems).toEqual(problems)
  })

  it('shows what recorders and archivers say about themselves, and who stands by', () => {
    const { shards, standby, archivers } = teamStatus(
      facts({
        reports: [
          recorder({ spoolBytes: 7, unpublished: 2 }),
          recorder({ name: 'r3', shard: null }),
          recorder({ name: 'r2', shard: null }),
          archiver(1, null),
        ],
      }),
    )
    expect(shards).toMatchObject([
      {
        shard: 1,
        recorders: [{ name: 'r1', epoch: 4, spoolBytes: 7, spoolLimitBytes: null, unpublished: 2, trouble: null }],
        archiver: { name: 'db-1', missing: 3, trouble: null },
      },
    ])
    expect([standby, archivers]).toEqual([['r2', 'r3'], ['db-1']])
  })

  it.each([
    [400, '0.4 s'],
    [12_345, '12 s'],
    [725_000, '12 min'],
    [7_300_000, '2 h'],
  ])('writes %s ms as %s', (ms, text) => {
    expect(ageText(ms)).toBe(text)
  })
})

describe.skipIf(!hasNatsServer)('tapedeck team [needs nats-server]', () => {
  let server: NatsServer
  beforeAll(async () => {
    server = await startNatsServer()
  })
  const team = async (...more: string[]) => {
    const context = commandContext()
    const args = ['team', '--team', 'eu', '--upstream', server.url, '--allow-old-nats', ...more]
    return { code: await runCommandLine(args, context), out: context.output(), err: context.errors() }
  }

  it('says that nobody has used the team, then prints a row for each shard and session', async () => {
    expect(await team()).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('These servers have no data of team eu.') as string,
    })
    const log = await connectTeam({
      target: readNatsTarget(server.url, {}, {}),
      team: EU,
      name: 'test',
      allowOld: true,
    })
    await log.ensureBuckets()
    await log.ensureShard(1)
    await log.bucket('plan').put(PLAN_KEY, encodePlan(PLAN))
    const epoch = await log
      .bucket('leases')
      .put('1', encodeLease({ token: 't', recorder: 'host-a', epoch: null, released: false }))
    await log.putSession(info({ epoch, key: KEY }))
    await log.putWatermark(A, { lastSeq: 5, isComplete: false })
    await log.putSession(info({ session: B, epoch }))
    await log.bucket('watermarks').put(B, 'damaged')
    const reports = log.bucket('reports')
    await reports.put('recorder.a', encodeReport(recorder({ name: 'host-a', spoolBytes: 2.5e6 })))
    await reports.put('recorder.b', encodeReport(recorder({ name: 'host-b', shard: null })))
    await reports.put('recorder.c', '{"version":2}')
    await reports.put('archiver.d', encodeReport(archiver(1, null)))
    await log.close()
    const { code, out, err } = await team()
    expect([code, err]).toEqual([0, ''])
    const [title, headings, first, unknown, second] = out.split('\n')
    expect(title).toBe('Team eu')
    expect(headings).toMatch(/^shard {2}recorder .* last frame$/)
    expect(first).toMatch(new RegExp(`^ +1 {2}host-a +${epoch} +\\d {2}${A} +0 +5 +0 +3 +2\\.5 MB +–$`))
    expect(unknown).toMatch(new RegExp(`${B} +0 +not known yet +– +3 +2\\.5 MB +–$`))
    expect(second).toMatch(/^ +2 {2}– /)
    expect(out).toContain(`\nKeys with which recorders sign:\n${KEY} host-a\n\n`)
    expect(out).toContain('\nIn standby: host-b.\nArchiving: db-1.\n')
    expect(JSON.parse((await team('--json')).out)).toMatchObject({ team: 'eu', shards: [{ shard: 1 }, { shard: 2 }] })
  })

  it('refuses a history with a password in its URL', async () => {
    const refused = await team('--history', 'postgres://me:secret@db/td')
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('PGPASSWORD')])
  })
})
