/** Recognizes the kind of a text file by its content, not by its name. */
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns } from '../../../service/tick-columns.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../../../shared/base/units.ts'
import type { Separator } from '../../../shared/features/export/export.ts'
import { createCsvParser, headOf, separatorOfLine } from './csv.ts'

export type TextKind =
  /** Tapedeck's own CSV of one feed. */
  | { readonly is: 'ticks'; readonly separator: Separator; readonly feed: FeedId; readonly raw: boolean }
  /** Tapedeck's own JSON Lines. */
  | { readonly is: 'lines' }
  | {
      readonly is: 'table'
      readonly separator: Separator
      readonly header: boolean
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const HEAD = 256 << 10

/** Determines a file's kind from its first characters. */
export async function kindOfText(path: string): Promise<TextKind> {
  const head = await headOf(path, HEAD)
  if (/^\s*\{"feed":/.test(head)) return { is: 'lines' }
  const firstLine = /^[^\r\n]*/.exec(head)?.[0] ?? ''
  const separator = separatorOfLine(firstLine)
  const rows = rowsOfHead(head, separator)
  const [first = [], second] = rows
  for (const feed of FEED_IDS) {
    for (const raw of [false, true]) {
      const own = csvTickColumns(feed, raw)
      if (own.length !== first.length || own.some((name, i) => first[i] !== name)) continue
      const named = second?.[0]
      // Feeds of the same shape have the same columns, so take the feed from the first row.
      const of = named !== undefined && isFeedId(named) ? named : feed
      if (FEEDS[of].kind === FEEDS[feed].kind) return { is: 'ticks', separator, feed: of, raw }
    }
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

/** The complete rows at the start of a file, at most 200. Skips a row that `HEAD` cuts off. */
function rowsOfHead(head: string, separator: Separator): readonly (readonly string[])[] {
  const parser = createCsvParser(separator)
  const rows = parser.push(head.length < HEAD && !head.endsWith('\n') ? `${head}\n` : head)
  return rows.slice(0, 200).map(({ cells }) => cells)
}
