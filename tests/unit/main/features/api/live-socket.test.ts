import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { KIND, scratch } from '../../../../../src/service/codec.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { MAX_FOLLOWED } from '../../../../../src/main/features/api/followed-symbols.ts'
import { LiveSockets } from '../../../../../src/main/features/api/live-socket.ts'
import { MAX_WAITING } from '../../../../../src/main/features/api/live-ticks.ts'
import { manualClock } from '../../../../kit/clock.ts'

/** A client that the test plays, with what was sent to it and the symbols that it had subscribed to at the feeds. */
function connect({ unread = 0 }: { readonly unread?: number } = {}) {
  const clock = manualClock(0)
  const sent: string[] = []
  const told = { ended: 0, isPaused: false, asked: 0, subscribed: 0 }
  const closed: (readonly [EventEmitter, number])[] = []
  const create = () => {
    const one = Object.assign(new EventEmitter(), {
      OPEN: 1,
      readyState: 1,
      bufferedAmount: unread,
      send(text: string, written?: () => void) {
        sent.push(text)
        written?.()
      },
      terminate: () => void told.ended++,
      pause: () => void (told.isPaused = true),
      resume: () => void (told.isPaused = false),
      ping: () => undefined,
      close(code: number) {
        one.readyState = 2
        closed.push([one, code])
      },
    })
    return one
  }
  const ws = create()
  const feeds = {
    subscribe(_feed: string, symbols: readonly string[]) {
      told.asked += symbols.length
      told.subscribed += symbols.length
      return { release: () => void (told.subscribed -= symbols.length) }
    },
  }
  const sockets = new LiveSockets(feeds, clock)
  sockets.accept(ws as unknown as WebSocket) // only what a client uses of it
  const another = () => {
    const one = create()
    sockets.accept(one as unknown as WebSocket) // only what a client uses of it
    return one
  }
  const say = (message: object, by: EventEmitter = ws): void =>
    void by.emit('message', Buffer.from(JSON.stringify(message)), false)
  return { sockets, ws, clock, sent, told, closed, say, another }
}

const symbols = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `S${from + i}`)
const subscribe = (from: number, count: number) => ({
  op: 'subscribe',
  feed: 'crypto/XT',
  symbols: symbols(from, count),
})

it('disconnects a client that goes on sending without reading the answers', () => {
  const { told, say } = connect({ unread: Infinity })
  for (let i = 0; i < 2 * MAX_WAITING; i++) say({ op: 'unknown' })
  expect(told.ended).toBe(0)
  say({ op: 'unknown' })
  expect(told.ended).toBe(1)
})

it('disconnects it sooner if the answers are long lists of symbols', () => {
  const { told, say } = connect({ unread: Infinity })
  say(subscribe(0, 1_000))
  for (let i = 1; i < 2_000; i++) say(subscribe(0, 1))
  expect(told.ended).toBe(0)
  say(subscribe(0, 1))
  expect(told.ended).toBe(1)
})

it('follows a limited number of symbols of a feed, however many messages name them', () => {
  const { told, say } = connect()
  say(subscribe(0, 600))
  say(subscribe(300, 600))
  say(subscribe(900, 101))
  expect(told.subscribed).toBe(900)
  say(subscribe(900, 100))
  expect(told.subscribed).toBe(1_000)
  say({ op: 'unsubscribe', feed: 'crypto/XT', symbols: symbols(0, 999) })
  expect(told.subscribed).toBe(1)
})

it('asks the feeds for nothing again that a client repeats', () => {
  const { told, say } = connect()
  say(subscribe(0, 1_000))
  for (let i = 0; i < 500; i++) say(subscribe(0, 1_000))
  expect(told.asked).toBe(1_000)
})

it('lets a client wait that sends more than it can take in its turn', () => {
  const { told, say, clock } = connect()
  for (let i = 0; i < 999; i++) say({ op: 'credit', messages: 1 })
  expect(told.isPaused).toBe(false)
  say({ op: 'credit', messages: 1 })
  expect(told.isPaused).toBe(true)
  clock.advance(50)
  expect(told.isPaused).toBe(false)
  // A thousand symbols take five turns.
  say(subscribe(0, 1_000))
  expect(told.isPaused).toBe(true)
  clock.advance(200)
  expect(told.isPaused).toBe(true)
  clock.advance(50)
  expect(told.isPaused).toBe(false)
  clock.advance(50)
  expect(clock.timers).toBe(0)
})

