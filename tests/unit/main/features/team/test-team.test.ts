/** The connection test of a team, without servers. */
import { describe, expect, it } from 'vitest'
import type { TeamAddress } from '../../../../../src/main/features/team/access.ts'
import { readTeamName, type TeamName } from '../../../../../src/main/features/team/names.ts'
import { readNatsTarget } from '../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../src/main/features/team/nats/team-log.ts'
import { testTeam } from '../../../../../src/main/features/team/test-team.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'

const ADDRESS: TeamAddress = {
  team: readTeamName('us') as TeamName, // it is a name
  target: readNatsTarget('nats://a', {}, {}),
  history: null,
  allowOld: false,
  trusted: null,
}

describe('the connection test of a team', () => {
  it('says that the servers don’t know the team, in the words of tapedeck team', async () => {
    const log = {
      serverVersion: '2.12.0',
      sessions: () =>
        Promise.reject(new CodedError('not-found', 'The NATS server doesn’t have the bucket td_us_sessions.')),
      close: () => Promise.resolve(),
    } as Partial<TeamLog> as TeamLog // what the test uses
    const steps = await testTeam(
      () => Promise.resolve(ADDRESS),
      () => Promise.resolve(log),
      () => Promise.resolve(null),
    )
    expect(steps).toEqual([
      { step: 'servers', ok: true, text: 'Connected to a:4222, nats-server 2.12.0.' },
      {
        step: 'team',
        ok: false,
        text: 'These servers have no data of team us. Check the name. The first recorder with --publish, or tapedeck plan --write, creates it.',
      },
    ])
  })
})
