import { expect, it } from 'vitest'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import { membersText } from '../../../../../src/renderer/features/team/team-labels.ts'
import { freshnessOf, spoolText, teamRows } from '../../../../../src/renderer/features/team/team-rows.ts'
import type { RecorderStatus, SessionStatus, ShardStatus } from '../../../../../src/shared/features/team/status.ts'
import type { FollowedSession } from '../../../../../src/shared/features/team/team.ts'

const session = (id: string, part: Partial<SessionStatus> = {}): SessionStatus => ({
  session: sessionId(id),
  shard: 1,
  recorder: 'r1',
  epoch: 4,
  key: null,
  startedMs: unixMs(1_000),
  endedMs: null,
  lastSeq: 10,
  committedSeq: 8,
  behind: 2,
  ageMs: 0,
  isReported: true,
  ...part,
})
const report = (name: string, part: Partial<RecorderStatus> = {}): RecorderStatus => ({
  name,
  epoch: 4,
  spoolBytes: 1e6,
  spoolLimitBytes: null,
  unpublished: 0,
  trouble: null,
  ...part,
})
const shard = (part: Partial<ShardStatus> = {}): ShardStatus => ({
  shard: 1,
  lease: { recorder: 'r1', epoch: 4 },
  symbols: 3,
  sessions: [],
  recorders: [],
  archiver: null,
  quarantined: null,
  ...part,
})
const rows = (shards: readonly ShardStatus[], followed: readonly FollowedSession[] = []) =>
  teamRows({ team: 'eu', shards, standby: [], archivers: [], problems: [] }, followed)

it('lists open sessions first, the newest at the top, and each figure of a shard or recorder once', () => {
  const sessions = [
    session('ended', { startedMs: unixMs(1), endedMs: unixMs(2) }),
    session('old', { startedMs: unixMs(3), recorder: 'r2' }),
    session('new', { startedMs: unixMs(4) }),
  ]
  const copy: FollowedSession = { session: sessionId('new'), shard: 1, recorder: 'r1', phase: 'live', seq: 10, lastMs: null, goneMs: null, why: null, signer: null, isSigning: true } // oxfmt-ignore
  const found = rows([shard({ sessions, recorders: [report('r1')] })], [copy])
  expect(found.map((row) => [row.key, row.epoch, row.report?.name ?? null, row.isFirst, row.copy?.phase])).toEqual([
    ['new', 4, 'r1', true, 'live'],
    ['old', null, null, false, undefined],
    ['ended', null, null, false, undefined],
  ])
})

it('shows the lease of two recorders with the same name once, in the row of the session that has its epoch', () => {
  const sessions = [session('before', { epoch: 3, startedMs: unixMs(1) }), session('now', { startedMs: unixMs(2) })]
  expect(rows([shard({ sessions })]).map(({ key, epoch }) => [key, epoch])).toEqual([
    ['now', 4],
    ['before', null],
  ])
})

it('shows a shard without a session by its lease, else by who reports, else as nobody’s', () => {
  const without = [
    shard({ recorders: [report('r1')] }),
    shard({ shard: 2, lease: null, recorders: [report('r2')] }),
    shard({ shard: 3, lease: null }),
  ]
  expect(rows(without).map(({ key, recorder, report: says }) => [key, recorder, says?.name])).toEqual([
    ['1', 'r1', 'r1'],
    ['2', 'r2', 'r2'],
    ['3', null, undefined],
  ])
})

it.each([
  [0, false, 'live'],
  [5_000, true, 'quiet'],
  [5_000, false, 'stale'],
  [14_999, false, 'stale'],
  [15_000, false, 'disconnected'],
  [90_000, true, 'quiet'],
  [null, false, 'disconnected'],
] as const)('an age of %s, its recorder there: %s, is %s', (ageMs, isThere, expected) => {
  expect(freshnessOf(ageMs, isThere)).toBe(expected)
})

it('shows a spool beside its limit', () => {
  const numbers = new NumberText('en-US')
  expect(spoolText(null, numbers)).toBe('—')
  expect(spoolText(report('r1'), numbers)).toBe('1.0 MB')
  expect(spoolText(report('r1', { spoolLimitBytes: 50e9 }), numbers)).toBe('1.0 MB / 50.0 GB')
})

it('counts shards, recorders that are there, and those that stand by', () => {
  const shards = [
    shard({ sessions: [session('a')], recorders: [report('r1')] }),
    shard({ shard: 2, sessions: [session('b', { shard: 2, recorder: 'r2' })] }),
  ]
  const text = (goneMs: FollowedSession['goneMs']): string =>
    membersText({ team: 'eu', shards, standby: ['r3'], archivers: [], problems: [] }, [
      { session: sessionId('b'), shard: 2, recorder: 'r2', phase: 'live', seq: 10, lastMs: null, goneMs, why: null, signer: null, isSigning: true }, // oxfmt-ignore
    ])
  expect(text(null)).toBe('2 shards, 2 recorders, 1 in standby')
  expect(text(unixMs(5))).toBe('2 shards, 1 recorder, 1 in standby')
})
