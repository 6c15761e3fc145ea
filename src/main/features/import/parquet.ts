/** Reads Parquet files as tables of text. */
import { open, type FileHandle } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parquetMetadataAsync, parquetRead, parquetSchema, type AsyncBuffer, type FileMetaData } from 'hyparquet'
import { CodedError } from '../../../shared/base/errors.ts'
import { zstdDecompressSync } from '../../base/zstd.ts'
import type { CsvRow } from './csv.ts'

/** Rows read at once. */
const SLICE = 65_536
const MAX_COLUMNS = 1_000
/** Its first and last four bytes, and the length of what it says about itself. */
const SHORTEST = 12

const copied = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

async function openParquet(path: string): Promise<{ file: AsyncBuffer; handle: FileHandle; metadata: FileMetaData }> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    if (size < SHORTEST) throw new RangeError('no Parquet file is so short')
    const file: AsyncBuffer = {
      byteLength: size,
      async slice(from, to = size) {
        const bytes = new Uint8Array(Math.max(0, to - from))
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
        return copied(bytes.subarray(0, bytesRead))
      },
    }
    return { file, handle, metadata: await parquetMetadataAsync(file) }
  } catch (cause) {
    await handle.close()
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): CodedError {
  if (cause instanceof CodedError) return cause
  // Other errors of the library come from bytes that it didn't expect, and say nothing to a user.
  const [unsupported] =
    /\b(?:unsupported|unhandled) .+|^.+ not supported/.exec(cause instanceof Error ? cause.message : '') ?? []
  return new CodedError('bad-file', `Couldn’t read ${path} as Parquet.`, {
    hint:
      unsupported === undefined ? 'Check that the file is complete.' : `Tapedeck can’t read this kind: ${unsupported}.`,
    cause,
  })
}

/** Whether a file begins as Parquet does. */
export async function isParquet(path: string): Promise<boolean> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.toString('latin1') === 'PAR1'
  } finally {
    await handle.close()
  }
}

/** Names of the columns and the first rows. Nested columns are left out. */
export async function parquetHead(
  path: string,
  most: number,
): Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }> {
  const { file, handle, metadata } = await openParquet(path)
  try {
    const columns = columnsOf(metadata)
    const rows = await slice(file, metadata, columns, 0, Math.min(most, Number(metadata.num_rows)))
    return { columns, rows }
  } catch (cause) {
    throw unreadable(path, cause)
  } finally {
    await handle.close()
  }
}

/** Rows in the file's order, numbered from 1, and about how many bytes were read. */
export async function* parquetRows(
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly rows: readonly CsvRow[]; readonly bytes: number }, void, void> {
  const { file, handle, metadata } = await openParquet(path)
  try {
    const columns = columnsOf(metadata)
    const all = Number(metadata.num_rows)
    for (let from = 0; from < all; from += SLICE) {
      if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was canceled.')
      const to = Math.min(all, from + SLICE)
      const cells = await slice(file, metadata, columns, from, to)
      const rows = cells.map((row, i) => ({ line: from + i + 1, cells: row }))
      yield { rows, bytes: (file.byteLength * to) / all }
    }
  } catch (cause) {
    throw unreadable(path, cause)
  } finally {
    await handle.close()
  }
}

function columnsOf(metadata: FileMetaData): readonly string[] {
  const columns = parquetSchema(metadata).children.filter((one) => one.children.length === 0)
  if (columns.length > MAX_COLUMNS) throw new CodedError('bad-file', `The file has more than ${MAX_COLUMNS} columns.`)
  return columns.map((one) => one.element.name)
}

async function slice(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  rowStart: number,
  rowEnd: number,
): Promise<string[][]> {
  const found: unknown[][] = []
  await parquetRead({
    file,
    metadata,
    columns: [...columns],
    rowStart,
    rowEnd,
    rowFormat: 'array',
    onComplete: (rows: unknown[][]) => void found.push(...rows),
    compressors: {
      GZIP: (input) => gunzipSync(input),
      BROTLI: (input) => brotliDecompressSync(input),
      ZSTD: (input) => zstdDecompressSync(input),
    },
    // Times as numbers: their unit is recognized by magnitude, and none of their digits is lost.
    parsers: {
      timestampFromMilliseconds: String,
      timestampFromMicroseconds: String,
      timestampFromNanoseconds: String,
      dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
    },
  })
  return found.map((row) => row.map(textOf))
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isNaN(value) ? '' : String(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}
