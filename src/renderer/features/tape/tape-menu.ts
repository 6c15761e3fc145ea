/** Entries of the tape's context menu. */
import { t } from '../../../shared/base/text.ts'
import type { Print } from '../../../shared/core/market/market.ts'
import { copyText } from '../../core/symbols/symbol-menu.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

/** How a tape shows its prints. */
export interface TapeView {
  /** Prints of this asset class have sides. */
  readonly hasSides: boolean
  /** Sides are shown. */
  readonly sided: boolean
  /** Bursts are joined, within `burstMs` (0: the same millisecond). */
  readonly bursts: boolean
  readonly burstMs: number
  readonly minSize: number
  /** Prints of at least this size are highlighted; 0: none. */
  readonly largeSize: number
  readonly isLargeAuto: boolean
}

/** What can be done with one print. `time` is the text that the tape shows. */
export function printEntries(
  app: WindowState,
  { price, size }: Print,
  { time, symbol }: { readonly time: string; readonly symbol: string },
  { showMessage, addNote }: { readonly showMessage: () => void; readonly addNote: () => void },
): readonly (MenuEntry | null)[] {
  return [
    { text: t('Message behind this print'), keys: 'Enter', run: showMessage },
    { text: t('Add note to this print…'), run: addNote },
    { text: t('Copy print'), run: () => copyText(app, `${time} ${symbol} ${price} ${size}`) },
    size === null
      ? null
      : {
          text: t('Only prints of {size} or more', { size: app.numbers.plain(size) }),
          run: () => app.setWorkspace({ tapeMinSize: size }),
        },
  ]
}

/** Which prints the tape shows, and how. `size`: of the print that the menu is about, or null. */
export function viewEntries(app: WindowState, view: TapeView, size: number | null): readonly (MenuEntry | null)[] {
  const { sided, bursts, burstMs, largeSize, isLargeAuto } = view
  const set = (text: string, patch: Parameters<WindowState['setWorkspace']>[0]): MenuEntry => ({
    text,
    run: () => app.setWorkspace(patch),
  })
  return [
    size !== null && size !== largeSize
      ? set(t('Highlight prints of {size} or more', { size: app.numbers.plain(size) }), {
          tapeLargeSize: size,
          tapeLargeAuto: false,
        })
      : null,
    isLargeAuto ? null : set(t('Highlight the largest 0.5 % by yesterday’s sizes'), { tapeLargeAuto: true }),
    largeSize > 0 || isLargeAuto ? set(t('Highlight no prints'), { tapeLargeSize: 0, tapeLargeAuto: false }) : null,
    view.hasSides ? set(sided ? t('Color by change of price') : t('Color by side'), { tapeSides: !sided }) : null,
    sided && !(bursts && burstMs === 0)
      ? set(t('Join prints of the same side and millisecond'), { tapeBursts: true, tapeBurstMs: 0 })
      : null,
    sided && !(bursts && burstMs === 100)
      ? set(t('Join prints of the same side within 100 ms'), { tapeBursts: true, tapeBurstMs: 100 })
      : null,
    bursts ? set(t('Show every print'), { tapeBursts: false }) : null,
    view.minSize > 0 ? set(t('Prints of all sizes'), { tapeMinSize: 0 }) : null,
  ]
}
