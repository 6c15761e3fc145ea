/** A team's history as its terminal opens it. */
import { expect, it } from 'vitest'
import { manualClock } from '../../../../kit/clock.ts'
import type { TeamAddress } from '../../../../../src/main/features/team/access.ts'
import type { History } from '../../../../../src/main/features/team/history/history.ts'
import { readTeamName, type TeamName } from '../../../../../src/main/features/team/names.ts'
import { readNatsTarget } from '../../../../../src/main/features/team/nats/target.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { ConnectionState, TeamBucket, TeamLog } from '../../../../../src/main/features/team/nats/team-log.ts'
import { Team, type TeamLinkParts } from '../../../../../src/main/features/team/team-link.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'

const ADDRESS: TeamAddress = {
  team: readTeamName('eu') as TeamName, // it is a name
  target: readNatsTarget('nats://nats-1', {}, {}),
  history: { url: 'postgres://db-1/td', place: 'db-1/td' },
  allowOld: false,
  trusted: null,
}

it('is opened when something reads it, once for all who ask, and says why it can’t be', async () => {
  let isThere = false
  let opened = 0
  let closed = 0
  const connecting = Promise.withResolvers<void>()
  const history = { close: () => Promise.resolve(void closed++) } as Partial<History> as History // nothing else is asked
  const parts: Partial<TeamLinkParts> = {
    address: () => Promise.resolve(ADDRESS),
    name: 'eu',
    isGiven: true,
    clock: manualClock(0),
    log: () => undefined,
    changed: () => undefined,
    connect() {
      connecting.resolve()
      return new Promise(() => undefined)
    },
    async openHistory() {
      await Promise.resolve()
      if (!isThere) throw new CodedError('offline', 'PostgreSQL isn’t there.')
      opened++
      return history
    },
  }
  const market = { follow: () => undefined, storeFailed: () => undefined }
  const live = { showFeeds: () => undefined } as Partial<TeamLinkParts['live']> as TeamLinkParts['live'] // nothing else is used
  const team = new Team({ ...parts, market, live } as Partial<TeamLinkParts> as TeamLinkParts)
  await connecting.promise
  await expect(team.openHistory()).rejects.toThrow('PostgreSQL isn’t there.')
  isThere = true
  expect(await Promise.all([team.openHistory(), team.openHistory()])).toEqual([history, history])
  expect(await team.openHistory()).toBe(history)
  expect([opened, closed, team.state.history]).toEqual([1, 0, 'db-1/td'])
})

it('isn’t read while the team’s archivers use another database', async () => {
  let claimed = 'another'
  let isLost = false
  const reading = Promise.withResolvers<void>()
  const history = { team: 'eu', place: 'db-1/td', id: () => Promise.resolve('mine') } as Partial<History> as History // nothing else is asked
  const bucket = {
    get: () => Promise.resolve({ key: 'history', value: claimed, revision: 1 }),
  } as Partial<TeamBucket> as TeamBucket // nothing else is used
  const log = {
    state: (): ConnectionState => (isLost ? { is: 'disconnected', why: null } : { is: 'connected', server: 'nats-1' }),
    onState: () => () => undefined,
    bucket: () => bucket,
    close: () => Promise.resolve(),
  } as Partial<TeamLog> as TeamLog // nothing else is used until the store is read
  const warnings: string[] = []
  const reader = {
    sessions() {
      reading.resolve()
      return new Promise(() => undefined)
    },
  } as Partial<StoreReader> as StoreReader // nothing else is read
  const market = { follow: () => undefined, storeFailed: () => undefined }
  const live = { showFeeds: () => undefined } as Partial<TeamLinkParts['live']> as TeamLinkParts['live'] // nothing else is used
  const team = new Team({
    address: () => Promise.resolve(ADDRESS),
    name: 'eu',
    isGiven: true,
    clock: manualClock(0),
    log: (level, _from, text) => void warnings.push(`${level}: ${text}`),
    changed: () => undefined,
    connect: () => Promise.resolve(log),
    openHistory: () => Promise.resolve(history),
    market,
    live,
    reader,
  } as Partial<TeamLinkParts> as TeamLinkParts)
  await reading.promise
  const refusal = 'The history of team eu is another database, not db-1/td.'
  expect(warnings).toEqual([`warn: Can’t read the history of team eu: ${refusal}`])
  await expect(team.openHistory()).rejects.toThrow(refusal)
  isLost = true
  expect(await team.openHistory()).toBe(history)
  isLost = false
  claimed = 'mine'
  expect(await team.openHistory()).toBe(history)
})
