import { expect, it } from 'vitest'
import { Cursor } from '../../../../../src/main/core/playback/cursor.ts'
import type { ReplayBatch } from '../../../../../src/main/core/store/types/replay.ts'
import { sessionId } from '../../../../../src/shared/base/units.ts'

const ROWS = 3
const session = sessionId('one')

function batch(from: number): ReplayBatch {
  const buffer = new ArrayBuffer(8 * ROWS)
  return {
    session,
    count: ROWS,
    feed: new Uint8Array(ROWS),
    seq: new Float64Array(buffer).map((_, i) => from + i + 1),
    recvMs: new Float64Array(ROWS),
    monoNs: new Float64Array(0),
    conn: new Uint32Array(0),
    flags: new Uint8Array(ROWS),
    offsets: new Uint32Array(ROWS + 1),
    bytes: new Uint8Array(0),
    entries: [],
    upToSeq: from + ROWS,
    buffer,
  }
}

/** Reads six batches. Returns those whose buffer could be written over when each message came, by number. */
async function readAll(reusesBatches: boolean): Promise<number[][]> {
  const batches = Array.from({ length: 6 }, (_, i) => batch(i * ROWS))
  const seen: number[][] = []
  let spares: ArrayBuffer[] = []
  const reader = {
    async *replay(_query: unknown, given: ArrayBuffer[] = []): AsyncGenerator<ReplayBatch> {
      spares = given
      yield* batches
    },
  }
  const cursor = new Cursor(reader, session, 0, 6 * ROWS, { reusesBatches })
  for (let kind = cursor.next(); kind !== 'end'; kind = cursor.next()) {
    if (kind === 'pending') {
      await cursor.waitForNext()
      continue
    }
    cursor.row += 1
    seen.push(spares.map((buffer) => batches.findIndex((one) => one.buffer === buffer)))
  }
  return seen
}

it('releases the buffer of a batch only when its last message was taken', async () => {
  const seen = await readAll(true)
  expect(seen).toHaveLength(6 * ROWS)
  seen.forEach((released, i) => expect(released.every((at) => at < Math.floor(i / ROWS))).toBe(true))
  expect(seen.at(-1)).toEqual([0, 1])
})

it('releases none for a caller that may still use it', async () => {
  expect((await readAll(false)).flat()).toEqual([])
})
