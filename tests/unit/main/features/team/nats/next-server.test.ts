import { expect, test } from 'vitest'
import { nextServer } from '../../../../../../src/main/features/team/nats/next-server.ts'

test.each([
  ['the first, before any was dialed', [0, 0, 0], 0],
  ['not the one that was just lost, which the client would try first', [500, 0, 0], 1],
  ['the next one, where that one can’t be reached either', [500, 900, 0], 2],
  ['the lost one last', [500, 900, 950], 0],
  ['the only one', [500], 0],
])('tries %s', (_, dialed, expected) => {
  expect(nextServer(dialed.map((lastConnect) => ({ lastConnect })))).toBe(expected)
})
