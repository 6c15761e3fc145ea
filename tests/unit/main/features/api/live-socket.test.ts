import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { LiveSockets } from '../../../../../src/main/features/api/live-socket.ts'
import { MAX_WAITING } from '../../../../../src/main/features/api/live-ticks.ts'

it('disconnects a client that goes on sending without reading the answers', () => {
  let ended = 0
  const ws = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: Infinity,
    terminate: () => void ended++,
  })
  const sockets = new LiveSockets({ subscribe: () => ({ release: () => undefined }) })
  sockets.accept(ws as unknown as WebSocket) // only what a client uses of it
  const message = Buffer.from('{"op":"unknown"}')
  for (let i = 0; i < 2 * MAX_WAITING; i++) ws.emit('message', message, false)
  expect(ended).toBe(0)
  ws.emit('message', message, false)
  expect(ended).toBe(1)
})
