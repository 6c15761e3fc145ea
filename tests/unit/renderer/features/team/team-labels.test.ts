import { describe, expect, it } from 'vitest'
import { feedIn } from '../../../../kit/status.ts'
import { countedFeeds, sourcePill } from '../../../../../src/renderer/core/account/source-labels.ts'
import { noRoomFor } from '../../../../../src/renderer/core/market/no-room.ts'
import { teamStatus } from '../../../../../src/renderer/features/team/team-labels.ts'
import { instrumentId, sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import type { FeedState, FeedStatus, Reason, StatusState } from '../../../../../src/shared/core/status/status.ts'
import type { FollowPhase, TeamLink, TeamState } from '../../../../../src/shared/features/team/team.ts'

const WHY: Reason = { code: 'offline', message: 'Away.', hint: '', closeCode: null }
const OPEN: FeedState = { is: 'open', sinceMs: unixMs(0) }
const LOST: FeedState = { is: 'waiting', untilMs: unixMs(0), attempt: 1, why: WHY }
const IDLE: FeedState = { is: 'idle' }

const feed = (id: FeedId, state: FeedState, acknowledged: string[], missing: string[]): FeedStatus =>
  feedIn(id, state, { acknowledged, missing })
const status = (feeds: readonly FeedStatus[], more: Partial<StatusState> = {}): StatusState =>
  ({ source: 'team', origin: 'eu', feeds, ...more }) as StatusState // the rest isn't read

describe('the source of a team', () => {
  const recorded = feed('crypto/XT', OPEN, ['BTC-USD'], ['ETH-USD'])
  const unrecorded = feed('stocks/T', IDLE, [], ['AAPL'])

  it.each<[title: string, feeds: readonly FeedStatus[], more: Partial<StatusState>, label: string, sentence: string]>([
    ['live, whatever nobody records', [recorded, unrecorded], {}, 'LIVE', 'Live from team eu.'],
    [
      'never live if a recorder records the demo market',
      [recorded],
      { isSimulated: true },
      'DEMO',
      'Team eu records the demo market: its prices are not live.',
    ],
    [
      'offline without servers',
      [{ ...recorded, state: LOST }],
      {},
      'OFFLINE',
      'Not connected to team eu. No prices are live.',
    ],
    [
      'not live without a recorder',
      [unrecorded],
      {},
      'NO RECORDER',
      'No recorder of team eu can be seen. No prices are live.',
    ],
  ])('is %s', (_title, feeds, more, label, sentence) => {
    expect(sourcePill(status(feeds, more), true)).toMatchObject({ label, sentence })
  })

  it('counts only feeds that a recorder receives', () => {
    expect(countedFeeds(status([recorded, unrecorded])).map((one) => one.feed)).toEqual(['crypto/XT'])
  })

  it('names the symbols that no recorder records', () => {
    const now = status([recorded, unrecorded])
    expect(noRoomFor(now, instrumentId('crypto', 'BTC-USD'))).toBeNull()
    expect(noRoomFor(now, instrumentId('crypto', 'ETH-USD'))).toMatchObject({
      title: 'No recorder of team eu records it',
      short: 'Not recorded by team eu',
    })
    expect(noRoomFor(now, instrumentId('stocks', 'AAPL'))?.text).toContain('stocks/T')
    // Before the first session is seen, nothing is known.
    expect(noRoomFor(status([unrecorded]), instrumentId('stocks', 'AAPL'))).toBeNull()
  })
})

describe('the status of a team', () => {
  const team = (link: TeamLink, phases: readonly FollowPhase[], lagMs: number | null = 12): NonNullable<TeamState> => ({
    name: 'eu',
    isGiven: false,
    servers: 'nats:4222',
    history: null,
    link,
    problem: null,
    lagMs,
    sessions: phases.map((phase, i) => ({
      session: sessionId(`s${i}`),
      shard: 1,
      recorder: 'paris',
      phase,
      seq: 1,
      lastMs: null,
      goneMs: null,
      why: null,
      signer: null,
      isSigning: true,
    })),
    isTrusting: false,
  })
  const connected: TeamLink = { is: 'connected', server: 'nats:4222' }

  it.each<[state: NonNullable<TeamState>, text: string, tone: string]>([
    [team(connected, ['live', 'live']), 'Team eu, 12 ms behind', 'ok'],
    [team({ is: 'lost', sinceMs: unixMs(0), why: WHY }, ['lost']), 'Upstream lost: prices are aging', 'bad'],
    [team({ is: 'failed', why: WHY }, []), 'Not connected to team eu', 'bad'],
    [team({ is: 'connecting' }, []), 'Connecting to team eu', 'busy'],
    [team(connected, ['live', 'stopped']), 'Team eu: 1 session stopped', 'bad'],
    [team(connected, ['live', 'catching up']), 'Team eu: catching up', 'busy'],
    [team(connected, ['waiting']), 'Team eu: waiting', 'busy'],
    [team(connected, [], null), 'Team eu: nothing is recorded', 'busy'],
    [{ ...team(connected, ['live']), problem: WHY }, 'Team eu: sessions unknown', 'bad'],
  ])('%#', (state, text, tone) => {
    expect(teamStatus(state, '12 ms', String)).toEqual({ text, tone })
  })

  it('names the recorder that is gone, unless another one has its shard', () => {
    const state = team(connected, ['live', 'live', 'live'])
    const [one, two, three] = state.sessions
    const gone = (ms: number) => ({ goneMs: unixMs(ms) })
    const text = (...sessions: typeof state.sessions) => teamStatus({ ...state, sessions }, '12 ms', String).text
    const other = { ...two, shard: 2, recorder: 'tokyo' }
    expect(text({ ...one, ...gone(9) }, other)).toBe('Recorder paris gone since 9')
    expect(text({ ...one, ...gone(9) }, { ...other, ...gone(7) })).toBe('Recorder tokyo gone since 7, and 1 more')
    expect(text({ ...one, ...gone(9) }, three, other)).toBe('Team eu, 12 ms behind')
  })
})
