/** What a file is, told by what it holds and not by its name. */
import { FEEDS } from '../../../service/feeds.ts'
import { csvTickColumns } from '../../../service/tick-columns.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../../../shared/base/units.ts'
import type { Separator } from '../../../shared/features/export/export.ts'
import { createCsvParser, headOf, separatorOfLine } from './csv.ts'

export type TextKind =
  /** Our own CSV of one feed. */
  | { readonly is: 'ticks'; readonly separator: Separator; readonly feed: FeedId; readonly raw: boolean }
  /** Our own JSON Lines. */
  | { readonly is: 'lines' }
  | {
      readonly is: 'table'
      readonly separator: Separator
      readonly header: boolean
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const HEAD = 256 << 10

/** Looks at the beginning of a text file. */
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
      // Feeds of one shape have the same columns: the rows name theirs.
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

/** Whole rows of a file's beginning; where it was cut, the last one is left out. */
function rowsOfHead(head: string, separator: Separator): readonly (readonly string[])[] {
  const parser = createCsvParser(separator)
  const rows = parser.push(head.length < HEAD && !head.endsWith('\n') ? `${head}\n` : head)
  return rows.slice(0, 200).map(({ cells }) => cells)
}
