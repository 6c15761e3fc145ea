import { expect, it, test } from 'vitest'
import { ServerOrder } from '../../../../../../src/main/features/team/nats/next-server.ts'

const pool = (...dialed: readonly number[]) =>
  dialed.map((lastConnect, i) => ({ listen: `nats-${i + 1}:4222`, lastConnect }))

test.each([
  ['the first, before any was dialed', [0, 0, 0], 0],
  ['not the one that was just lost, which the client would try first', [500, 0, 0], 1],
  ['the next one, where that one can’t be reached either', [500, 900, 0], 2],
  ['the lost one last', [500, 900, 950], 0],
  ['the only one', [500], 0],
])('tries %s', (_, dialed, expected) => {
  const order = new ServerOrder()
  order.connected()
  const all = pool(...dialed)
  for (let i = 0; i < 2; i++) expect(order.next(all)).toBe(all[expected])
})

it('tries each once until one accepts the connection, also those that are named again', () => {
  const order = new ServerOrder()
  const all = pool(0, 0, 0)
  for (const one of all) expect(order.next(all)).toBe(one)
  expect(order.isExhausted).toBe(false)
  expect(() => order.next(all)).toThrow('every server was tried')
  expect(order.isExhausted).toBe(true)
})
