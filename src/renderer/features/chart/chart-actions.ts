/** The menu entries for a point on a chart. */
import type { ChartActs } from './chart-commands.ts'
import type { ChartMarker } from '../../charts/model/markers.ts'
import { fixedText } from '../../../shared/base/fixed-text.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import { priceOfRow } from '../../../shared/core/market/flow/cells.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuItem } from '../../ui/menu-entries.ts'
import type { ShownTrades } from './model/chart-props.ts'

export interface ChartPlace {
  readonly bar: Bar | null
  /** The instant, UTC ms; null beyond all bars. */
  readonly ms: number | null
  /** The price for an alert there, if one is possible. */
  readonly level: number | undefined
  /** The price under the mouse; null if the menu was opened by key. */
  readonly price: number | null
  readonly marks: readonly ChartMarker[]
}

/** The pane's actions; null if unavailable here. */
export interface PlaceActs {
  readonly onEvent: (mark: ChartMarker) => void
  readonly replayFrom: ((ms: number) => void) | null
  readonly alertAt: ((price: number) => void) | null
  readonly messages: ((bar: Bar) => void) | null
  readonly open: (box: 'indicators' | 'compare' | 'view' | 'date') => void
  /** Adds an indicator that begins at an instant, or covers a span; null: no trades here. */
  readonly anchor: ChartActs['anchor'] | null
  /** Opens the trades behind the order-flow figures shown; null: none are shown. */
  readonly trades: {
    /** The row of a volume profile at a price; null: it has none. */
    readonly profileAt: (price: number) => ShownTrades | null
    /** The span in view, whose trades with uncertain sides can be opened. */
    readonly inView: ShownTrades['span'] | null
    readonly open: (trades: ShownTrades) => void
  } | null
  /** Shows the volume profile of the marked range, or else of one that the user chooses; null: no trades here. */
  readonly profileRange: (() => void) | null
  /** Opens the review of the marked range, or else of the bars in view; null: not here. */
  readonly review: (() => void) | null
  /** The marked range, UTC ms; null: none. */
  readonly marked: { readonly fromMs: number; readonly toMs: number } | null
  readonly fit: () => void
  readonly picture: (to: 'file' | 'clipboard') => void
  /** Whether the bars are shown as a table, and the function that toggles it. */
  readonly table: boolean
  readonly toggleTable: () => void
  readonly decimals: number
  readonly priceText: (price: number) => string
  /** The current shortcut of a command; empty if it has none. */
  readonly keys: (id: string) => string
}

/** The actions that aren’t those of the element the chart is painted in. */
export type PaneActs = Omit<PlaceActs, 'onEvent' | 'replayFrom' | 'messages'>

export function markActions(marks: readonly ChartMarker[], onEvent: PlaceActs['onEvent']): MenuItem[] {
  return marks.map((mark) => ({ text: mark.text, keys: marks.length === 1 ? 'Enter' : '', run: () => onEvent(mark) }))
}

export function placeActions({ bar, ms, level, price, marks }: ChartPlace, acts: PlaceActs): MenuItem[] {
  const able = markActions(marks, acts.onEvent)
  const { replayFrom, alertAt, messages, priceText } = acts
  if (replayFrom && ms !== null) {
    able.push({ text: t('Replay from here'), keys: 'Shift+Enter', run: () => replayFrom(ms) })
  }
  if (alertAt && level !== undefined && level > 0) {
    const at = Number(fixedText(level, acts.decimals))
    able.push({
      text: t('Alert at {price}…', { price: priceText(at) }),
      keys: acts.keys('new-alert'),
      run: () => alertAt(at),
    })
  }
  if (messages && bar) {
    able.push({ text: t('Messages behind this bar'), keys: marks.length > 0 ? '' : 'Enter', run: () => messages(bar) })
  }
  able.push(...tradeActions(level, acts))
  const { anchor, marked } = acts
  if (acts.profileRange) {
    able.push({
      text: marked ? t('Volume profile of the marked range') : t('Volume profile of a range…'),
      keys: acts.keys('chart-profile-range'),
      run: acts.profileRange,
    })
  }
  if (anchor && ms !== null) {
    able.push(
      {
        text: t('Anchor VWAP here'),
        keys: acts.keys('chart-anchor-vwap'),
        run: () => anchor('anchored-vwap', { fromMs: ms, toMs: 0 }),
      },
      { text: t('CVD from here'), run: () => anchor('cvd', { fromMs: ms, toMs: 0 }) },
      { text: t('Volume profile from here'), run: () => anchor('volume-profile', { fromMs: ms, toMs: 0 }) },
    )
  }
  if (acts.review) {
    able.push({
      text: marked ? t('Review marked range') : t('Review bars in view'),
      keys: acts.keys('chart-review'),
      run: acts.review,
    })
  }
  if (price !== null) {
    const text = priceText(price)
    able.push({
      text: t('Copy price {text}', { text }),
      run: () => void navigator.clipboard.writeText(text.replaceAll(',', '')),
    })
  }
  able.push(
    { text: t('Indicators…'), keys: acts.keys('chart-indicators'), run: () => acts.open('indicators') },
    { text: t('Compare…'), run: () => acts.open('compare') },
    { text: t('Go to date…'), keys: acts.keys('chart-date'), run: () => acts.open('date') },
    { text: t('Scale and lines…'), run: () => acts.open('view') },
    { text: t('Fit all bars'), keys: 'Home', run: acts.fit },
    { text: t('Save picture'), run: () => acts.picture('file') },
    { text: t('Copy picture'), run: () => acts.picture('clipboard') },
    {
      text: acts.table ? t('Hide table') : t('Show bars as table'),
      run: acts.toggleTable,
    },
  )
  return able
}

function tradeActions(level: number | undefined, { trades, decimals, priceText }: PlaceActs): MenuItem[] {
  if (trades === null) return []
  const { inView, open } = trades
  const row = level === undefined ? null : trades.profileAt(level)
  return [
    ...(row?.cell
      ? [
          {
            text: t('Trades of the profile from {price}', {
              price: priceText(Number(fixedText(priceOfRow(row.cell.row, row.cell), decimals))),
            }),
            run: () => open(row),
          },
        ]
      : []),
    ...(inView === null
      ? []
      : [
          { text: t('Trades in view without a side'), run: () => open({ span: inView, only: 'unsided' }) },
          { text: t('Trades in view without a current quote'), run: () => open({ span: inView, only: 'unquoted' }) },
        ]),
  ]
}
