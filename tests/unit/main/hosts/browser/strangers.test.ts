import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createStrangers, MAX_GREETING_BYTES, MAX_STRANGERS } from '../../../../../src/main/hosts/browser/strangers.ts'

function waiting(): { strangers: ReturnType<typeof createStrangers>; evicted: string[]; fill(): PassThrough[] } {
  const evicted: string[] = []
  const strangers = createStrangers((why) => evicted.push(why))
  return {
    strangers,
    evicted,
    fill: () =>
      Array.from({ length: MAX_STRANGERS }, () => {
        const socket = new PassThrough()
        strangers.add(socket)
        return socket
      }),
  }
}

describe('connections that have not shown a token', () => {
  test('beyond the bound close the oldest, not the newest', () => {
    const { strangers, evicted, fill } = waiting()
    const [first, second] = fill()
    expect(evicted).toEqual([])
    const late = new PassThrough()
    strangers.add(late)
    expect([first?.destroyed, second?.destroyed, late.destroyed]).toEqual([true, false, false])
    expect(strangers.size).toBe(MAX_STRANGERS)
    expect(evicted).toEqual(['too many were waiting'])
  })

  test('are not counted once they are admitted or closed, and an admitted one is never closed for others', async () => {
    const { strangers, evicted, fill } = waiting()
    const [first, second] = fill()
    strangers.admit(first)
    second.destroy()
    await new Promise((resolve) => second.once('close', resolve))
    expect(strangers.size).toBe(MAX_STRANGERS - 2)
    fill()
    expect(first?.destroyed).toBe(false)
    expect(evicted).toHaveLength(MAX_STRANGERS - 2)
  })

  test('send as much as a greeting takes, counting what came with the upgrade', () => {
    const { strangers, evicted } = waiting()
    const socket = new PassThrough()
    strangers.add(socket)
    strangers.limit(socket, Buffer.alloc(MAX_GREETING_BYTES - 1))
    socket.emit('data', Buffer.alloc(1))
    expect(socket.destroyed).toBe(false)
    socket.emit('data', Buffer.alloc(1))
    expect(socket.destroyed).toBe(true)
    expect(strangers.size).toBe(0)
    expect(evicted).toEqual(['it sent too much data'])
  })

  test('send what they like once admitted', () => {
    const { strangers } = waiting()
    const socket = new PassThrough()
    strangers.add(socket)
    strangers.limit(socket, Buffer.alloc(0))
    strangers.admit(socket)
    socket.emit('data', Buffer.alloc(2 * MAX_GREETING_BYTES))
    expect(socket.destroyed).toBe(false)
    expect(socket.listenerCount('data')).toBe(0)
  })
})
