import { expect, it } from 'vitest'
import { LogPlaces } from '../../../../../../src/main/features/team/follow/log-places.ts'

it('knows where what isn’t stored begins in the log', () => {
  const places = new LogPlaces()
  expect(places.before(100)).toBeNull()
  for (const n of [1, 2, 3, 4]) places.note({ lastSeq: 10 * n, sequence: 100 + n }, 20)
  expect(places.before(40)).toEqual({ sequence: 104 })
  expect(places.before(35)).toEqual({ sequence: 103 })
  expect(places.before(20)).toEqual({ sequence: 102 })
  // Nobody reads again what was stored before.
  expect(places.before(19)).toBeNull()
  places.note({ lastSeq: 50, sequence: 105 }, 50)
  expect(places.before(49)).toBeNull()
  expect(places.before(50)).toEqual({ sequence: 105 })
})

it('forgets the places of a stream that was made again', () => {
  const places = new LogPlaces()
  for (const n of [1, 2, 3]) places.note({ lastSeq: 10 * n, sequence: 100 + n }, 0)
  places.note({ lastSeq: 20, sequence: 1 }, 0)
  expect(places.before(30)).toEqual({ sequence: 1 })
  expect(places.before(10)).toEqual({ sequence: 101 })
})
