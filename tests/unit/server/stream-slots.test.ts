import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { STALLED_MS, StreamSlots } from '../../../src/server/stream-slots.ts'

function two() {
  let nowMs = 0
  const slots = new StreamSlots(2, () => nowMs)
  return { slots, pass: (ms: number) => void (nowMs += ms) }
}
const closed = (socket: PassThrough): Promise<void> => new Promise((resolve) => socket.once('close', resolve))

it('refuses one stream too many, until another ends or its client leaves', async () => {
  const { slots } = two()
  const [first, second, third] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const slot = slots.take(first)
  const { signal } = slots.take(second)
  expect(() => slots.take(third)).toThrow('At most 2 streams can be read at once.')
  slot.free()
  const { free } = slots.take(third)
  expect(() => slots.take(first)).toThrow('At most 2')
  second.destroy()
  await closed(second)
  expect([signal.aborted, slot.signal.aborted]).toEqual([true, false])
  slots.take(first)
  free()
  slots.take(new PassThrough())
})

it('refuses a second stream of a connection, which would have to wait in memory', () => {
  const { slots } = two()
  const socket = new PassThrough()
  const { free } = slots.take(socket)
  expect(() => slots.take(socket)).toThrow('This connection is still receiving another stream.')
  free()
  slots.take(socket)
})

it('ends the stream that stalled for longest if another one needs its slot', () => {
  const { slots, pass } = two()
  const [slow, slower, read] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const { moved } = slots.take(slow)
  slots.take(slower)
  pass(STALLED_MS - 1)
  moved()
  expect(() => slots.take(read)).toThrow('At most 2')
  pass(1)
  slots.take(read)
  expect([slow.destroyed, slower.destroyed, read.destroyed]).toEqual([false, true, false])
  expect(() => slots.take(new PassThrough())).toThrow('At most 2')
})

it('frees at once what a client has left before', () => {
  const { slots } = two()
  const gone = new PassThrough()
  gone.destroy()
  expect(slots.take(gone).signal.aborted).toBe(true)
  slots.take(new PassThrough())
  slots.take(new PassThrough())
})
