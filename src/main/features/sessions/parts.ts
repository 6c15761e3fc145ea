/**
 * The container of a `.tapedeck` file: magic and version, then a sequence of parts. A part has its kind, sizes,
 * number, the SHA-256 of its content, and the content as a zstd frame (or uncompressed if that is not larger). The
 * last part holds the SHA-256 of all bytes before it, and nothing follows it. Files are written and read sequentially;
 * numbers are little-endian.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:zlib'
import { zstdCompress as compress, zstdDecompress as decompress } from '../../base/zstd.ts'
import { CodedError } from '../../../shared/base/errors.ts'

export const MAGIC = Buffer.from('TAPEDECK')
export const VERSION = 1
/** Magic, version, reserved bytes. */
export const HEADER_BYTES = 16
/** Kind, number, content size, stored size, SHA-256 of the content. */
export const PART_HEADER_BYTES = 48
export const SUFFIX = '.tapedeck'

/** `meta`: what the session is; `chns`: sizes of flushes; `rows`: messages; `entr`: entries; `done`: the end. */
const PART_KINDS = ['meta', 'chns', 'rows', 'entr', 'done'] as const
export type PartKind = (typeof PART_KINDS)[number]

/** Largest content of a part. A reader holds it in memory. */
const MAX_CONTENT = 96 << 20
/** Refuse a part that grows more than this when decompressed. */
const MAX_RATIO = 1_000
const SMALL_CONTENT = 1 << 20

export interface PartHeader {
  readonly kind: PartKind
  readonly number: number
  readonly contentBytes: number
  readonly storedBytes: number
  readonly sha256: Buffer
}

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 6 } }

export function fileHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(header)
  header.writeUInt16LE(VERSION, MAGIC.length)
  return header
}

/**
 * Throws `unexpected-answer` if the bytes aren't the start of a session file, and `store-newer` for a later version.
 */
export function checkFileHeader(bytes: Uint8Array): void {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CodedError('unexpected-answer', 'This isn’t a Tapedeck session file.', {
      hint: 'Choose a file that ends in .tapedeck.',
    })
  }
  const version = header.readUInt16LE(MAGIC.length)
  if (version > VERSION) {
    throw new CodedError(
      'store-newer',
      `This session file was written by a newer Tapedeck (format ${version}; this one knows ${VERSION}).`,
      { hint: 'Update Tapedeck, then open it again.' },
    )
  }
  if (version !== VERSION || header.subarray(MAGIC.length + 2).some((byte) => byte !== 0))
    throw corruptFile('its beginning')
}

/** Encodes a part as it is stored in a file. */
export async function encodePart(kind: PartKind, number: number, content: Uint8Array): Promise<Buffer> {
  if (content.length > MAX_CONTENT) {
    throw new CodedError('too-large', 'A message of this session is too large for a session file.')
  }
  // The end part isn't compressed, because the file's checksum doesn't cover its stored bytes.
  const packed = kind === 'done' ? content : await compress(content, LEVEL)
  const honest = content.length <= SMALL_CONTENT || content.length <= packed.length * MAX_RATIO
  const stored = packed.length < content.length && honest ? packed : content
  const header = Buffer.alloc(PART_HEADER_BYTES)
  header.write(kind, 0, 'latin1')
  header.writeUInt32LE(number, 4)
  header.writeUInt32LE(content.length, 8)
  header.writeUInt32LE(stored.length, 12)
  createHash('sha256').update(header.subarray(0, 16)).update(content).digest().copy(header, 16)
  return Buffer.concat([header, stored])
}

/** Parses the header of a part. Throws `store-damaged` if its numbers are impossible. */
export function readPartHeader(bytes: Buffer, number: number): PartHeader {
  const kind = PART_KINDS.find((one) => one === bytes.toString('latin1', 0, 4))
  const contentBytes = bytes.readUInt32LE(8)
  const storedBytes = bytes.readUInt32LE(12)
  if (
    kind === undefined ||
    bytes.readUInt32LE(4) !== number ||
    contentBytes > MAX_CONTENT ||
    storedBytes > contentBytes ||
    (contentBytes > SMALL_CONTENT && contentBytes > storedBytes * MAX_RATIO)
  ) {
    throw corruptFile(`part ${number}`)
  }
  return { kind, number, contentBytes, storedBytes, sha256: Buffer.from(bytes.subarray(16, PART_HEADER_BYTES)) }
}

/** Decodes the content of a part. Throws `store-damaged` if it doesn't match its header. */
export async function readPart(header: PartHeader, head: Uint8Array, stored: Uint8Array): Promise<Buffer> {
  let content
  try {
    content =
      header.storedBytes === header.contentBytes
        ? Buffer.from(stored)
        : await decompress(stored, { maxOutputLength: Math.max(1, header.contentBytes) })
  } catch {
    throw corruptFile(`part ${header.number}`)
  }
  const sum = createHash('sha256').update(head.subarray(0, 16)).update(content).digest()
  if (content.length !== header.contentBytes || !sum.equals(header.sha256)) throw corruptFile(`part ${header.number}`)
  return content
}

/** The error for a session with more than `most` of `what` (a plural), which this process couldn't hold. */
export const tooLarge = (what: string, most: number): CodedError =>
  new CodedError('too-large', `The session has more than ${most.toLocaleString('en-US')} ${what}.`, {
    hint: 'That is the limit of a session file. To copy a whole store, use "tapedeck backup".',
  })

/** The error that names the corrupt part of a file. */
export const corruptFile = (what: string): CodedError =>
  new CodedError('store-damaged', `The session file is corrupt: ${what} changed since it was written.`, {
    hint: 'Nothing was imported. Copy the file again, or save it again where the session was recorded.',
  })
