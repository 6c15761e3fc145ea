/**
 * The outside of a frame: a header of fixed size, then the content, compressed or not. Everything here is checked
 * before anything is decompressed or allocated.
 *
 * | offset | field | |
 * |---|---|---|
 * | 0 | magic | `TDFR` |
 * | 4 | version | u16 |
 * | 6 | codec | u8: 0 plain, 1 zstd |
 * | 7 | reserved | 0 |
 * | 8 | CRC-32 of all other bytes | u32 |
 * | 12 | content bytes, stored bytes | u32 each |
 * | 20 | epoch, first seq, last seq | u64 each |
 */
import { constants, crc32 } from 'node:zlib'
import { hasZstd, zstdCompressSync, zstdDecompressSync, zstdProblem } from '../../../base/zstd.ts'
import { MAX_CONTENT, MAX_GROWTH, SMALL_CONTENT, VERSION, type FrameHeader } from './frame.ts'
import { FrameError, malformed, newer } from './refusal.ts'

export const HEADER_BYTES = 44
/** Where the checksum of frames and parts is, and how long it is. */
const CRC_AT = 8
const CRC_BYTES = 4
const MAGIC = 'TDFR'
const CODECS = ['plain', 'zstd'] as const
/** Frames are compressed while messages are recorded, so speed counts more than size. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
/** Windows this small are always allowed, 2^17 bytes. */
const MIN_WINDOW_LOG = 17
/** Output buffers of the decompressor, bytes. */
const MIN_CHUNK = 1 << 10
const MAX_CHUNK = 1 << 20

/** Checksum of a frame or part: all its bytes except the checksum itself. */
export const checksum = (bytes: Uint8Array): number =>
  crc32(bytes.subarray(CRC_AT + CRC_BYTES), crc32(bytes.subarray(0, CRC_AT)))

/** A view of bytes with Buffer's reading functions. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Checks magic and version of a frame or part. `what`: "frame" or "frame part". */
export function checkStart(bytes: Buffer, magic: string, headerBytes: number, what: string): void {
  if (bytes.length < 6 || bytes.toString('latin1', 0, 4) !== magic || bytes.readUInt16LE(4) === 0)
    throw new FrameError('not-a-frame', `The message isn't a Tapedeck ${what}.`)
  const version = bytes.readUInt16LE(4)
  if (version > VERSION) throw newer(`it has format ${version}, and this one reads up to ${VERSION}`)
  if (bytes.length < headerBytes) throw wrongLength(bytes.length, headerBytes)
}

export const wrongLength = (bytes: number, expected: number): FrameError =>
  new FrameError('wrong-length', `The frame is incomplete: it has ${bytes} bytes instead of ${expected}.`)

/** Reads a u64 that a double holds exactly. */
export function readSafeInteger(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at))
  if (!Number.isSafeInteger(value)) throw malformed('header')
  return value
}

/** Compresses content where that makes it smaller, and puts the header in front. Refuses content that is too large. */
export function seal(header: FrameHeader, content: Uint8Array, canCompress = hasZstd): Buffer {
  if (content.length > MAX_CONTENT) throw tooLarge(content.length)
  const packed = canCompress ? zstdCompressSync(content, LEVEL) : content
  const isHonest = content.length <= SMALL_CONTENT || content.length <= packed.length * MAX_GROWTH
  const stored = packed.length < content.length && isHonest ? packed : content
  const out = Buffer.alloc(HEADER_BYTES + stored.length)
  out.write(MAGIC, 0, 'latin1')
  out.writeUInt16LE(VERSION, 4)
  out.writeUInt8(stored === content ? 0 : 1, 6)
  out.writeUInt32LE(content.length, 12)
  out.writeUInt32LE(stored.length, 16)
  out.writeBigUInt64LE(BigInt(header.epoch), 20)
  out.writeBigUInt64LE(BigInt(header.firstSeq), 28)
  out.writeBigUInt64LE(BigInt(header.lastSeq), 36)
  out.set(stored, HEADER_BYTES)
  out.writeUInt32LE(checksum(out), CRC_AT)
  return out
}

interface Envelope extends FrameHeader {
  readonly codec: (typeof CODECS)[number]
  readonly contentBytes: number
  readonly crc: number
  readonly stored: Buffer
}

/** Checks everything about a frame that can be checked without decompressing it. Throws FrameError. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  const buffer = asBuffer(bytes)
  checkStart(buffer, MAGIC, HEADER_BYTES, 'frame')
  const contentBytes = buffer.readUInt32LE(12)
  const storedBytes = buffer.readUInt32LE(16)
  if (buffer.length !== HEADER_BYTES + storedBytes) throw wrongLength(buffer.length, HEADER_BYTES + storedBytes)
  const crc = buffer.readUInt32LE(CRC_AT)
  if (checksum(buffer) !== crc)
    throw new FrameError('checksum', "The frame is corrupt: its bytes don't match their checksum.")
  if (contentBytes > MAX_CONTENT) throw tooLarge(contentBytes)
  if (contentBytes > SMALL_CONTENT && contentBytes > storedBytes * MAX_GROWTH)
    throw new FrameError('too-large', `The frame grows more than ${MAX_GROWTH} times when it is decompressed.`)
  const codec = CODECS[buffer.readUInt8(6)]
  if (codec === undefined) throw newer(`it uses codec ${buffer.readUInt8(6)}`)
  const header = {
    epoch: readSafeInteger(buffer, 20),
    firstSeq: readSafeInteger(buffer, 28),
    lastSeq: readSafeInteger(buffer, 36),
  }
  if (
    buffer.readUInt8(7) !== 0 ||
    header.firstSeq < 1 ||
    header.lastSeq < header.firstSeq ||
    (codec === 'plain' && contentBytes !== storedBytes)
  )
    throw malformed('header')
  return { ...header, codec, contentBytes, crc, stored: buffer.subarray(HEADER_BYTES) }
}

/** The content of a frame. Throws FrameError. */
export function unseal({ codec, contentBytes, stored }: Envelope, canDecompress = hasZstd): Uint8Array {
  if (codec === 'plain') return stored
  const problem = zstdProblem(canDecompress)
  if (problem !== null)
    throw new FrameError('no-zstd', `This Node can't decompress frames.`, 'Update Tapedeck, or run it on Node 24.')
  let content
  try {
    content = zstdDecompressSync(stored, {
      maxOutputLength: Math.max(1, contentBytes),
      // One output buffer for all of it, unless a header lies about the size: joining small ones takes as long as the rest.
      chunkSize: Math.min(Math.max(MIN_CHUNK, contentBytes), MAX_CHUNK),
      // Without a limit, a few bytes make the decompressor allocate a window of 128 MiB.
      params: { [constants.ZSTD_d_windowLogMax]: Math.max(MIN_WINDOW_LOG, Math.ceil(Math.log2(contentBytes))) },
    })
  } catch {
    throw malformed('content')
  }
  if (content.length !== contentBytes) throw malformed('content')
  return content
}

const tooLarge = (bytes: number): FrameError =>
  new FrameError('too-large', `The frame has ${bytes} bytes of content; the limit is ${MAX_CONTENT}.`)
