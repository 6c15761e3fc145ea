import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import Database from 'better-sqlite3'
import { decodeJournal } from '../../../../../../src/main/core/store/format/journal.ts'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { decodeFrame, readHeader } from '../../../../../../src/main/features/team/frame/decode.ts'
import { advanceHeads, encodeFlushes } from '../../../../../../src/main/features/team/frame/encode.ts'
import type { CommittedFlush, Frame } from '../../../../../../src/main/features/team/frame/frame.ts'
import { readPart } from '../../../../../../src/main/features/team/frame/parts.ts'
import { verifyFrame } from '../../../../../../src/main/features/team/frame/verify.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { DEMO, T0, Writer, type Item } from '../../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import {
  anyFlushes,
  codeOf,
  commit,
  encode,
  FEEDS,
  flushesOf,
  frameOf,
  NONE,
  OPTIONS,
  SESSION,
  trades,
  valueOf,
} from './flushes.ts'

const decode = (bytes: Uint8Array): Frame => valueOf(decodeFrame(bytes))
/** A flush as plain values, with the columns' memory. */
const plain = ({ batch, leaves }: CommittedFlush): unknown => ({
  columns: columnBytes(batch.messages).map((column) => Buffer.from(column).toString('hex')),
  entries: batch.entries,
  leaves: leaves.map(({ conn, count, head }) => [conn, count, Buffer.from(head).toString('hex')]),
})
const announced = (flushes: readonly CommittedFlush[]): unknown[] =>
  flushes.flatMap(({ batch }) => batch.connections ?? []).toSorted((a, b) => a.conn - b.conn)

