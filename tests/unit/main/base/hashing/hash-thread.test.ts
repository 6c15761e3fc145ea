import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createThreadHash } from '../../../../../src/main/base/hashing/hash-thread.ts'

const pieceOf = (byte: number, length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(byte)

test('files that share the thread have the digests of their own bytes', async () => {
  const files = [0, 1, 2].map(() => ({ hash: createThreadHash(), expected: createHash('sha256') }))
  const updates: Promise<Uint8Array>[] = []
  for (let i = 0; i < 12; i++) {
    const { hash, expected } = files[i % 3]
    const memory = pieceOf(i, 1000 + i)
    const length = 500 + i
    expected.update(memory.subarray(0, length))
    updates.push(hash.update({ memory, length }))
    // The thread has the memory now.
    expect(memory.length).toBe(0)
  }
  expect((await Promise.all(updates)).map((memory) => [memory.length, memory[0]])).toEqual(
    Array.from({ length: 12 }, (_, i) => [1000 + i, i]),
  )
  files[1].hash.drop()
  expect(await files[2].hash.digest()).toBe(files[2].expected.digest('hex'))
  expect(await files[0].hash.digest()).toBe(files[0].expected.digest('hex'))
})

test('a file without a piece has the digest of nothing', async () => {
  expect(await createThreadHash().digest()).toBe(createHash('sha256').digest('hex'))
})
