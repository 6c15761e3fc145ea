/** Recognizes the kind of a text file by its content, not by its name. */
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns } from '../../../service/tick-columns.ts'
import { FEED_IDS, isFeedId } from '../../../shared/base/units.ts'
import type { Separator } from '../../../shared/features/export/export.ts'
import { createCsvParser, headOf, separatorOfLine } from './csv.ts'
import type { OwnTable } from './own-rows.ts'
import { isParquet, parquetHead } from './parquet.ts'
import { CodedError } from '../../../shared/base/errors.ts'

export type TextKind =
  /** Tapedeck's own table of one feed. */
  | ({ readonly is: 'ticks'; readonly separator: Separator | null } & OwnTable)
  /** Tapedeck's own JSON Lines. */
  | { readonly is: 'lines'; readonly raw: boolean }
  | {
      readonly is: 'table'
      /** Null: Parquet. */
      readonly separator: Separator | null
      readonly header: boolean
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const HEAD = 256 << 10
const HEAD_ROWS = 200
const OWN_TABLES = ([1, 2] as const).flatMap((schema) => [false, true].map((raw) => ({ raw, schema })))

/** Determines a file's kind from its first characters. */
export async function kindOfText(path: string): Promise<TextKind> {
  if (await isParquet(path)) {
    const { columns, rows } = await parquetHead(path, HEAD_ROWS)
    return (
      ownTicks([columns.map((name) => PARQUET_NAMES[name] ?? name), ...rows], null) ??
      ownTicks([columns, ...rows], null) ?? { is: 'table', separator: null, header: true, columns, rows }
    )
  }
  const head = await headOf(path, HEAD)
  if (/^ARROW1|^\ufffd{4}/.test(head)) {
    throw new CodedError('bad-file', 'This is Arrow, which Tapedeck doesn’t import.', {
      hint: 'Export Parquet or CSV instead.',
    })
  }
  if (head.startsWith('PK\u0003\u0004')) {
    throw new CodedError('bad-file', 'This is a ZIP archive or an Excel workbook, which Tapedeck doesn’t import.', {
      hint: 'Unpack it, or save the sheet as CSV, and import that.',
    })
  }
  if (head === '') throw new CodedError('bad-file', 'This file is empty.')
  const firstLine = /^\s*[^\r\n]*/.exec(head)?.[0] ?? ''
  if (/^\s*\{"feed":/.test(head)) return { is: 'lines', raw: /,"raw(?:_base64)?":/.test(firstLine) }
  const separator = separatorOfLine(firstLine)
  const rows = rowsOfHead(head, separator)
  const [first = []] = rows
  const own = ownTicks(rows, separator)
  if (own !== null) return own
  if (!isText(head)) {
    throw new CodedError('bad-file', 'This is neither text nor a Parquet or session file, or its start is corrupt.', {
      hint: 'Choose a table of ticks or bars, or a file that Tapedeck exported.',
    })
  }
  const header = first.length > 0 && first.every((cell) => cell.trim() !== '' && !/^[\d.,:+\-\s]+$/.test(cell.trim()))
  return {
    is: 'table',
    separator,
    header,
    columns: header ? first : first.map((_, i) => `column ${i + 1}`),
    rows: header ? rows.slice(1) : rows,
  }
}

/** Characters that text doesn't have, one in this many at most: encodings other than UTF-8 have some. */
const ODD_SHARE = 20

/** False for NUL or many characters that aren't UTF-8. */
function isText(head: string): boolean {
  return !head.includes('\0') && head.split('\ufffd').length - 1 <= head.length / ODD_SHARE
}

/** Names in Parquet of schema 1, in CSV. */
const PARQUET_NAMES: Readonly<Record<string, string>> = { event_time: 'event_iso', recv_time: 'recv_iso' }

/** Our own table of ticks, recognized by its exact header; null for any other. */
function ownTicks(rows: readonly (readonly string[])[], separator: Separator | null): TextKind | null {
  const [first = [], second] = rows
  for (const feed of FEED_IDS) {
    for (const { raw, schema } of OWN_TABLES) {
      const own = csvTickColumns(feed, raw, schema)
      if (own.length !== first.length || own.some((name, i) => first[i] !== name)) continue
      const named = second?.[0]
      // Feeds of the same shape have the same columns, so take the feed from the first row.
      const of = named !== undefined && isFeedId(named) ? named : feed
      if (FEEDS[of].kind !== FEEDS[feed].kind) continue
      return { is: 'ticks', separator, feed: of, raw, schema, isPlain: separator === null }
    }
  }
  return null
}

/** The complete rows at the start of a file, at most 200. Skips a row that `HEAD` cuts off. */
function rowsOfHead(head: string, separator: Separator): readonly (readonly string[])[] {
  const parser = createCsvParser(separator)
  const rows = parser.push(head.length < HEAD && !head.endsWith('\n') ? `${head}\n` : head)
  return rows.slice(0, HEAD_ROWS).map(({ cells }) => cells)
}