describe('a frame', () => {
  it('gives back random flushes to the bit, with their leaves and heads, whatever the bundle', () => {
    fc.assert(
      fc.property(anyFlushes, fc.constantFrom(1, 500, 1 << 18), fc.boolean(), (flushes, bundleBytes, canCompress) => {
        const { messages, heads } = valueOf(encodeFlushes({ ...OPTIONS, bundleBytes, canCompress }, flushes))
        let known = NONE
        const back: CommittedFlush[] = []
        for (const { bytes, firstSeq, lastSeq, epoch } of messages) {
          expect(valueOf(readHeader(bytes))).toEqual({ firstSeq, lastSeq, epoch })
          const frame = decode(bytes)
          const alone = valueOf(verifyFrame(frame))
          const verified = valueOf(verifyFrame(frame, known))
          expect(verified.flushes.map(plain)).toEqual(alone.flushes.map(plain))
          back.push(...verified.flushes)
          known = verified.heads
        }
        expect(back.map(plain)).toEqual(flushes.map(plain))
        expect(announced(back)).toEqual(announced(flushes))
        expect(new Map(known)).toEqual(new Map(heads))
        expect(new Map(known)).toEqual(new Map(advanceHeads(SESSION, NONE, flushes)))
      }),
      { numRuns: 150 },
    )
  })

  it('holds the flush that the store committed, with the leaves of its journal', () => {
    const folder = makeStoreFolder()
    const engine = new StoreEngine(folder.file)
    engine.begin(SESSION, DEMO, unixMs(T0))
    const writer = new Writer(FEEDS)
    const batches = [trades(30), [{ entry: { type: 'clock', shiftMs: 5 } } as const, ...trades(9)]].map((items) =>
      writer.batch(items),
    )
    for (const batch of batches) engine.commit([batch])
    const db = new Database(folder.file, { readonly: true })
    const blobs = db.prepare<[], Buffer>('SELECT data FROM journal ORDER BY first_seq').pluck().all().map(decodeJournal)
    db.close()
    engine.close()
    folder.remove()
    const flushes = blobs.map(({ leaves, messages }, i) => ({ batch: { ...batches[i], messages }, leaves }))
    const { flushes: back } = valueOf(verifyFrame(decode(frameOf(flushes)), NONE))
    expect(back.map(plain)).toEqual(flushes.map(plain))
    expect(back.map(plain)).toEqual(commit(batches).map(plain))
  })

  it('bundles whole flushes up to the limit, in order, and leaves a larger one alone', () => {
    const sizes = [1, 1, 1, 400, 1, 1]
    const writer = new Writer(FEEDS)
    const flushes = commit(sizes.map((count) => writer.batch(trades(count))))
    const frames = encode(flushes, { bundleBytes: 4_000 }).map(({ bytes }) => decode(bytes))
    expect(frames.map((frame) => frame.flushes.map(({ messages }) => messages))).toEqual([[1, 1, 1], [400], [1, 1]])
    expect(frames.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([[1, 3], [4, 403], [404, 405]]) // oxfmt-ignore
    expect(encode(flushes).map(({ id }) => id)).toEqual([`${SESSION}/1-405`])
  })

  it('carries a message of no bytes, a flush of entries alone, and a large message', () => {
    const large = Buffer.alloc(3 << 20, '0123456789abcdef')
    const flushes = flushesOf([
      [{ conn: 1, data: '' }],
      [{ entry: { type: 'clock', shiftMs: 1 } }],
      [{ conn: 1, data: large }],
    ])
    const back = encode(flushes, { maxPayload: 8 << 20 }).flatMap(
      ({ bytes }) => valueOf(verifyFrame(decode(bytes))).flushes,
    )
    expect(back.map(plain)).toEqual(flushes.map(plain))
  })

  it('carries a signature with every chain of the session, in each frame', () => {
    const flushes = flushesOf([trades(2), [{ conn: 3, data: 'x' }]])
    const frames = encode(flushes, { bundleBytes: 1, sign: (seq) => Uint8Array.of(seq) }).map(({ bytes }) => decode(bytes)) // oxfmt-ignore
    expect(frames.map((frame) => frame.signature && [...frame.signature])).toEqual([[2], [3]])
    expect(frames.at(-1)?.chains.map(({ conn, after }) => [conn, after !== null])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, true],
    ])
  })

  it('announces a connection in one frame whose first message is in another', () => {
    const writer = new Writer(FEEDS)
    const [first, second] = [writer.batch([{ conn: 1, data: 'a' }]), writer.batch([{ conn: 2, data: 'b' }])]
    const flushes = commit([
      { ...first, connections: [...(first.connections ?? []), ...(second.connections ?? [])] },
      { ...second, connections: [] },
    ])
    let known = NONE
    for (const { bytes } of encode(flushes, { bundleBytes: 1 }))
      known = valueOf(verifyFrame(decode(bytes), known)).heads
    expect(new Map(known)).toEqual(new Map(advanceHeads(SESSION, NONE, flushes)))
  })

  it('is stored plain where Node has no zstd, which a reader without zstd can read', () => {
    const flushes = flushesOf([trades(50)])
    expect(codeOf(decodeFrame(frameOf(flushes, { canCompress: false }), false))).toBe('accepted')
    expect(decodeFrame(frameOf(flushes), false)).toEqual({
      ok: false,
      refusal: {
        code: 'no-zstd',
        message: "This Node can't decompress frames.",
        hint: 'Update Tapedeck, or run it on Node 24.',
      },
    })
  })

  it('is not made of flushes that were never committed like this', () => {
    const [first, second] = flushesOf([trades(3), trades(3)])
    const refused = (flushes: readonly CommittedFlush[]) => () => encodeFlushes(OPTIONS, flushes)
    expect(refused([second, first])).toThrow(TypeError)
    expect(refused([first, first])).toThrow(TypeError)
    expect(refused([second])).toThrow(TypeError)
    expect(refused([{ ...first, leaves: first.leaves.slice(1) }])).toThrow('leaves of another flush')
    expect(refused(flushesOf([[]]))).toThrow('a flush without messages and entries')
  })

  it('refuses a flush that is too large with a sentence', () => {
    const [flush] = flushesOf([[{ conn: 1, data: Buffer.alloc((96 << 20) + 1) }]])
    expect(encodeFlushes(OPTIONS, [flush])).toMatchObject({ ok: false, refusal: { code: 'too-large' } })
  })
})

