/** Changes a window's watchlists. Each change is a settings change, and removals can be undone. */
import type { Flag, SettingsPatch, Watchlist, WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { undoing, type Toasts } from '../../ui/toasts.svelte.ts'
import * as lists from './watchlist-edit.ts'

export interface WatchlistsOptions {
  /** All watchlists, from the current settings. */
  readonly all: () => readonly Watchlist[]
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
    if (lists.hasSymbol(list, { asset, symbol })) {
      this.#o.toasts.say(t('{symbol} is already in {list}.', { list: list.name, symbol }))
      return
    }
    if (list.symbols.length >= lists.MAX_SYMBOLS) {
      this.#o.toasts.show(
        t('{list} is full: a watchlist holds up to 2,000 symbols. {symbol} wasn’t added.', { list: list.name, symbol }),
        { tone: 'bad' },
      )
      return
    }
    this.#o.set({ watchlists: lists.addSymbol(this.#all, id, { asset, symbol }) })
    this.#o.toasts.say(t('{symbol} added to {list}.', { list: list.name, symbol }))
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
          return now !== undefined && now.symbols.length < lists.MAX_SYMBOLS && !lists.hasSymbol(now, symbol)
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

  /** Turns sorting the active list by flags on or off. */
  sortByFlag(): void {
    const isSorted = this.#o.list().sort?.column === 'flag'
    const sort = isSorted ? null : { column: 'flag', descending: true }
    this.#o.set({ watchlists: lists.setSort(this.#all, this.#o.list().id, sort) })
  }

  /** Adds an empty list, opens it, and returns its id; null, and a notice, if there are too many lists. */
  addList(): string | null {
    if (this.#all.length >= lists.MAX_LISTS) {
      this.#o.toasts.show(t('There is room for 50 watchlists. Remove one to add another.'), { tone: 'bad' })
      return null
    }
    const { id, n } = this.#freeId(this.#all)
    this.#o.set({
      watchlists: lists.addList(this.#all, id, t('List {n}', { n })),
      workspace: { activeWatchlist: id },
    })
    return id
  }
  #freeId(all: readonly Watchlist[]): { readonly id: string; readonly n: number } {
    let n = all.length + 1
    while (all.some((list) => list.id === `list-${n}`)) n++
    return { id: `list-${n}`, n }
  }
  /**
   * Imports symbols: into a list, or, if `into` is null, into a new list for each section. Opens the first of them, and
   * can be undone.
   */
  importSections(
    into: string | null,
    sections: readonly { readonly name: string; readonly symbols: readonly WatchSymbol[] }[],
  ): void {
    const {
      lists: next,
      added,
      leftOut,
    } = lists.importSections(this.#all, into, sections, (all) => this.#freeId(all).id)
    const opened = into ?? [...added.keys()].at(0)
    const count = [...added.values()].reduce((sum, { symbols }) => sum + symbols.size, 0)
    this.#o.set({ watchlists: next, ...(opened === undefined ? {} : { workspace: { activeWatchlist: opened } }) })
    const imported = t({ one: '{count} symbol imported.', other: '{count} symbols imported.' }, { count })
    const rest = t(
      {
        one: '{count} symbol was left out. There is room for 50 lists of up to 2,000 symbols each.',
        other: '{count} symbols were left out. There is room for 50 lists of up to 2,000 symbols each.',
      },
      { count: leftOut },
    )
    this.#o.toasts.show(leftOut === 0 ? imported : `${imported} ${rest}`, {
      action: undoing(() => this.#o.set({ watchlists: lists.undoImport(this.#all, added) })),
    })
  }
  /** Flags a symbol of the active list; undefined removes the flag. */
  flag(instrument: InstrumentId, flag: Flag | undefined): void {
    this.#o.set({ watchlists: lists.markSymbol(this.#all, this.#o.list().id, instrument, { flag }) })
  }
  /** Sets the note of a symbol of the active list; '' removes it. */
  note(instrument: InstrumentId, text: string): void {
    const note = text.trim().slice(0, 500) || undefined
    this.#o.set({ watchlists: lists.markSymbol(this.#all, this.#o.list().id, instrument, { note }) })
  }
  /** Gives the active list its own columns; null: the columns that lists share. */
  setColumns(columns: readonly string[] | null): void {
    this.#o.set({ watchlists: lists.setColumns(this.#all, this.#o.list().id, columns) })
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
        () => this.#all.length < lists.MAX_LISTS && !this.#all.some((one) => one.id === id),
      ),
    })
  }
}
