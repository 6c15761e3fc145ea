import { describe, expect, test } from 'vitest'
import {
  countGaps,
  GAP_CAUSES,
  matchesSource,
  readTeamKey,
  sourceKey,
  teamKey,
  teamSource,
} from '../../../../../src/shared/core/recording/session.ts'

test('every gap counts but the ordinary edges of a recording', () => {
  expect(countGaps([])).toBe(0)
  expect(countGaps([{ cause: 'connect' }, { cause: 'quit' }])).toBe(0)
  expect(countGaps([{ cause: 'connect' }, { cause: 'drop' }, { cause: 'drop' }, { cause: 'quit' }])).toBe(2)
  expect(countGaps(GAP_CAUSES.map((cause) => ({ cause })))).toBe(GAP_CAUSES.length - 2)
})

describe('source keys of a team', () => {
  test('name the team and the shard', () => {
    expect(sourceKey(teamSource('eu', 2))).toBe('team:2@eu')
    expect(readTeamKey('team:2@eu')).toEqual({ team: 'eu', shard: '2' })
    expect(readTeamKey(teamKey('eu'))).toEqual({ team: 'eu', shard: '*' })
    for (const key of ['demo', 'service:you@https://data.example.com', 'import:team:2@eu', 'team:x@eu']) {
      expect(readTeamKey(key), key).toBeNull()
    }
  })

  test.each([
    ['team:2@eu', 'team:2@eu', true],
    ['team:2@eu', 'team:3@eu', false],
    ['team:2@eu', 'team:*@eu', true],
    ['team:2@us', 'team:*@eu', false],
    ['team:2@eu', 'demo', false],
    ['service:team:*@eu', 'team:*@eu', false],
    ['service:2@eu', 'service:2@eu', true],
    ['service:2@eu', 'service:*@eu', false],
  ])('%s belongs to %s: %s', (key, wanted, expected) => {
    expect(matchesSource(key, wanted)).toBe(expected)
  })
})