describe('format version 1', () => {
  const items: Item[][] = [
    [
      { entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 } },
      { conn: 1, data: tradeText('BTC-USD', 64_000.5, 0.25, T0) },
      { conn: 2, data: 'ü', flags: 4 },
    ],
    [{ conn: 1, data: '' }],
  ]

  it('has these bytes', () => {
    const bytes = frameOf(flushesOf(items), { canCompress: false, sign: () => Uint8Array.of(9) })
    expect(
      Buffer.from(bytes)
        .toString('hex')
        .match(/.{1,64}/g),
    ).toMatchInlineSnapshot(`
      [
        "5444465201000000cb441ee17201000072010000070000000000000001000000",
        "00000000040000000000000001001a30316b686a377830613061626364656667",
        "686a6b6d6e70717273020016010963727970746f2f5854020963727970746f2f",
        "58510300040201010004006803000402020084a4cbd9f1660202008092f40180",
        "897a80897a000202010004004302007b226576223a225854222c227061697222",
        "3a224254432d555344222c2270223a36343030302e352c2274223a3137363736",
        "30373230303030302c2273223a302e32357dc3bc0500575b312c313736373630",
        "373230303030312c313030303030302c227b5c22747970655c223a5c22636f6e",
        "6e656374696e675c222c5c22666565645c223a5c2263727970746f2f58545c22",
        "2c5c22636f6e6e5c223a317d225d0600690002001a0ddd1bc48a73265dbf1e5c",
        "4dda815f24f390414d6078f7515a38e268b3eea8010200bd895cffac530b679b",
        "fe739df407c62a9a4a50b112e91a11294b6bddac1a7e3b020200499eb0b7ef26",
        "66591a84f130c0d6cff40421a1b2c15011488ec6515cf505c3ca07010109",
      ]
    `)
  })

  it('has these bytes as parts', () => {
    const parts = encode(flushesOf([[{ conn: 1, data: Buffer.alloc(5_000, 'tick') }]]), {
      canCompress: false,
      maxPayload: 4 << 10,
    })
    expect(
      parts.map(({ id, part, bytes }) => [
        id,
        part,
        Buffer.from(bytes.subarray(0, 52)).toString('hex'),
        createHash('sha256').update(bytes).digest('hex'),
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "01khj7x0a0abcdefghjkmnpqrs/1-1/0",
          0,
          "5444505401000000f99d777ac25a31d2211400000000000002000000070000000000000001000000000000000100000000000000",
          "21bab3d154ab07d8b88791e124c94e4f90315513f4918fd0f509f40a4b82291b",
        ],
        [
          "01khj7x0a0abcdefghjkmnpqrs/1-1/1",
          1,
          "544450540100000014e5c80ec25a31d2211400000100000002000000070000000000000001000000000000000100000000000000",
          "d7ec4f8a062efe0cfcb5721d362cc1d0ec34bd8b764afea4432ee4c3030c75ff",
        ],
      ]
    `)
  })
})

describe('an altered frame', () => {
  let frames: readonly Uint8Array[]
  beforeAll(() => {
    const flushes = flushesOf([[{ conn: 1, data: 'x' }], [...trades(40), { entry: { type: 'clock', shiftMs: 1 } }]])
    const parts = encode(flushesOf([[{ conn: 1, data: Buffer.alloc(5_000, 'tick') }]]), {
      canCompress: false,
      maxPayload: 4 << 10,
    })
    frames = [frameOf(flushes), frameOf(flushes, { canCompress: false }), frameOf(flushes.slice(0, 1)), parts[1].bytes]
  })
  afterAll(() => (frames = []))

  it('is refused with any byte flipped, whole or as a part', () => {
    for (const [i, frame] of frames.entries()) {
      const accept = i === 3 ? readPart : decodeFrame
      expect(codeOf(accept(frame))).toBe('accepted')
      for (let at = 0; at < frame.length; at++) {
        for (const flip of [1, 0x80, 0xff]) {
          const altered = Uint8Array.from(frame)
          altered[at] = altered[at] ^ flip
          const result = accept(altered)
          if (result.ok) expect.fail(`frame ${i} with byte ${at} flipped by ${flip} was accepted`)
          expect(result.refusal.message).toMatch(/^The .*[^.]\.$/)
        }
      }
    }
  })

  it('is refused at any length but its own', () => {
    for (const [i, frame] of frames.entries()) {
      const accept = i === 3 ? readPart : decodeFrame
      for (let length = 0; length < frame.length; length++)
        if (accept(frame.subarray(0, length)).ok) expect.fail(`frame ${i} of ${length} bytes was accepted`)
      expect(codeOf(accept(Buffer.concat([frame, Buffer.of(0)])))).not.toBe('accepted')
    }
  })
})
