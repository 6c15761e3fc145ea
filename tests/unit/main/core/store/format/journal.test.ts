import { describe, expect, test } from 'vitest'
import { decodeJournal, JournalEncoder } from '../../../../../../src/main/core/store/format/journal.ts'
import { newColumns } from '../../../../../../src/main/core/store/format/message-columns.ts'
import type { MessageColumns } from '../../../../../../src/main/core/store/types/messages.ts'

/** `count` messages of `size` bytes each, all of them `byte`. */
function messages(count: number, size: number, byte: number): MessageColumns {
  const m = newColumns(count, count * size)
  m.bytes.fill(byte)
  for (let i = 0; i < count; i++) {
    m.seq[i] = byte * 1_000 + i
    m.offsets[i + 1] = (i + 1) * size
  }
  return m
}

describe('encoding flushes', () => {
  test('memory of an earlier, longer flush leaves nothing in a later one', () => {
    const encoder = new JournalEncoder()
    for (const [count, size] of [
      [100, 200],
      [3, 5],
      [40, 200],
      [2, 3 << 20],
      [1, 0],
      [0, 0],
    ] as const) {
      const m = messages(count, size, count + 1)
      const leaves = Array.from({ length: (count % 3) + 1 }, (_, i) => ({
        conn: i + 1,
        count,
        head: new Uint8Array(32).fill(count + i),
      }))
      const blob = decodeJournal(Buffer.from(encoder.encode(leaves, m)))
      expect(blob.leaves).toEqual(leaves)
      expect(Buffer.compare(blob.messages.bytes, m.bytes)).toBe(0)
      expect(blob.messages.seq).toEqual(m.seq)
      expect(blob.messages.offsets).toEqual(m.offsets)
    }
  })
})
