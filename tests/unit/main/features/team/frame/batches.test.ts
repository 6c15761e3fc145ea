import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import { frameBatches } from '../../../../../../src/main/features/team/frame/batches.ts'
import { decodeFrame } from '../../../../../../src/main/features/team/frame/decode.ts'
import { anyFlushes, commit, encode, flushesOf, frameOf, trades, valueOf } from './flushes.ts'

const plain = ({ messages, entries }: Batch): unknown => ({
  columns: columnBytes(messages).map((column) => Buffer.from(column).toString('hex')),
  entries,
})
const connectionsOf = (batches: readonly Batch[]): unknown[] =>
  batches.flatMap(({ connections }) => connections ?? []).toSorted((a, b) => a.conn - b.conn)

describe('the batches of a frame', () => {
  it('are those that were committed, and commit to the same leaves', () => {
    fc.assert(
      fc.property(anyFlushes, fc.constantFrom(1, 500, 1 << 18), (flushes, bundleBytes) => {
        const messages = encode(flushes, { bundleBytes, maxPayload: 1 << 30 })
        const batches = messages.flatMap(({ bytes }) => frameBatches(valueOf(decodeFrame(bytes))))
        const committed = flushes.map(({ batch }) => batch)
        expect(batches.map(plain)).toEqual(committed.map(plain))
        expect(connectionsOf(batches)).toEqual(connectionsOf(committed))
        expect(commit(batches).map(({ leaves }) => leaves)).toEqual(flushes.map(({ leaves }) => leaves))
      }),
      { numRuns: 100 },
    )
  })

  it('announce the connections with the first flush only', () => {
    const flushes = flushesOf([trades(2), trades(3), [{ conn: 3, data: 'x' }]])
    const batches = frameBatches(valueOf(decodeFrame(frameOf(flushes))))
    expect(batches.map(({ connections }) => connections?.map(({ conn }) => conn))).toEqual([[1, 2, 3], [], []])
  })
})
