/** Frames with a valid checksum that lie, frames that arrive in pieces, and frames whose history was altered. */
import fc from 'fast-check'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../../../src/main/core/store/blocks/bytes.ts'
import { decodeRows, encodeRows, type Rows } from '../../../../../../src/main/core/store/format/row-codec.ts'
import { decodeFrame } from '../../../../../../src/main/features/team/frame/decode.ts'
import {
  checksum,
  HEADER_BYTES,
  openEnvelope,
  seal,
  unseal,
} from '../../../../../../src/main/features/team/frame/envelope.ts'
import { findLastSeq, type Frame } from '../../../../../../src/main/features/team/frame/frame.ts'
import {
  FrameJoiner,
  isPart,
  PART_HEADER_BYTES,
  readPart,
} from '../../../../../../src/main/features/team/frame/parts.ts'
import {
  KINDS,
  readSections,
  writeSections,
  type SectionName,
} from '../../../../../../src/main/features/team/frame/sections.ts'
import { verifyFrame } from '../../../../../../src/main/features/team/frame/verify.ts'
import { codeOf, encode, flushesOf, frameOf, NONE, trades, valueOf } from './flushes.ts'

const HONEST = frameOf(flushesOf([trades(5), [{ entry: { type: 'clock', shiftMs: 5 } }], trades(3)]), {
  canCompress: false,
})

/** The bytes with a valid checksum. */
function resealed(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes)
  copy.writeUInt32LE(checksum(copy), 8)
  return copy
}

/** The honest frame with its header or content changed. */
function edited(edit: (bytes: Buffer) => Uint8Array | void): Uint8Array {
  const copy = Buffer.from(HONEST)
  return resealed(edit(copy) ?? copy)
}

/** The honest frame with one section replaced. */
function withSection(name: SectionName, change: (content: Uint8Array) => Uint8Array): Uint8Array {
  const envelope = openEnvelope(HONEST)
  const sections = readSections(unseal(envelope))
  return seal(envelope, writeSections({ ...sections, [name]: change(sections[name]) }), false)
}

/** The honest frame with bytes after its last section. */
function withTail(...tail: number[]): Uint8Array {
  const envelope = openEnvelope(HONEST)
  return seal(envelope, Buffer.concat([unseal(envelope), Buffer.from(tail)]), false)
}

function rowsOf(section: Uint8Array): Rows {
  const rows = decodeRows(section)
  if (rows === null) throw new Error('no rows')
  return rows
}

/** A frame that continues connection 1 after so many messages. */
function withChain(messages: number): Uint8Array {
  const heads = new Map([[1, { head: new Uint8Array(32), messages }]])
  const [flush] = flushesOf([trades(6)])
  const only = { ...flush, batch: { ...flush.batch, connections: [{ conn: 2, feed: 'crypto/XQ' as const }] } }
  return frameOf([only], { heads, canCompress: false })
}

const varints = (...values: number[]): Uint8Array => {
  const out = new ByteWriter(64)
  for (const value of values) out.varint(value)
  return out.finish()
}

describe('a header that lies', () => {
  it.each<[string, string, (bytes: Buffer) => Uint8Array | void]>([
    ['nothing', 'not-a-frame', () => Buffer.alloc(12)],
    ['another magic', 'not-a-frame', (bytes) => void bytes.write('TDPT', 'latin1')],
    ['version 0', 'not-a-frame', (bytes) => void bytes.writeUInt16LE(0, 4)],
    ['a newer version', 'newer', (bytes) => void bytes.writeUInt16LE(2, 4)],
    ['an unknown codec', 'newer', (bytes) => void bytes.writeUInt8(2, 6)],
    ['a reserved byte', 'malformed', (bytes) => void bytes.writeUInt8(1, 7)],
    ['4 GiB of content', 'too-large', (bytes) => void bytes.writeUInt32LE(0xffff_ffff, 12)],
    ['content that grows too much', 'too-large', (bytes) => void bytes.writeUInt32LE(96 << 20, 12)],
    ['plain content of another size', 'malformed', (bytes) => void bytes.writeUInt32LE(1 << 20, 12)],
    ['4 GiB stored', 'wrong-length', (bytes) => void bytes.writeUInt32LE(0xffff_ffff, 16)],
    ['an epoch beyond numbers', 'malformed', (bytes) => void bytes.writeBigUInt64LE(2n ** 53n, 20)],
    ['seq 0', 'malformed', (bytes) => void bytes.writeBigUInt64LE(0n, 28)],
    ['seqs backwards', 'malformed', (bytes) => void bytes.writeBigUInt64LE(50n, 28)],
    ['more seqs than content', 'wrong-order', (bytes) => void bytes.writeBigUInt64LE(2n ** 53n - 1n, 36)],
    [
      'seqs of another place',
      'wrong-order',
      (bytes) => (bytes.writeBigUInt64LE(11n, 28), void bytes.writeBigUInt64LE(19n, 36)),
    ],
    ['a codec it does not use', 'malformed', (bytes) => void bytes.writeUInt8(1, 6)],
  ])('%s: %s', (_what, code, edit) => {
    const result = decodeFrame(edited(edit))
    expect(codeOf(result)).toBe(code)
    expect(result.ok ? '' : result.refusal.message).toMatch(/^The .*[^.]\.$/)
  })

  it('says that a newer Tapedeck wrote it', () => {
    expect(decodeFrame(edited((bytes) => void bytes.writeUInt16LE(2, 4)))).toEqual({
      ok: false,
      refusal: {
        code: 'newer',
        message: 'The frame was written by a newer Tapedeck: it has format 2, and this one reads up to 1.',
        hint: 'Update Tapedeck on this machine.',
      },
    })
  })
})

