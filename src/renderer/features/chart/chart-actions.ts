/** The menu entries for a point on a chart. */
import type { ChartMarker } from '../../charts/model/markers.ts'
import { fixedText } from '../../../shared/base/fixed-text.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuItem } from '../../ui/menu-entries.ts'

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
