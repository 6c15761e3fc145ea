/**
 * zstd of `node:zlib`, available since Node 22.15. Importing its functions by name would prevent an older Node from
 * loading the recorder at all; through this module it still records, and messages stay in the journal.
 */
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { CodedError } from '../../shared/base/errors.ts'

/** Whether compressed blocks can be written and read. */
export const hasZstd = typeof zlib.zstdCompressSync === 'function'

/** The notice to show on a Node without zstd; null if it has zstd. */
export const zstdProblem = (has = hasZstd): string | null =>
  has
    ? null
    : `This build runs on Node ${process.versions.node}, which has no zstd. Messages are recorded, but sessions can't be sealed or read. Update Tapedeck, or run it on Node 24; it seals what was recorded then.`

const missing = (): never => {
  throw new CodedError('not-allowed', `Node ${process.versions.node} has no zstd.`, {
    hint: 'Update Tapedeck, or run it on Node 24.',
  })
}

export const zstdCompressSync: typeof zlib.zstdCompressSync = hasZstd ? zlib.zstdCompressSync : missing
export const zstdDecompressSync: typeof zlib.zstdDecompressSync = hasZstd ? zlib.zstdDecompressSync : missing

type Convert = (data: Uint8Array, options?: zlib.ZstdOptions) => Promise<Buffer>
/** Run in libuv's thread pool; reject without zstd. */
export const zstdCompress: Convert = hasZstd ? promisify(zlib.zstdCompress) : async () => missing()
export const zstdDecompress: Convert = hasZstd ? promisify(zlib.zstdDecompress) : async () => missing()
