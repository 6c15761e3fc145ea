/** Changes a window's watchlists. Each change is a settings change, and removals can be undone. */
import type { SettingsPatch, Watchlist, WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { undoing, type Toasts } from '../../ui/toasts.svelte.ts'
import * as lists from './watchlist-edit.ts'

export interface WatchlistsOptions {
  /** All watchlists, from the current settings. */
  readonly all: () => readonly Watchlist[]
  /** The active watchlist. */
  readonly list: () => Watchlist
  readonly set: (patch: SettingsPatch) => void
  readonly toasts: Pick<Toasts, 'say' | 'show'>
}

export class Watchlists {
  readonly #o: WatchlistsOptions

  constructor(options: WatchlistsOptions) {
    this.#o = options
  }

  get #all(): readonly Watchlist[] {
    return this.#o.all()
  }

  /** Adds a symbol to the active list and notifies the user. */
  add(symbol: WatchSymbol): void {
    this.addTo(this.#o.list().id, symbol)
  }
  /** Adds a symbol to a list and notifies the user. */
  addTo(id: string, { asset, symbol }: WatchSymbol): void {
    const list = this.#all.find((one) => one.id === id)
    if (!list) return
    const has = list.symbols.some((one) => lists.instrumentOf(one) === lists.instrumentOf({ asset, symbol }))
    this.#o.set({ watchlists: lists.addSymbol(this.#all, id, { asset, symbol }) })
    this.#o.toasts.say(
      t(has ? '{symbol} is already in {list}.' : '{symbol} added to {list}.', { list: list.name, symbol }),
    )
  }

  /** Removes a symbol from the active list; can be undone. */
  remove(instrument: InstrumentId): void {
    this.removeFrom(this.#o.list().id, instrument)
  }
  /** Removes a symbol from a list; can be undone. */
  removeFrom(id: string, instrument: InstrumentId): void {
    const list = this.#all.find((one) => one.id === id)
    const at = list?.symbols.findIndex((one) => lists.instrumentOf(one) === instrument) ?? -1
    const symbol = list?.symbols[at]
    if (!list || !symbol) return
    this.#o.set({ watchlists: lists.removeSymbol(this.#all, id, instrument) })
    this.#o.toasts.show(t('{symbol} removed from {name}.', { symbol: symbol.symbol, name: list.name }), {
      action: undoing(
        () => this.#o.set({ watchlists: lists.addSymbol(this.#all, id, symbol, at) }),
        () => {
          const now = this.#all.find((one) => one.id === id)
          return now !== undefined && !now.symbols.some((one) => lists.instrumentOf(one) === instrument)
        },
      ),
    })
  }

  /** Moves a symbol of the active list before another; null moves it to the end. */
  move(instrument: InstrumentId, before: InstrumentId | null): void {
    this.#o.set({ watchlists: lists.moveSymbol(this.#all, this.#o.list().id, instrument, before) })
  }

  /** Sorts the active list by a column. If it is already sorted by it, reverses the order or ends sorting. */
  sortBy(column: string): void {
    const sort = lists.nextSort(this.#o.list().sort, column)
    this.#o.set({ watchlists: lists.setSort(this.#all, this.#o.list().id, sort) })
  }

  /** Adds an empty list and opens it. */
  addList(): void {
    const taken = this.#all.map((list) => list.id)
    let n = taken.length + 1
    while (taken.includes(`list-${n}`)) n++
    this.#o.set({
      watchlists: lists.addList(this.#all, `list-${n}`, t('List {n}', { n })),
      workspace: { activeWatchlist: `list-${n}` },
    })
  }
  renameList(id: string, name: string): void {
    this.#o.set({ watchlists: lists.renameList(this.#all, id, name) })
  }
  /** Removes a list unless it is the only one; can be undone. */
  removeList(id: string): void {
    const all = this.#all
    const at = all.findIndex((list) => list.id === id)
    const list = all[at]
    if (!list || all.length < 2) return
    const next = all[at + 1] ?? all[at - 1]
    this.#o.set({
      watchlists: lists.removeList(all, id),
      workspace: { activeWatchlist: next?.id ?? '' },
    })
    this.#o.toasts.show(t('List “{name}” removed.', { name: list.name }), {
      action: undoing(
        () =>
          this.#o.set({
            watchlists: lists.restoreList(this.#all, list, at),
            workspace: { activeWatchlist: id },
          }),
        () => !this.#all.some((one) => one.id === id),
      ),
    })
  }
}
