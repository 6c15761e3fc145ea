/** A change of a screen's members, as a sentence for the log, notifications and windows. */
import { listed, t } from '../../base/text.ts'
import type { ScreenChange } from './contract.ts'

/** Symbols that a sentence names; it counts the others. */
const NAMED = 5

const names = (all: ScreenChange['entered']): string => {
  const shown = all.slice(0, NAMED).map(({ symbol }) => symbol)
  const more = all.length - shown.length
  return listed(more === 0 ? shown : [...shown, t('{count} more', { count: String(more) })])
}

/** "Entered: SOL-USD. Left: BTC-USD." */
export function changeText({ entered, left }: Pick<ScreenChange, 'entered' | 'left'>): string {
  return [
    entered.length === 0 ? '' : t('Entered: {symbols}.', { symbols: names(entered) }),
    left.length === 0 ? '' : t('Left: {symbols}.', { symbols: names(left) }),
  ]
    .filter((part) => part !== '')
    .join(' ')
}