describe('compressed content that lies', () => {
  const bomb = (contentBytes: number, claimed: number): Uint8Array => {
    const packed = zstdCompressSync(Buffer.alloc(contentBytes))
    const bytes = Buffer.concat([HONEST.subarray(0, HEADER_BYTES), packed])
    bytes.writeUInt8(1, 6)
    bytes.writeUInt32LE(claimed, 12)
    bytes.writeUInt32LE(packed.length, 16)
    return resealed(bytes)
  }

  it.each([
    ['64 MiB of zeros that say so', 64 << 20, 64 << 20, 'too-large'],
    ['64 MiB of zeros that claim 1 MiB', 64 << 20, 1 << 20, 'malformed'],
    ['fewer bytes than claimed', 1_000, 2_000, 'malformed'],
    ['nothing at all', 0, 0, 'malformed'],
  ])('%s is refused', (_what, bytes, claimed, code) => {
    expect(codeOf(decodeFrame(bomb(bytes, claimed)))).toBe(code)
  })

  it.each([
    [17, 'accepted'],
    [18, 'malformed'],
    [27, 'malformed'],
  ])('with a window of 2^%i bytes, which the decompressor would allocate, is %s', (windowLog, code) => {
    // A zstd frame without content size: magic, flags, window descriptor, then the honest content as one raw block.
    const content = unseal(openEnvelope(HONEST))
    const block = (content.length << 3) | 1
    const head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3, block & 0xff, (block >> 8) & 0xff, block >> 16]
    const bytes = Buffer.concat([HONEST.subarray(0, HEADER_BYTES), Buffer.from(head), content])
    bytes.writeUInt8(1, 6)
    bytes.writeUInt32LE(content.length, 12)
    bytes.writeUInt32LE(head.length + content.length, 16)
    expect(codeOf(decodeFrame(resealed(bytes)))).toBe(code)
  })
})

