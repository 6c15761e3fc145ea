/**
 * Frames larger than the server's `max_payload` travel as parts of equal size, the last one at most as large. A part
 * names its frame by checksum, size, seqs and epoch.
 *
 * | offset | field | |
 * |---|---|---|
 * | 0 | magic | `TDPT` |
 * | 4 | version | u16 |
 * | 6 | reserved | 0 |
 * | 8 | CRC-32 of all other bytes | u32 |
 * | 12 | CRC-32 and size of the frame | u32 each |
 * | 20 | number of the part from 0, count of parts | u32 each |
 * | 28 | epoch, first seq, last seq | u64 each |
 */
import type { SessionId } from '../../../../shared/base/units.ts'
import { equalBytes } from '../../../core/store/format/ledger.ts'
import { asBuffer, checkStart, checksum, HEADER_BYTES, openEnvelope, readSafeInteger, wrongLength } from './envelope.ts'
import { MAX_CONTENT, VERSION, type FrameHeader } from './frame.ts'
import { asResult, FrameError, malformed, type FrameResult, type Refusal } from './refusal.ts'

export const PART_HEADER_BYTES = 52
const MAGIC = 'TDPT'
const CRC_AT = 8
/** The smallest `max_payload` that is accepted; it bounds the number of parts. */
export const MIN_PAYLOAD = 4 << 10
const MAX_FRAME_BYTES = HEADER_BYTES + MAX_CONTENT
const MAX_PARTS = Math.ceil(MAX_FRAME_BYTES / (MIN_PAYLOAD - PART_HEADER_BYTES))

/** A message to publish: a whole frame, or a part of one. */
export interface WireMessage extends FrameHeader {
  /** For `Nats-Msg-Id`, so that the server drops a second publish: `<session>/<first>-<last>`, and `/<part>` of a part. */
  readonly id: string
  readonly part: number
  readonly parts: number
  readonly bytes: Uint8Array
}

/** Splits a frame that is larger than `maxPayload`. Throws a TypeError for a `maxPayload` below 4 KiB. */
export function splitFrame(frame: Buffer, session: SessionId, maxPayload: number): WireMessage[] {
  if (!(maxPayload >= MIN_PAYLOAD)) throw new TypeError(`max_payload is ${maxPayload}; it must be 4 KiB or more`)
  const { crc, epoch, firstSeq, lastSeq } = openEnvelope(frame)
  const header = { epoch, firstSeq, lastSeq }
  const id = `${session}/${firstSeq}-${lastSeq}`
  if (frame.length <= maxPayload) return [{ ...header, id, part: 0, parts: 1, bytes: frame }]
  const size = partSize(frame.length, Math.ceil(frame.length / (maxPayload - PART_HEADER_BYTES)))
  const parts = Math.ceil(frame.length / size)
  return Array.from({ length: parts }, (_, part) => {
    const data = frame.subarray(part * size, (part + 1) * size)
    const bytes = Buffer.alloc(PART_HEADER_BYTES + data.length)
    bytes.write(MAGIC, 0, 'latin1')
    bytes.writeUInt16LE(VERSION, 4)
    bytes.writeUInt32LE(crc, 12)
    bytes.writeUInt32LE(frame.length, 16)
    bytes.writeUInt32LE(part, 20)
    bytes.writeUInt32LE(parts, 24)
    bytes.writeBigUInt64LE(BigInt(epoch), 28)
    bytes.writeBigUInt64LE(BigInt(firstSeq), 36)
    bytes.writeBigUInt64LE(BigInt(lastSeq), 44)
    bytes.set(data, PART_HEADER_BYTES)
    bytes.writeUInt32LE(checksum(bytes), CRC_AT)
    return { ...header, id: `${id}/${part}`, part, parts, bytes }
  })
}

const partSize = (frameBytes: number, parts: number): number => Math.ceil(frameBytes / parts)

/** A part as received. */
export interface FramePart extends FrameHeader {
  readonly frameCrc: number
  readonly frameBytes: number
  readonly part: number
  readonly parts: number
  readonly data: Uint8Array
}

export const isPart = (bytes: Uint8Array): boolean => asBuffer(bytes).toString('latin1', 0, 4) === MAGIC

