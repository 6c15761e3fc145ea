/** The context menu of a symbol, wherever it appears. */
import { fixedText } from '../../../shared/base/fixed-text.ts'
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { instrumentOf } from '../market/watchlist-edit.ts'
import type { Subject } from '../window/subject.ts'
import type { WindowState } from '../window/window.svelte.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'
import { entryKeys } from '../window/entry-keys.ts'

const MAX_LISTS = 8

/** Copies a text and notifies the user. */
export function copyText(app: WindowState, text: string): void {
  void navigator.clipboard.writeText(text).then(
    () => app.toasts.show(t('“{text}” copied.', { text })),
    () => app.toasts.show(t('Couldn’t copy. Clipboard access isn’t allowed here.'), { tone: 'bad' }),
  )
}

/** The entries that every symbol has: show it, its company, its watchlists, its export. */
export function symbolEntries(app: WindowState, subject: Subject, symbol: WatchSymbol): readonly (MenuEntry | null)[] {
  const instrument = instrumentOf(symbol)
  const row = app.quotes.peek(instrument)
  const last = row && row.last !== null ? fixedText(row.last, row.decimals) : null
  const show = (id: InstrumentId) => {
    if (id !== subject.instrument) subject.select(id)
  }
  /** The entry of a symbol command; none if no feature provides it. */
  const onCommand = (id: string, text: string): readonly MenuEntry[] => {
    const run = app.commands.find(id)?.forSymbol
    if (run === undefined) return []
    return [{ text, ...(instrument === subject.instrument ? entryKeys(app, id) : {}), run: () => run(symbol) }]
  }
  const inLists = app.settings.now.watchlists.slice(0, MAX_LISTS)
  return [
    { text: t('Show on chart'), run: () => show(instrument) },
    symbol.asset === 'stocks'
      ? {
          text: t('Company'),
          run: () => {
            show(instrument)
            app.layout.open('company')
          },
        }
      : null,
    symbol.asset === 'stocks'
      ? {
          text: t('News'),
          run: () => {
            show(instrument)
            app.layout.open('news')
          },
        }
      : null,
    'rule',
    ...inLists.map((list): MenuEntry => {
      const has = list.symbols.some((one) => instrumentOf(one) === instrument)
      return {
        text: t('In list {list}', { list: list.name }),
        checked: has,
        run: () => (has ? app.lists.removeFrom(list.id, instrument) : app.lists.addTo(list.id, symbol)),
      }
    }),
    'rule',
    ...onCommand('new-alert', t('New alert…')),
    ...onCommand('quote-messages', t('Messages behind the quote')),
    { text: t('Export…'), ...entryKeys(app, 'export'), run: () => app.openExport({ symbols: [symbol.symbol] }) },
    'rule',
    { text: t('Copy symbol'), run: () => copyText(app, symbol.symbol) },
    last === null ? null : { text: t('Copy {price}', { price: last }), run: () => copyText(app, last) },
  ]
}