describe('sections that lie', () => {
  it('is honest where nothing is changed', () => {
    expect(codeOf(decodeFrame(withSection('rows', (content) => content)))).toBe('accepted')
  })

  it('may be unknown if they are marked skippable, else a newer Tapedeck wrote them', () => {
    expect(codeOf(decodeFrame(withTail(200, 1, 3, 1, 2, 3)))).toBe('accepted')
    expect(codeOf(decodeFrame(withTail(200, 0, 3, 1, 2, 3)))).toBe('newer')
  })

  it.each<[string, () => Uint8Array]>([
    ['a section longer than the frame', () => withTail(200, 1, 0xff, 0xff, 0xff, 0x7f, 1)],
    ['a length beyond numbers', () => withTail(200, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)],
    ['a section twice', () => withTail(KINDS.chains, 0, 1, 0)],
    ['an unknown section twice', () => withTail(200, 1, 1, 0, 200, 1, 1, 0)],
    [
      'a message of connection 0',
      () => withSection('rows', (one) => encodeRows({ ...rowsOf(one), conn: rowsOf(one).conn.with(7, 0) })),
    ],
    ['more messages than a connection numbers', () => withChain(0xffff_ffff - 2)],
    ['sections out of order', () => withTail(KINDS.rows, 0, 1, 0)],
    ['an unknown flag', () => withTail(200, 2, 0)],
    ['a required section marked skippable', () => withTail(KINDS.signature, 0, 1, 1)],
    ['an empty section', () => withTail(KINDS.signature, 1, 0)],
    ['half a section', () => withTail(200)],
    ['a session that is a path', () => withSection('session', () => Buffer.from('../../etc/passwd'))],
    ['no session', () => withSection('session', () => new Uint8Array(0))],
    [
      'a feed that does not exist',
      () => withSection('connections', () => Buffer.concat([Buffer.of(1, 4), Buffer.from('nope')])),
    ],
    ['no connections', () => withSection('connections', () => new Uint8Array(0))],
    ['the same connection twice', () => withSection('connections', (one) => Buffer.concat([one, one]))],
    ['no chains', () => withSection('chains', () => new Uint8Array(0))],
    ['chains twice', () => withSection('chains', (one) => Buffer.concat([one, one]))],
    ['half a chain', () => withSection('chains', (one) => one.subarray(0, -1))],
    [
      'a chain of a connection without messages',
      () => withSection('chains', (one) => Buffer.concat([one, Buffer.of(9, 3, 0), Buffer.alloc(64)])),
    ],
    ['an empty flush', () => withSection('flushes', () => varints(0, 0))],
    ['2^53 messages', () => withSection('rows', () => varints(2 ** 53 - 1))],
    ['a million messages in six bytes', () => withSection('rows', () => varints(1 << 20, 0, 0, 0, 0))],
    ['a signature of 2 KiB', () => withTail(KINDS.signature, 1, 0x80, 0x10, ...Buffer.alloc(2_048))],
    ['entries that are none', () => withSection('entries', () => Buffer.from('{}'))],
    [
      'entries with a line end after the last',
      () => withSection('entries', (one) => Buffer.concat([one, Buffer.of(10)])),
    ],
    [
      'an entry more than the flushes have',
      () => withSection('entries', (one) => Buffer.concat([one, Buffer.of(10), one])),
    ],
    ['no entries', () => withSection('entries', () => new Uint8Array(0))],
  ])('%s: malformed', (_what, frame) => {
    expect(codeOf(decodeFrame(frame()))).toBe('malformed')
  })

  it.each<[string, () => Uint8Array, string]>([
    ['flushes for ever', () => withSection('flushes', () => Buffer.alloc(1 << 19, 1)), 'too-large'],
    ['2^53 entries', () => withSection('flushes', () => varints(0, 2 ** 53 - 1)), 'too-large'],
    ['flushes of 2^53 messages', () => withSection('flushes', () => varints(2 ** 53 - 1, 1)), 'wrong-order'],
    ['no flushes', () => withSection('flushes', () => new Uint8Array(0)), 'malformed'],
    ['flushes in another order', () => withSection('flushes', () => varints(0, 1, 5, 0, 3, 0)), 'wrong-order'],
    ['no messages', () => withSection('rows', () => new Uint8Array(0)), 'wrong-order'],
  ])('%s: %s', (_what, frame, code) => {
    expect(codeOf(decodeFrame(frame()))).toBe(code)
  })

  it('are decoded or refused, never thrown on, whatever bytes they hold', () => {
    const content = unseal(openEnvelope(HONEST))
    const place = fc.nat(content.length - 1)
    fc.assert(
      fc.property(fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 6 }), fc.nat(20), (flips, cut) => {
        const altered = Uint8Array.from(content)
        for (const [at, value] of flips) altered[at] = value
        const result = decodeFrame(seal(openEnvelope(HONEST), altered.subarray(0, altered.length - cut), false))
        if (result.ok) verifyFrame(result.value, NONE)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('the hash chain of a frame', () => {
  const items = [trades(6), [{ entry: { type: 'clock', shiftMs: 5 } as const }, ...trades(2)]]
  const [first, second] = encode(flushesOf(items), { bundleBytes: 1 }).map(({ bytes }) => valueOf(decodeFrame(bytes)))

  it('finds an alteration of any column of any message', () => {
    const columns = ['recvMs', 'monoNs', 'flags', 'connSeq', 'seq'] as const
    for (const column of columns) {
      for (let i = 0; i < first.messages.count; i++) {
        const values = first.messages[column].slice()
        values[i] = values[i] + 1
        const altered: Frame = { ...first, messages: { ...first.messages, [column]: values } }
        expect([column, i, codeOf(verifyFrame(altered))]).toEqual([column, i, 'chain-mismatch'])
      }
    }
    for (let at = 0; at < first.messages.bytes.length; at++) {
      const bytes = Uint8Array.from(first.messages.bytes)
      bytes[at] = bytes[at] ^ 1
      expect(codeOf(verifyFrame({ ...first, messages: { ...first.messages, bytes } }))).toBe('chain-mismatch')
    }
  })

  it('finds a moved flush boundary and an altered entry', () => {
    const moved = { ...first, flushes: [{ messages: 5, entries: 0 }, { messages: 1, entries: 0 }] } // oxfmt-ignore
    expect(codeOf(verifyFrame(moved))).toBe('chain-mismatch')
    const [entry] = second.entries
    for (const change of [{ wallMs: 1 }, { monoNs: 1 }, { entry: { type: 'clock', shiftMs: 6 } as const }])
      expect(codeOf(verifyFrame({ ...second, entries: [{ ...entry, ...change }] }))).toBe('chain-mismatch')
  })

  it('finds a frame that does not follow what was received', () => {
    const { heads } = valueOf(verifyFrame(first, NONE))
    expect(codeOf(verifyFrame(second, heads))).toBe('accepted')
    expect(codeOf(verifyFrame(second, NONE))).toBe('not-next')
    expect(codeOf(verifyFrame(first, heads))).toBe('not-next')
    const again: Frame = {
      ...second,
      connections: [{ conn: 1, feed: 'stocks/T' }],
      chains: [],
      entries: [],
      flushes: [],
    }
    expect(codeOf(verifyFrame(again, heads))).toBe('not-next')
    const forged = valueOf(
      decodeFrame(encode(flushesOf([trades(6, 'ETH-USD'), trades(2)]), { bundleBytes: 1 })[1].bytes),
    )
    expect(codeOf(verifyFrame(forged))).toBe('accepted')
    expect(verifyFrame(forged, heads)).toMatchObject({ ok: false, refusal: { code: 'not-next' } })
  })
})

it('finds flushes that leave rows over', () => {
  expect(findLastSeq(1, [1, 2], [], [{ messages: 2, entries: 0 }])).toBe(2)
  expect(findLastSeq(1, [1, 2], [], [{ messages: 1, entries: 0 }])).toBeNull()
  expect(findLastSeq(1, [1], [{ seq: 2 }], [{ messages: 1, entries: 0 }])).toBeNull()
})

describe('parts of a frame', () => {
  const frame = (text: string): readonly Uint8Array[] =>
    encode(flushesOf([[{ conn: 1, data: Buffer.alloc(60_000, text) }]]), {
      canCompress: false,
      maxPayload: 8 << 10,
    }).map(({ bytes }) => bytes)
  const parts = frame('tick')
  const others = frame('tock')

  it('never exceed max_payload, whatever it is', () => {
    const flushes = flushesOf([[{ conn: 1, data: Buffer.alloc(60_000, 'x') }]])
    fc.assert(
      fc.property(fc.integer({ min: 4 << 10, max: 70_000 }), (maxPayload) => {
        const messages = encode(flushes, { canCompress: false, maxPayload })
        expect(Math.max(...messages.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(maxPayload)
        expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
        const joiner = new FrameJoiner()
        const outcomes = messages.map(({ bytes }) => joiner.add(bytes).is)
        expect(outcomes).toEqual([...messages.slice(1).map(() => 'waiting'), 'frame'])
      }),
      { numRuns: 60 },
    )
    expect(() => encode(flushes, { maxPayload: 100 })).toThrow('4 KiB')
  })

  it('join in any order, with doubles and parts of other frames among them, unless one is lost', () => {
    const arrival = fc.record({
      order: fc.shuffledSubarray(
        parts.flatMap((part, i) => [part, part, others[i]]),
        { minLength: parts.length },
      ),
    })
    fc.assert(
      fc.property(arrival, ({ order }) => {
        const joiner = new FrameJoiner()
        const first = valueOf(readPart(order[0])).frameCrc
        const isMine = (bytes: Uint8Array): boolean => valueOf(readPart(bytes)).frameCrc === first
        const seen = new Set<number>()
        let joined = 0
        for (const bytes of order) {
          const { part } = valueOf(readPart(bytes))
          const outcome = joiner.add(bytes)
          if (joined > 0) {
            // The next frame may begin now; it has the same seqs and another checksum. Once it is whole, the first may
            // begin again.
            if (joined === 1) expect(outcome.is).toBe(isMine(bytes) ? 'late' : outcome.is)
            expect(['late', 'waiting', 'repeated', 'frame', ...(joined > 1 ? ['other'] : [])]).toContain(outcome.is)
            if (outcome.is === 'frame') joined++
            continue
          }
          if (!isMine(bytes)) expect(outcome.is).toBe('other')
          else if (seen.has(part)) expect(outcome.is).toBe('repeated')
          else {
            seen.add(part)
            const missing = parts.length - seen.size
            if (missing > 0) expect(outcome).toEqual({ is: 'waiting', missing })
            else {
              joined++
              expect(outcome.is).toBe('frame')
              if (outcome.is === 'frame') valueOf(verifyFrame(valueOf(decodeFrame(outcome.bytes)), NONE))
            }
          }
        }
        if (joined === 0) {
          const all = [...parts.keys()]
          expect(joiner.missing()).toEqual(all.filter((i) => !seen.has(i)))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('are given up with drop, after which another frame can be joined', () => {
    const joiner = new FrameJoiner()
    joiner.add(parts[1])
    expect(joiner.add(others[0])).toEqual({ is: 'other', part: { epoch: 7, firstSeq: 1, lastSeq: 1 } })
    expect(joiner.missing()).toEqual([...parts.keys()].filter((i) => i !== 1))
    expect(joiner.joining).toMatchObject({ firstSeq: 1, lastSeq: 1 })
    joiner.drop()
    expect(joiner.joining).toBeNull()
    expect(others.map((bytes) => joiner.add(bytes).is).at(-1)).toBe('frame')
  })

  it('are refused if they differ from one received for the same place, or join to another frame', () => {
    const joiner = new FrameJoiner()
    joiner.add(parts[0])
    const altered = Buffer.from(parts[0])
    altered.writeUInt8(altered.readUInt8(PART_HEADER_BYTES) ^ 1, PART_HEADER_BYTES)
    expect(joiner.add(resealed(altered))).toMatchObject({ is: 'refused', refusal: { code: 'conflicting-part' } })
    const forged = Buffer.from(parts[1])
    forged.writeUInt8(forged.readUInt8(PART_HEADER_BYTES) ^ 1, PART_HEADER_BYTES)
    const outcomes = [resealed(forged), ...parts.slice(2)].map((bytes) => joiner.add(bytes))
    expect(outcomes.at(-1)).toMatchObject({ is: 'refused', refusal: { code: 'checksum' } })
    expect(parts.map((bytes) => joiner.add(bytes).is).at(-1)).toBe('frame') // the honest parts can be sent again
  })

  it('let whole frames through, and refuse what is neither', () => {
    const joiner = new FrameJoiner()
    joiner.add(parts[0])
    expect(joiner.add(HONEST)).toEqual({ is: 'frame', bytes: HONEST })
    expect(joiner.add(new Uint8Array(0))).toMatchObject({ is: 'refused', refusal: { code: 'not-a-frame' } })
    expect(isPart(parts[0]) && !isPart(HONEST)).toBe(true)
  })

  it.each<[string, string, (bytes: Buffer) => Uint8Array | void]>([
    ['a newer version', 'newer', (bytes) => void bytes.writeUInt16LE(9, 4)],
    ['a frame of 4 GiB', 'too-large', (bytes) => void bytes.writeUInt32LE(0xffff_ffff, 16)],
    ['4 billion parts', 'too-large', (bytes) => void bytes.writeUInt32LE(0xffff_ffff, 24)],
    ['one part', 'malformed', (bytes) => void bytes.writeUInt32LE(1, 24)],
    ['a number beyond the count', 'malformed', (bytes) => void bytes.writeUInt32LE(99, 20)],
    ['more parts than bytes', 'malformed', (bytes) => (bytes.writeUInt32LE(3, 16), void bytes.writeUInt32LE(9, 24))],
    ['another size', 'wrong-length', (bytes) => bytes.subarray(0, -1)],
    ['a reserved byte', 'malformed', (bytes) => void bytes.writeUInt16LE(1, 6)],
  ])('with %s are refused: %s', (_what, code, edit) => {
    const copy = Buffer.from(parts[0])
    const bytes = edit(copy) ?? copy
    expect(codeOf(readPart(resealed(bytes)))).toBe(code)
  })
})
