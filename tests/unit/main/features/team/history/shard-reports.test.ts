import { expect, it } from 'vitest'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { ShardReports } from '../../../../../../src/main/features/team/history/shard-reports.ts'

const [A, B] = [sessionId('a'), sessionId('b')]

it('reports shards that are held, what they wait for, and why one has stopped', () => {
  const reports = new ShardReports()
  reports.begin(1)
  reports.begin(2)
  reports.reread(1)
  reports.reread(1)
  expect(reports.wait(1, A, 'A waits.')).toBe(true)
  expect(reports.wait(1, A, 'A waits.')).toBe(false)
  expect(reports.wait(1, B, 'B waits.')).toBe(true)
  reports.stop(2, 'Shard 2 stopped.')
  reports.end(2)
  expect(reports.read()).toEqual([
    { shard: 1, missing: 2, trouble: 'A waits.' },
    { shard: 2, missing: 0, trouble: 'Shard 2 stopped.' },
  ])
  reports.commit(1, A)
  expect(reports.read()[0].trouble).toBe('B waits.')
  reports.commit(1, B)
  expect(reports.read()[0].trouble).toBeNull()
  reports.end(1)
  expect(reports.read().map(({ shard }) => shard)).toEqual([2])
})
