/** Reads CSV (RFC 4180) in chunks, with LF or CRLF, with or without a byte order mark. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { CodedError } from '../../../shared/base/errors.ts'
import { SEPARATORS, type Separator } from '../../../shared/features/export/export.ts'

export interface CsvRow {
  /** Line number of its first character, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** Maximum row length in characters, so that an unclosed quote doesn't load the rest of the file into memory. */
const LONGEST_ROW = 32 << 20
const MAX_CELLS = 1_000
/** How much is read and parsed in one turn of the thread that also receives: a megabyte of rows takes it half a second. */
const PIECE_BYTES = 16 << 10

/**
 * Parses text in chunks and returns complete rows, without empty lines. Throws `bad-file` if a row is too long or a quote
 * is still open at the end.
 */
export function createCsvParser(separator: Separator): {
  push(text: string): CsvRow[]
  end(): CsvRow[]
} {
  /** The pieces of the row that hasn't ended, and its length so far. Joined once it ends: its pieces can be thousands. */
  let parts: string[] = []
  let length = 0
  let line = 1
  /** Whether the row is inside quotes. */
  let open = false
  const take = (text: string): CsvRow[] => {
    const rows: CsvRow[] = []
    let from = 0
    let quote = text.indexOf('"')
    for (let at = 0; ;) {
      // A row ends at a line feed outside quotes.
      const feed = text.indexOf('\n', at)
      for (
        const stop = feed < 0 ? text.length : feed;
        quote >= 0 && quote < stop;
        quote = text.indexOf('"', quote + 1)
      ) {
        open = !open
      }
      if (feed < 0) break
      at = feed + 1
      if (open) continue
      addRow(rows, parts.join('') + text.slice(from, feed))
      parts = []
      length = 0
      from = at
    }
    parts.push(text.slice(from))
    length += text.length - from
    if (length > LONGEST_ROW) throw tooLong(line, open)
    return rows
  }
  const addRow = (rows: CsvRow[], text: string): void => {
    const first = line
    const body = text.endsWith('\r') ? text.slice(0, -1) : text
    line++
    if (!body.includes('"')) {
      if (body !== '') rows.push({ line: first, cells: limited(body.split(separator, MAX_CELLS + 1), first) })
      return
    }
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    rows.push({ line: first, cells: limited(quotedCells(body, separator), first) })
  }
  return {
    push: take,
    end() {
      const rows: CsvRow[] = []
      const rest = parts.join('')
      parts = []
      if (rest === '') return rows
      if (open) throw new CodedError('bad-file', `Line ${line}: a quote isn’t closed.`)
      addRow(rows, rest)
      return rows
    },
  }
}

/** The error for a row without an end. `open`: it is inside quotes. */
export const tooLong = (line: number, open = false): CodedError =>
  new CodedError('bad-file', open ? `Line ${line}: a quote isn’t closed.` : `Line ${line} is too long.`, {
    hint: 'Check that this is a text file with a table.',
  })

function limited(cells: string[], line: number): string[] {
  if (cells.length > MAX_CELLS) throw new CodedError('bad-file', `Line ${line} has more than ${MAX_CELLS} columns.`)
  return cells
}

/** Splits a row that contains quotes into cells. Text after a closing quote is added to the cell unchanged. */
function quotedCells(text: string, separator: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    let cell = ''
    if (text[at] === '"') {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote < 0) {
          cell += text.slice(at)
          at = text.length
          break
        }
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    }
    const next = text.indexOf(separator, at)
    cells.push(cell + text.slice(at, next < 0 ? undefined : next))
    if (next < 0 || cells.length > MAX_CELLS) return cells
    at = next + 1
  }
}

/** Guesses the separator of a header line: the most frequent one outside quotes. */
export function separatorOfLine(line: string): Separator {
  const bare = line.replace(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((one) => bare.split(one).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))]
}

/** Whether a file begins as gzip does. */
async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}

/** Decodes a text in chunks by its byte order mark; without one as UTF-8. Excel's “Unicode text” is UTF-16. */
function decoderOf([first, second]: Buffer): (chunk?: Buffer) => string {
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const decoder = new TextDecoder(!isWide ? 'utf-8' : first === 0xff ? 'utf-16le' : 'utf-16be')
  return (chunk) => decoder.decode(chunk, { stream: chunk !== undefined })
}

/**
 * Yields a file's text in chunks, unpacked if it is gzip, without a byte order mark. What isn't text becomes U+FFFD.
 * `bytes`: read so far, of the file as it is.
 */
export async function* textOf(path: string, signal?: AbortSignal): AsyncGenerator<{ text: string; bytes: number }> {
  let decode: ReturnType<typeof decoderOf> | undefined
  const isPacked = await isGzip(path)
  // Nothing is awaited before the loop below: an error that comes while nobody listens would end the terminal.
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES })
  // Errors of the file end the unpacking, and with it the loop below.
  const unpacked = isPacked ? file.pipe(createGunzip()) : file
  if (unpacked !== file) file.on('error', (error) => unpacked.destroy(error))
  let bytes = 0
  try {
    for await (const piece of unpacked) {
      if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was canceled.')
      const chunk = piece as Buffer // the stream has no encoding
      bytes = unpacked === file ? bytes + chunk.length : file.bytesRead
      decode ??= decoderOf(chunk)
      yield { text: decode(chunk), bytes }
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_')) {
      throw new CodedError('bad-file', 'Couldn’t unpack the file.', { hint: 'Check that it is complete.', cause })
    }
    throw cause
  } finally {
    file.destroy()
  }
  yield { text: decode?.() ?? '', bytes }
}

/** The first `most` characters of a file. */
export async function headOf(path: string, most: number): Promise<string> {
  let head = ''
  for await (const { text } of textOf(path)) {
    head += text
    if (head.length >= most) break
  }
  return head.slice(0, most)
}
