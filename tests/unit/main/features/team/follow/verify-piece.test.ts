import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { advanceHeads } from '../../../../../../src/main/features/team/frame/encode.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import type { Piece } from '../../../../../../src/main/features/team/follow/session-model.ts'
import { verifyPiece } from '../../../../../../src/main/features/team/follow/verify-piece.ts'
import { lastSeqOf } from '../../../../../../src/main/features/team/frame/seqs.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { anyFlushes, codeOf, flushesOf, frameOf, NONE, SESSION, trades, valueOf } from '../frame/flushes.ts'

const pieceOf = (data: Piece['data']): Piece => ({ firstSeq: 0, lastSeq: 0, bytes: 0, data })
const frame = (flushes: readonly CommittedFlush[]): Piece =>
  pieceOf({ is: 'frame', bytes: frameOf(flushes), time: { clock: 'log', ms: 0 } })
const after = (flushes: readonly CommittedFlush[]) => ({
  session: SESSION,
  lastSeq: flushes.reduce((last, { batch }) => Math.max(last, lastSeqOf(batch)), 0),
  heads: advanceHeads(SESSION, NONE, flushes),
})
const START = { session: SESSION, lastSeq: 0, heads: NONE }
const plain = (flushes: readonly CommittedFlush[]): unknown =>
  flushes.map(({ batch, leaves }) => ({
    columns: columnBytes(batch.messages).map((column) => Buffer.from(column).toString('hex')),
    entries: batch.entries,
    leaves,
  }))

describe('a piece of a session', () => {
  it('continues the local copy wherever the copy ends', () => {
    fc.assert(
      fc.property(anyFlushes, fc.nat(), fc.boolean(), (flushes, at, isFrame) => {
        const have = at % flushes.length
        const piece = isFrame ? frame(flushes) : pieceOf({ is: 'flushes', flushes, signatures: [] })
        const { flushes: rest, heads } = valueOf(verifyPiece(after(flushes.slice(0, have)), piece))
        expect(plain(rest)).toEqual(plain(flushes.slice(have)))
        expect(heads).toEqual(new Map(advanceHeads(SESSION, NONE, flushes)))
      }),
      { numRuns: 100 },
    )
  })

  it('continues a copy that ends between two connections of one flush', () => {
    const items = [
      ...trades(4).map((item) => ({ ...item, conn: 1 })),
      ...trades(3).map((item) => ({ ...item, conn: 2 })),
    ]
    const [whole] = flushesOf([items])
    const [first] = flushesOf([items.slice(0, 4)])
    const { flushes, heads } = valueOf(verifyPiece(after([first]), frame([whole])))
    expect(flushes.map(({ batch }) => [...batch.messages.seq])).toEqual([[5, 6, 7]])
    expect(heads).toEqual(new Map(advanceHeads(SESSION, NONE, [whole])))
  })

  it('refuses a copy that ends in the middle of a connection’s flush', () => {
    const [first] = flushesOf([trades(3)])
    expect(codeOf(verifyPiece(after([first]), frame(flushesOf([trades(8)]))))).toBe('chain-mismatch')
  })

  it('refuses altered flushes of the history', () => {
    const [flush] = flushesOf([trades(3)])
    flush.batch.messages.bytes[5] ^= 1
    const piece = pieceOf({ is: 'flushes', flushes: [flush], signatures: [] })
    expect(codeOf(verifyPiece(START, piece))).toBe('chain-mismatch')
  })

  it('refuses what does not follow the copy, and frames of another session', () => {
    const flushes = flushesOf([trades(3), trades(4)])
    expect(codeOf(verifyPiece(START, pieceOf({ is: 'flushes', flushes: flushes.slice(1), signatures: [] })))).toBe(
      'not-next',
    )
    const other = { ...START, session: sessionId('01khj7x0a0zzzzzzzzzzzzzzzz') }
    expect(codeOf(verifyPiece(other, frame(flushes)))).toBe('not-next')
    const silent = flushes.map(({ batch, leaves }) => ({ leaves, batch: { ...batch, connections: [] } }))
    expect(codeOf(verifyPiece(START, pieceOf({ is: 'flushes', flushes: silent, signatures: [] })))).toBe('not-next')
  })
})
