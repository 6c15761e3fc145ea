import { expect, it } from 'vitest'
import { LineWriter } from '../../../../../../src/main/features/replay/serve/line-writer.ts'
import type { ReplayBatch } from '../../../../../../src/main/core/store/types/replay.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'

const TEXT = '{"p":1}'

function batchOf(rows: readonly { readonly recvMs: number; readonly seq: number }[]): ReplayBatch {
  const count = rows.length
  return {
    session: sessionId('a'),
    count,
    feed: new Uint8Array(count).fill(3),
    seq: Float64Array.from(rows, ({ seq }) => seq),
    recvMs: Float64Array.from(rows, ({ recvMs }) => recvMs),
    monoNs: new Float64Array(),
    conn: new Uint32Array(),
    flags: new Uint8Array(count),
    offsets: Uint32Array.from({ length: count + 1 }, (_, i) => i * TEXT.length),
    bytes: Buffer.from(TEXT.repeat(count)),
    entries: [],
    upToSeq: count,
  }
}

it('writes times and seqs of any size as JSON does, whatever the size of its buffer', () => {
  const times = [0, 1, 999_999, 1_000_000, 1_767_607_200_000, 1_767_607_200_001.25, 1_767_607_999_999, 2 ** 52, -5]
  const seqs = [1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 52]
  const rows = times.flatMap((recvMs) => seqs.map((seq) => ({ recvMs, seq })))
  const batch = batchOf(rows)
  const writer = new LineWriter(64)
  writer.add(batch, 0, rows.length)
  const lines = Buffer.from(writer.take()).toString().split('\n')
  expect(lines.slice(0, -1)).toEqual(
    rows.map(({ recvMs, seq }) => `{"feed":"crypto/XT","recv_ms":${recvMs},"seq":${seq},"message":${TEXT}}`),
  )
  expect(writer.length).toBe(0)
})

it('writes nothing over what was taken until it is given back, and then into the same memory', () => {
  const batch = batchOf(Array.from({ length: 2_000 }, (_, i) => ({ recvMs: i, seq: i + 1 })))
  const writer = new LineWriter(1 << 18)
  const fill = (from: number): Uint8Array => {
    writer.add(batch, from, from + 1_000)
    return writer.take()
  }
  const first = fill(0)
  const before = Buffer.from(first).toString()
  expect(fill(1_000).buffer).not.toBe(first.buffer)
  expect(Buffer.from(first).toString()).toBe(before)
  writer.giveBack(first)
  writer.giveBack(first)
  const later = [fill(0), fill(1_000), fill(0)]
  expect(new Set(later.map(({ buffer }) => buffer)).size).toBe(3)
  expect(later.some(({ buffer }) => buffer === first.buffer)).toBe(true)
})
