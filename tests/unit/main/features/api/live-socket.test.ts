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

it('follows a limited number of symbols of a feed, however many messages name them', () => {
  const sent: string[] = []
  const ws = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string) => void sent.push(text),
  })
  const asked: number[] = []
  const sockets = new LiveSockets({
    subscribe(_feed, symbols) {
      asked.push(symbols.length)
      return { release: () => undefined }
    },
  })
  sockets.accept(ws as unknown as WebSocket) // only what a client uses of it
  const subscribe = (from: number, count: number): void => {
    const symbols = Array.from({ length: count }, (_, i) => `S${from + i}`)
    ws.emit('message', Buffer.from(JSON.stringify({ op: 'subscribe', feed: 'crypto/XT', symbols })), false)
  }
  subscribe(0, 600)
  subscribe(300, 600)
  subscribe(900, 101)
  subscribe(900, 100)
  expect(asked).toEqual([600, 900, 1_000])
})
