/** Reads Parquet files as tables of text. */
import { open, type FileHandle } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parquetMetadataAsync, parquetRead, parquetSchema, type AsyncBuffer, type FileMetaData } from 'hyparquet'
import { CodedError } from '../../../shared/base/errors.ts'
import { zstdDecompressSync } from '../../base/zstd.ts'
import type { CsvRow } from './csv.ts'

/** Values read at once: each read of a row group decodes it from its start. */
const READ_VALUES = 8_000_000
/** Rows of a portion. */
const PORTION_ROWS = 1_000
const MAX_COLUMNS = 1_000
/** Values of a row group, and its bytes once unpacked, so that a small file can't fill the memory. */
const MAX_VALUES = 64_000_000
const MAX_BYTES = 1 << 30
/** Its first and last four bytes, and the length of what it says about itself. */
const SHORTEST = 12

const copied = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

async function openParquet(path: string): Promise<{ file: AsyncBuffer; handle: FileHandle; metadata: FileMetaData }> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    if (size < SHORTEST) throw new RangeError('no Parquet file is so short')
    const read = async (from: number, to: number): Promise<ArrayBuffer> => {
      const bytes = new Uint8Array(to - from)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
      return copied(bytes.subarray(0, bytesRead))
    }
    const file: AsyncBuffer = {
      byteLength: size,
      slice(from, to = size) {
        // Thrown at once: the library reads several parts side by side, and nobody waits for the others of one that fails.
        if (!(from >= 0 && to >= from && to <= size)) throw new RangeError('a part lies outside of the file')
        return read(from, to)
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
    const [first] = groupsOf(metadata, columns)
    const rows = first === undefined ? [] : await slice(file, metadata, columns, 0, Math.min(most, first))
    return { columns, rows: rows.map((row) => row.map(textOf)) }
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
    const groups = groupsOf(metadata, columns)
    const all = groups.reduce((sum, rows) => sum + rows, 0)
    const most = Math.max(1, Math.floor(READ_VALUES / Math.max(1, columns.length)))
    let done = 0
    for (const group of groups) {
      const end = done + group
      while (done < end) {
        const cells = await slice(file, metadata, columns, done, Math.min(end, done + most))
        for (let at = 0; at < cells.length; at += PORTION_ROWS) {
          if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was canceled.')
          const first = done + at + 1
          const rows = cells.slice(at, at + PORTION_ROWS).map((row, i) => ({ line: first + i, cells: row.map(textOf) }))
          yield { rows, bytes: (file.byteLength * (first - 1 + rows.length)) / all }
        }
        done += cells.length
      }
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

/** The rows of each row group. Throws `bad-file` for counts that can't be, `too-large` for a group that is too large. */
function groupsOf(metadata: FileMetaData, names: readonly string[]): readonly number[] {
  const columns = new Map(parquetSchema(metadata).children.map(({ element }) => [element.name, element] as const))
  const rows = metadata.row_groups.map((group) => {
    const count = Number(group.num_rows)
    let [values, bytes] = [0, 0]
    for (const { meta_data: about } of group.columns) {
      if (about === undefined || about.path_in_schema.length > 1 || !names.includes(about.path_in_schema[0])) continue
      const ofColumn = Number(about.num_values)
      const isList = columns.get(about.path_in_schema[0])?.repetition_type === 'REPEATED'
      if (ofColumn !== count && !(isList && ofColumn > count)) throw new RangeError('a column has other rows')
      values += ofColumn
      bytes += Number(about.total_uncompressed_size)
    }
    if (count < 0) throw new RangeError('a row group has less than no rows')
    if (Math.max(count, values) > MAX_VALUES || bytes > MAX_BYTES) {
      throw new CodedError('too-large', 'A row group of this Parquet file is too large.', {
        hint: 'Write the file with smaller row groups, such as of a million rows, and import that.',
      })
    }
    return count
  })
  if (rows.reduce((sum, count) => sum + count, 0) !== Number(metadata.num_rows)) {
    throw new RangeError('the row groups have other rows than the file')
  }
  return rows
}

/** Throws if there are fewer rows than the file says. */
async function slice(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  rowStart: number,
  rowEnd: number,
): Promise<readonly unknown[][]> {
  let found: unknown[][] = []
  await parquetRead({
    file,
    metadata,
    columns: [...columns],
    rowStart,
    rowEnd,
    rowFormat: 'array',
    onComplete: (rows: unknown[][]) => void (found = rows),
    compressors: {
      GZIP: (input) => gunzipSync(input, { maxOutputLength: MAX_BYTES }),
      BROTLI: (input) => brotliDecompressSync(input, { maxOutputLength: MAX_BYTES }),
      ZSTD: (input) => zstdDecompressSync(input, { maxOutputLength: MAX_BYTES }),
    },
    // Times as numbers: their unit is recognized by magnitude, and none of their digits is lost.
    parsers: {
      timestampFromMilliseconds: String,
      timestampFromMicroseconds: String,
      timestampFromNanoseconds: String,
      dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
    },
  })
  if (found.length !== rowEnd - rowStart) throw new RangeError('the file has fewer rows than it says')
  return found
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isNaN(value) ? '' : String(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}
