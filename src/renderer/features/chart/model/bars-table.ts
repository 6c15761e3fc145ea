/** The bars in view, and the cells of their footprint, as tables. Pure. */
import { t } from '../../../../shared/base/text.ts'
import { priceOfRow } from '../../../../shared/core/market/flow/cells.ts'
import { barProfile } from '../../../../shared/core/market/flow/footprint.ts'
import type { Bar } from '../../../../shared/core/market/market.ts'
import type { ChartPort } from '../../../charts/model/chart.ts'

const MAX_BARS = 200
const MAX_CELLS = 500

export interface BarsTable {
  readonly label: string
  readonly heads: readonly string[]
  /** Newest first. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly string[] }[]
  /** What isn't listed; empty: everything is. */
  readonly note: string
}

export interface TableFormats {
  /** UTC ms. */
  readonly time: (ms: number) => string
  readonly price: (price: number) => string
  readonly size: (size: number) => string
}

/** A table of bars, given oldest first. */
export function barsTable(bars: readonly Bar[], { time, price, size }: TableFormats): BarsTable {
  return {
    label: t('Visible bars'),
    heads: [t('Time'), t('Open'), t('High'), t('Low'), t('Close'), t('Volume'), t('Complete')],
    rows: bars
      .slice(-MAX_BARS)
      .map((bar) => ({
        key: String(bar.startMs),
        cells: [
          time(bar.startMs),
          ...[bar.open, bar.high, bar.low, bar.close].map(price),
          bar.volume === null ? '—' : size(bar.volume),
          bar.complete ? t('yes') : t('no'),
        ],
      }))
      .reverse(),
    note:
      bars.length > MAX_BARS
        ? t('Only the newest {count} bars are listed. Zoom in for older ones.', { count: MAX_BARS })
        : '',
  }
}

/** A table of the cells of bars, given oldest first; each bar's highest price comes first. */
export function footprintTable(
  bars: readonly Bar[],
  footprintAt: ChartPort['footprintAt'],
  { time, price, size }: TableFormats,
): BarsTable {
  const rows: BarsTable['rows'][number][] = []
  let isCut = false
  for (const { startMs } of bars.toReversed()) {
    const found = footprintAt(startMs)
    if (found === null) continue
    const { row, sell, buy, unknown, count } = found.cells
    const poc = barProfile(found.cells)?.poc
    for (let i = row.length - 1; i >= 0 && !isCut; i--) {
      isCut = rows.length === MAX_CELLS
      if (isCut) break
      rows.push({
        key: `${startMs} ${row[i]}`,
        cells: [
          time(startMs),
          price(priceOfRow(row[i], found.rows)),
          ...[sell[i], buy[i]].map(size),
          size(buy[i] - sell[i]).replace('-', '−'),
          size(unknown[i]),
          String(count[i]),
          row[i] === poc ? t('yes') : '',
        ],
      })
    }
    if (isCut) break
  }
  return {
    label: t('Footprint of the visible bars'),
    heads: [
      t('Time'),
      t('Price from'),
      t('Sold'),
      t('Bought'),
      t('Delta'),
      t('Unknown'),
      t('Trades'),
      t('Most volume'),
    ],
    rows,
    note: isCut ? t('Only the newest {count} cells are listed. Zoom in for older ones.', { count: MAX_CELLS }) : '',
  }
}