/** Reads a part. Never throws. `data` is a view of `bytes`. */
export function readPart(bytes: Uint8Array): FrameResult<FramePart> {
  return asResult(() => {
    const buffer = asBuffer(bytes)
    checkStart(buffer, MAGIC, PART_HEADER_BYTES, 'frame part')
    if (checksum(buffer) !== buffer.readUInt32LE(CRC_AT))
      throw new FrameError('checksum', "The frame part is corrupt: its bytes don't match their checksum.")
    const frameBytes = buffer.readUInt32LE(16)
    const part = buffer.readUInt32LE(20)
    const parts = buffer.readUInt32LE(24)
    if (frameBytes > MAX_FRAME_BYTES || parts > MAX_PARTS)
      throw new FrameError('too-large', `The frame has ${frameBytes} bytes in ${parts} parts, which is too large.`)
    if (parts < 2 || part >= parts || buffer.readUInt16LE(6) !== 0) throw malformed('part header')
    const size = partSize(frameBytes, parts)
    if (Math.ceil(frameBytes / size) !== parts) throw malformed('part header')
    const expected = PART_HEADER_BYTES + Math.min(size, frameBytes - part * size)
    if (buffer.length !== expected) throw wrongLength(buffer.length, expected)
    return {
      frameCrc: buffer.readUInt32LE(12),
      frameBytes,
      part,
      parts,
      epoch: readSafeInteger(buffer, 28),
      firstSeq: readSafeInteger(buffer, 36),
      lastSeq: readSafeInteger(buffer, 44),
      data: buffer.subarray(PART_HEADER_BYTES),
    }
  })
}

export type JoinOutcome =
  /** A whole frame, not decoded yet. */
  | { readonly is: 'frame'; readonly bytes: Uint8Array }
  /** The part was taken; this many are missing. */
  | { readonly is: 'waiting'; readonly missing: number }
  /** The same part again. */
  | { readonly is: 'repeated' }
  /** A part of the frame that was joined last. */
  | { readonly is: 'late' }
  /** A part of another frame than the one being joined. It wasn't taken: `drop` that one first, or leave this one. */
  | { readonly is: 'other'; readonly part: FrameHeader }
  | { readonly is: 'refused'; readonly refusal: Refusal }

/**
 * Joins the parts of one frame at a time, in any order; whole frames pass through. Holds no more than the parts it
 * took, which are at most one frame. Use one joiner for each session.
 */
export class FrameJoiner {
  #joining: FramePart | null = null
  #lastJoined: FramePart | null = null
  #parts = new Map<number, Uint8Array>()

  /** Takes a received message. Never throws. The bytes are copied. */
  add(bytes: Uint8Array): JoinOutcome {
    if (!isPart(bytes)) return this.#whole(bytes)
    const read = readPart(bytes)
    if (!read.ok) return { is: 'refused', refusal: read.refusal }
    const part = read.value
    if (this.#lastJoined !== null && isSameFrame(part, this.#lastJoined)) return { is: 'late' }
    if (this.#joining === null) this.#joining = withoutData(part)
    else if (!isSameFrame(part, this.#joining)) {
      const { epoch, firstSeq, lastSeq } = part
      return { is: 'other', part: { epoch, firstSeq, lastSeq } }
    }
    const present = this.#parts.get(part.part)
    if (present !== undefined)
      return equalBytes(present, part.data) ? { is: 'repeated' } : { is: 'refused', refusal: CONFLICT }
    this.#parts.set(part.part, new Uint8Array(part.data))
    const missing = part.parts - this.#parts.size
    return missing > 0 ? { is: 'waiting', missing } : this.#finish(part)
  }

  /** The frame being joined, or null. */
  get joining(): FrameHeader | null {
    return this.#joining
  }

  /** Numbers of the parts that are missing of the frame being joined. */
  missing(): number[] {
    const found: number[] = []
    for (let i = 0; i < (this.#joining?.parts ?? 0); i++) if (!this.#parts.has(i)) found.push(i)
    return found
  }

  /** Forgets the frame being joined. */
  drop(): void {
    this.#joining = null
    this.#parts = new Map()
  }

  #whole(bytes: Uint8Array): JoinOutcome {
    const opened = asResult(() => openEnvelope(bytes))
    return opened.ok ? { is: 'frame', bytes } : { is: 'refused', refusal: opened.refusal }
  }

  #finish(last: FramePart): JoinOutcome {
    const pieces = Array.from({ length: last.parts }, (_, i) => this.#parts.get(i) ?? new Uint8Array(0))
    this.drop()
    const bytes = Buffer.concat(pieces)
    const opened = asResult(() => {
      const envelope = openEnvelope(bytes)
      const { epoch, firstSeq, lastSeq } = envelope
      if (envelope.crc !== last.frameCrc || !isSameSpan(last, { epoch, firstSeq, lastSeq }))
        throw malformed('part header')
    })
    if (!opened.ok) return { is: 'refused', refusal: opened.refusal }
    this.#lastJoined = withoutData(last)
    return { is: 'frame', bytes }
  }
}

const CONFLICT: Refusal = {
  code: 'conflicting-part',
  message: 'The frame part differs from one that was received for the same place.',
}

const withoutData = (part: FramePart): FramePart => ({ ...part, data: new Uint8Array(0) })

const isSameSpan = (a: FrameHeader, b: FrameHeader): boolean =>
  a.epoch === b.epoch && a.firstSeq === b.firstSeq && a.lastSeq === b.lastSeq

const isSameFrame = (a: FramePart, b: FramePart): boolean =>
  a.frameCrc === b.frameCrc && a.frameBytes === b.frameBytes && a.parts === b.parts && isSameSpan(a, b)
