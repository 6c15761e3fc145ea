/** The watchlist columns: header, cell text, sorting and width of each. */
import type { QuoteRow } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import type { NumberText } from '../../text/format.ts'
import { DASH, toneOf } from '../../text/format.ts'
import { ageCell, type ShownFreshness } from './freshness.ts'

export const COLUMN_IDS = [
  'last',
  'change',
  'changePercent',
  'bid',
  'ask',
  'spread',
  'volume',
  'high',
  'low',
  'age',
  'spark',
] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

export interface CellContext {
  readonly numbers: NumberText
  readonly nowMs: number
  readonly freshness: ShownFreshness
}

export interface Column {
  readonly id: ColumnId
  readonly title: string
  /** The title in the column chooser and for screen readers. */
  readonly longTitle: string
  /** Minimum width including the gap, px. */
  readonly width: number
  /** The value to sort by; null sorts last. */
  readonly value: (row: QuoteRow) => number | null
  readonly text: (row: QuoteRow, context: CellContext) => string
  /** The direction, for columns that show it by color, sign and arrow. */
  readonly tone?: (row: QuoteRow) => '' | 'up' | 'down'
}

/** Decimals of a percent change, wherever it is shown. */
export const PERCENT_DECIMALS = 2

/** Last minus reference; null if either is missing. */
export function changeOf(row: QuoteRow): number | null {
  return row.last === null || row.reference === null ? null : row.last - row.reference
}
/** The change in percent of the reference. */
export function changePercentOf(row: QuoteRow): number | null {
  const change = changeOf(row)
  return change === null || row.reference === null || row.reference === 0 ? null : (change / row.reference) * 100
}
export const changeTone = (row: QuoteRow) => toneOf(changeOf(row), row.decimals)
export const percentTone = (row: QuoteRow) => toneOf(changePercentOf(row), PERCENT_DECIMALS)
/** Ask minus bid; negative when crossed. */
function spreadOf(row: QuoteRow): number | null {
  return row.bid === null || row.ask === null ? null : row.ask - row.bid
}
/** The spread in pips if the instrument has them, otherwise as a price with the instrument's decimals. */
export function spreadText(row: QuoteRow, numbers: NumberText): string {
  const spread = spreadOf(row)
  if (spread === null) return DASH
  return row.pip === null
    ? numbers.fixed(spread, row.decimals)
    : t('{spread} pip', { spread: numbers.fixed(spread / row.pip, 1) })
}
/** Age of the last message, or of the stored price shown instead, ms. */
export function ageOf(row: QuoteRow, nowMs: number): number | null {
  const atMs = row.lastRecvMs ?? row.stored?.atMs ?? null
  return atMs === null ? null : Math.max(0, nowMs - atMs)
}
/** The last price, or else the last stored one. */
export const lastOf = (row: QuoteRow): number | null => row.last ?? row.stored?.price ?? null
/** The last price as text. A stored price keeps all its decimals, because the service's number isn't known yet. */
export function lastText(row: QuoteRow, numbers: NumberText): string {
  if (row.last !== null || !row.stored) return numbers.fixed(row.last, row.decimals)
  const { price } = row.stored
  const digits = /\.(\d+)$/.exec(String(Number(price.toPrecision(12))))?.[1]?.length ?? 0
  return numbers.fixed(price, Math.max(row.decimals, digits))
}

const price = (of: (row: QuoteRow) => number | null) => (row: QuoteRow, context: CellContext) =>
  context.numbers.fixed(of(row), row.decimals)

function column(
  id: ColumnId,
  title: string,
  longTitle: string,
  width: number,
  value: Column['value'],
  text: Column['text'],
  tone?: Column['tone'],
): Column {
  return { id, title, longTitle, width, value, text, ...(tone && { tone }) }
}

export const COLUMNS: Readonly<Record<ColumnId, Column>> = {
  last: column('last', t('Last'), t('Last price'), 56, lastOf, (r, c) => lastText(r, c.numbers)),
  change: column(
    'change',
    t('Chg'),
    t('Change from the reference price in the quote'),
    56,
    changeOf,
    (r, c) => c.numbers.signed(changeOf(r), r.decimals),
    changeTone,
  ),
  changePercent: column(
    'changePercent',
    t('Chg %'),
    t('Percent change from the reference price in the quote'),
    52,
    changePercentOf,
    (r, c) => c.numbers.signed(changePercentOf(r), PERCENT_DECIMALS),
    percentTone,
  ),
  bid: column(
    'bid',
    t('Bid'),
    t('Best bid'),
    56,
    (r) => r.bid,
    price((r) => r.bid),
  ),
  ask: column(
    'ask',
    t('Ask'),
    t('Best ask'),
    56,
    (r) => r.ask,
    price((r) => r.ask),
  ),
  spread: column('spread', t('Spread'), t('Spread (pips for forex, otherwise price)'), 50, spreadOf, (r, c) =>
    spreadText(r, c.numbers),
  ),
  volume: column(
    'volume',
    t('Volume'),
    t('Day volume'),
    56,
    (r) => r.volume,
    (r, c) => c.numbers.short(r.volume),
  ),
  high: column(
    'high',
    t('High'),
    t('Day high'),
    56,
    (r) => r.high,
    price((r) => r.high),
  ),
  low: column(
    'low',
    t('Low'),
    t('Day low'),
    56,
    (r) => r.low,
    price((r) => r.low),
  ),
  age: column(
    'age',
    t('Age'),
    t('Time since last message'),
    46,
    (r) => (r.lastRecvMs === null ? null : 0 - r.lastRecvMs),
    (r, c) => ageCell(c.freshness, ageOf(r, c.nowMs)),
  ),
  spark: column('spark', t('1 h'), t('Last 60 minutes'), 64, changePercentOf, () => ''),
}

export function isColumnId(text: string): text is ColumnId {
  return (COLUMN_IDS as readonly string[]).includes(text)
}

/** Minimum width of the symbol column, px. */
export const SYMBOL_WIDTH = 86

/** Estimated width of a text at 12 px font size, px. Errs on the wide side. */
function textWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (character >= '0' && character <= '9') width += 7.5
    else if (character === '.' || character === ',' || character === ' ') width += 3.6
    else width += 7.4
  }
  return width
}

/**
 * The width that each column needs for these rows, px by column. Widths never shrink below `before`, so nothing moves
 * when a number gets shorter.
 */
export function columnWidths(
  columns: readonly Column[],
  rows: readonly QuoteRow[],
  numbers: NumberText,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  const widths: Record<string, number> = { ...before }
  const context: CellContext = { numbers, nowMs: 0, freshness: 'live' }
  for (const column of columns) {
    let widest = Math.max(column.width, widths[column.id] ?? 0)
    if (column.id !== 'age' && column.id !== 'spark')
      for (const row of rows)
        widest = Math.max(widest, Math.ceil(textWidth(column.text(row, context)) + (column.tone ? 25 : 9)))
    widths[column.id] = widest
  }
  return widths
}

/** The chosen columns that fit into a pane. The last ones are omitted rather than cut off. */
export function fittingColumns(
  chosen: readonly string[],
  paneWidth: number,
  widths: Readonly<Record<string, number>> = {},
): { shown: Column[]; left: number } {
  const wanted = chosen.filter(isColumnId).map((id) => COLUMNS[id])
  let room = paneWidth - SYMBOL_WIDTH
  const shown: Column[] = []
  for (const one of wanted) {
    const width = widths[one.id] ?? one.width
    if (shown.length > 0 && width > room) break
    shown.push(one)
    room -= width
  }
  return { shown, left: wanted.length - shown.length }
}