it('limits the symbols of all clients together, because each one takes time in every plan', () => {
  const first = connect()
  const more = Array.from({ length: 39 }, () => first.another())
  const each = [first.ws, ...more]
  each.forEach((ws, i) => first.say(subscribe(1_000 * i, 1_000), ws))
  expect(first.told.subscribed).toBe(MAX_FOLLOWED)
  // What another client follows already takes no room.
  first.say(subscribe(0, 1_000), each[39])
  expect(first.told.subscribed).toBe(MAX_FOLLOWED + 1_000)
  first.say({ op: 'unsubscribe', feed: 'crypto/XT', symbols: symbols(1_000, 999) }, each[1])
  each[2].emit('close')
  // The planner keeps what was released for five seconds.
  first.clock.advance(4_999)
  first.say(subscribe(50_000, 1), each[38])
  expect(first.told.subscribed).toBe(MAX_FOLLOWED - 999)
  first.clock.advance(1)
  first.say(subscribe(50_000, 999), each[38])
  first.say(subscribe(60_000, 1_000), each[37])
  expect(first.told.subscribed).toBe(MAX_FOLLOWED + 1_000)
  first.say(subscribe(70_000, 1), each[36])
  expect(first.told.subscribed).toBe(MAX_FOLLOWED + 1_000)
})

it('leaves no timer and no subscription behind when a client leaves', () => {
  const { told, say, clock, ws } = connect()
  say(subscribe(0, 10))
  ws.emit('close')
  expect(told.subscribed).toBe(0)
  expect(clock.timers).toBe(0)
})

it('writes a limited number of long answers in a turn', async () => {
  const { say, sent } = connect()
  say(subscribe(0, 1_000))
  for (let i = 0; i < 100; i++) say(subscribe(0, 1))
  await new Promise(setImmediate)
  expect(sent.length).toBe(10)
})

it('refuses symbols with control characters or half of a character, which no service has', async () => {
  const { say, sent, told } = connect()
  for (const symbol of ['A\u0000', '\ud800', ' '.repeat(65), '']) say({ ...subscribe(0, 1), symbols: [symbol] })
  await new Promise(setImmediate)
  expect(sent.map((text) => (JSON.parse(text) as { code: string }).code)).toEqual(Array(4).fill('bad-arguments'))
  expect(told.asked).toBe(0)
})

describe('64 clients', () => {
  /** All places taken: by the client that a test plays, and by others that follow the market and have credit. */
  function fill() {
    const market = connect()
    const others = Array.from({ length: 63 }, () => market.another())
    for (const ws of others) market.say(subscribe(0, 1), ws)
    for (const ws of others) market.say({ op: 'credit', messages: 1 }, ws)
    return { ...market, others }
  }

  it('take all places, until one leaves', () => {
    const { sockets, ws } = fill()
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
    ws.emit('close')
    sockets.makeRoom()
  })

  it.each([
    ['follows nothing', []],
    ['grants no credit', [subscribe(5, 1)]],
  ])('keep no place for one that %s for 30 seconds', (_what, messages) => {
    const { sockets, ws, clock, say, told, closed } = fill()
    for (const message of messages) say(message)
    const before = told.subscribed
    clock.advance(29_999)
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
    clock.advance(1)
    sockets.makeRoom()
    expect(closed).toEqual([[ws, 1013]])
    expect(told.subscribed).toBe(before - messages.length)
    // What it had sent before it knew changes nothing.
    say(subscribe(9, 1))
    expect(told.subscribed).toBe(before - messages.length)
  })

  it('keep the place of one whose credit has just run out, however long ago it granted it', async () => {
    const { sockets, ws, clock, say, sent, closed } = fill()
    say(subscribe(5, 1))
    say({ op: 'credit', messages: 1 })
    clock.advance(3_600_000)
    const trade = { ...scratch(), kind: KIND.trade, symbol: 'S5', price: 1 }
    sockets.sink.apply('crypto/XT', 1, unixMs(0), trade)
    await vi.waitFor(() => expect(sent.at(-1)).toContain('"type":"tick"'))
    clock.advance(29_999)
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
    clock.advance(1)
    sockets.makeRoom()
    expect(closed).toEqual([[ws, 1013]])
  })

  it('keep no place for one that doesn’t answer for 30 seconds, although it follows the market', () => {
    const { sockets, ws, others, clock, say, closed } = fill()
    say(subscribe(0, 1))
    say({ op: 'credit', messages: 1 })
    clock.advance(3_600_000)
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
    for (const one of others) one.emit('pong')
    clock.advance(29_999)
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
    clock.advance(1)
    sockets.makeRoom()
    expect(closed).toEqual([[ws, 1013]])
    // The others have answered, so they keep theirs.
    sockets.accept(ws as unknown as WebSocket) // only what a client uses of it
    expect(() => sockets.makeRoom()).toThrow('At most 64 programs')
  })
})

it('answers a ping at once, also while ticks wait for credit', () => {
  const { say, sent } = connect()
  say({ op: 'ping' })
  expect(sent).toEqual(['{"type":"pong"}'])
})

it('answers no ping of a client that doesn’t read', () => {
  const { say, sent } = connect({ unread: Infinity })
  for (let i = 0; i < 100; i++) say({ op: 'ping' })
  expect(sent).toEqual([])
})
