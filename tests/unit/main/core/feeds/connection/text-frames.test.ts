/** The short way of text frames against the receiver of ws itself: the same messages, however the bytes are cut. */
import { EventEmitter } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { readTextFrames } from '../../../../../../src/main/core/feeds/connection/text-frames.ts'

const MAX = 100_000

function frame(first: number, payload: Uint8Array): Buffer {
  const n = payload.length
  const head =
    n < 126
      ? Buffer.from([first, n])
      : n < 65_536
        ? Buffer.from([first, 126, n >> 8, n & 255])
        : Buffer.from([first, 127, 0, 0, 0, 0, 0, n >> 16, (n >> 8) & 255, n & 255])
  return Buffer.concat([head, payload])
}

/** What comes of the bytes, cut at the given places: texts, and what ws was left to read. */
function taken(bytes: Buffer, cuts: readonly number[]) {
  const socket = new EventEmitter() as Duplex // of a socket, only its events are used
  const texts: string[] = []
  const left: Buffer[] = []
  const order: string[] = []
  socket.on('data', (chunk: Buffer) => {
    left.push(chunk)
    order.push(chunk.toString('latin1'))
  })
  const taps = readTextFrames(socket, MAX, (text) => {
    texts.push(text.toString('latin1'))
    order.push(text.toString('latin1'))
  })
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (let i = 1; i < at.length; i++) socket.emit('data', bytes.subarray(at[i - 1], at[i]))
  socket.emit('close')
  return { taps, texts, left: Buffer.concat(left), order: order.join('') }
}

const payload = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.uint8Array({ minLength: 125, maxLength: 128 }),
  fc.nat({ max: 70_000 }).map((n) => new Uint8Array(n).fill(n & 255)),
)

describe('text frames', () => {
  test('are read whole and in order, wherever chunks split them', () => {
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 40 }), (payloads, cuts) => {
        const { texts, left } = taken(Buffer.concat(payloads.map((one) => frame(0x81, one))), cuts)
        expect(texts).toEqual(payloads.map((one) => Buffer.from(one).toString('latin1')))
        expect(left.length).toBe(0)
      }),
    )
  })

  test('byte by byte', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":1}'), Buffer.alloc(3_000, 0x20)].map((one) => frame(0x81, one)))
    expect(taken(bytes, [...bytes.keys()]).texts.map((text) => text.length)).toEqual([7, 3_000])
  })

  test('pings, pongs and binary frames go to ws unchanged and in order', () => {
    const aside = fc.record({ first: fc.constantFrom(0x82, 0x89, 0x8a), payload: fc.uint8Array({ maxLength: 125 }) })
    const text = fc.record({ first: fc.constant(0x81), payload: fc.uint8Array({ maxLength: 200 }) })
    fc.assert(
      fc.property(
        fc.array(fc.oneof(aside, text), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        (frames, cuts) => {
          const bytes = Buffer.concat(frames.map((one) => frame(one.first, one.payload)))
          const { order, left } = taken(bytes, cuts)
          const latin = (one: (typeof frames)[number]) => Buffer.from(one.payload).toString('latin1')
          const whole = (one: (typeof frames)[number]) => frame(one.first, one.payload).toString('latin1')
          expect(order).toBe(frames.map((one) => (one.first === 0x81 ? latin(one) : whole(one))).join(''))
          const others = frames.filter((one) => one.first !== 0x81)
          expect(left).toEqual(Buffer.concat(others.map((one) => frame(one.first, one.payload))))
        },
      ),
    )
  })

  test.each([
    ['a close frame', frame(0x88, Buffer.from([3, 232]))],
    ['the first of fragments', frame(0x01, Buffer.from('{"a":'))],
    ['a masked frame', Buffer.concat([Buffer.from([0x81, 0x81, 1, 2, 3, 4]), Buffer.from('x')])],
    ['reserved bits', frame(0xc1, Buffer.from('x'))],
    ['an unknown opcode', frame(0x83, Buffer.from('x'))],
    ['a long ping', frame(0x89, Buffer.alloc(126))],
    ['an oversize frame', Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 2, 0, 0, 0x20])],
    ['a length beyond all numbers', Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255, 0x20])],
  ])('at %s ws takes over for good', (_what, odd) => {
    const before = frame(0x81, Buffer.from('before'))
    const after = frame(0x81, Buffer.from('after'))
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 30 }), (cuts) => {
        const { texts, left } = taken(Buffer.concat([before, odd, after]), cuts)
        expect(texts).toEqual(['before'])
        expect(left).toEqual(Buffer.concat([odd, after]))
      }),
    )
  })

  test('a socket with another reader is left alone', () => {
    const socket = new EventEmitter() as Duplex // of a socket, only its events are used
    socket.on('data', () => undefined)
    socket.on('data', () => undefined)
    expect(readTextFrames(socket, MAX, () => undefined)).toBe(false)
    expect(socket.listenerCount('data')).toBe(2)
  })

  test('over a real socket of ws: every message once, in order, fragments and the close included', async () => {
    const server = createServer((socket: Socket) => {
      socket.once('data', (head) => {
        const key = /sec-websocket-key: (.*)\r\n/i.exec(head.toString())?.[1] ?? ''
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
        const parts = [
          Buffer.from(
            `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
          ),
          ...Array.from({ length: 500 }, (_, i) => frame(0x81, Buffer.from(`text ${i}`))),
          frame(0x89, Buffer.from('ping')),
          frame(0x82, Buffer.from('binary')),
          frame(0x81, Buffer.alloc(80_000, 0x61)),
          frame(0x01, Buffer.from('frag')),
          frame(0x80, Buffer.from('ment')),
          frame(0x81, Buffer.from('last')),
          frame(0x88, Buffer.from([3, 232])),
        ]
        socket.end(Buffer.concat(parts))
      })
      socket.on('error', () => undefined)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { perMessageDeflate: false }) // TCP
    const got: string[] = []
    let raw: Duplex | undefined
    let pings = 0
    ws.on('upgrade', (response) => {
      raw = response.socket
    })
    ws.on('open', () => {
      expect(raw && readTextFrames(raw, MAX, (text) => void got.push(text.toString()))).toBe(true)
    })
    ws.on('ping', () => void pings++)
    ws.on('message', (data: Buffer) => void got.push(`ws ${data.toString()}`))
    const code = await new Promise<number>((done) => ws.on('close', done))
    await new Promise<void>((done) => void server.close(() => done()))
    expect(code).toBe(1000)
    expect(pings).toBe(1)
    expect(got).toEqual([
      ...Array.from({ length: 500 }, (_, i) => `text ${i}`),
      'ws binary',
      'a'.repeat(80_000),
      'ws fragment',
      'ws last',
    ])
  })
})
