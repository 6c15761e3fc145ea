/** Changes to watchlists as pure functions: each returns new lists and doesn't modify the old ones. */
import { FLAGS, type Flag, type WatchSymbol, type Watchlist } from '../../../shared/core/settings/settings.ts'
import { ASSET_CLASSES, instrumentId, type AssetClass, type InstrumentId } from '../../../shared/base/units.ts'
import type { QuoteRow } from '../../../shared/core/status/status.ts'
import { COLUMNS, isColumnId } from './columns.ts'

type Lists = readonly Watchlist[]

/** As many as the settings allow in one list. */
export const MAX_SYMBOLS = 2_000
/** As many lists as the settings allow. */
export const MAX_LISTS = 50

function change(lists: Lists, id: string, edit: (list: Watchlist) => Watchlist): Watchlist[] {
  return lists.map((list) => (list.id === id ? edit(list) : list))
}

export function instrumentOf(symbol: WatchSymbol): InstrumentId {
  return instrumentId(symbol.asset, symbol.symbol)
}

/** Whether a list has a symbol under any alias. */
export const hasSymbol = (list: Watchlist, symbol: WatchSymbol): boolean =>
  list.symbols.some((one) => instrumentOf(one) === instrumentOf(symbol))

/** Inserts a symbol at `at` (the end by default), unless the list has it under any alias or is full. */
export function addSymbol(lists: Lists, id: string, symbol: WatchSymbol, at?: number): Watchlist[] {
  return change(lists, id, (list) => {
    if (list.symbols.length >= MAX_SYMBOLS || hasSymbol(list, symbol)) return list
    const symbols = [...list.symbols]
    symbols.splice(at ?? symbols.length, 0, symbol)
    return { ...list, symbols }
  })
}

/** Adds symbols at the end, leaving out those that the list has under any alias; at most `MAX_SYMBOLS`. */
function addSymbols(lists: Lists, id: string, symbols: readonly WatchSymbol[]): Watchlist[] {
  return change(lists, id, (list) => {
    const all = [...list.symbols]
    const has = new Set(all.map(instrumentOf))
    for (const symbol of symbols) {
      if (all.length >= MAX_SYMBOLS) break
      if (has.has(instrumentOf(symbol))) continue
      has.add(instrumentOf(symbol))
      all.push(symbol)
    }
    return { ...list, symbols: all }
  })
}

export interface ListImportResult {
  readonly lists: Watchlist[]
  /** The symbols that each list got, by its id; `isNew`: the list was made for them. */
  readonly added: ReadonlyMap<string, { readonly isNew: boolean; readonly symbols: ReadonlySet<InstrumentId> }>
  /** Symbols that found no room. */
  readonly leftOut: number
}

/** Adds each section to the list `into`, or, if that is null, to a new list of its own, as long as there is room. */
export function importSections(
  before: Lists,
  into: string | null,
  sections: readonly { readonly name: string; readonly symbols: readonly WatchSymbol[] }[],
  freeId: (lists: Lists) => string,
): ListImportResult {
  let after = [...before]
  let leftOut = 0
  const added = new Map<string, { isNew: boolean; symbols: Set<InstrumentId> }>()
  const instrumentsOf = (id: string) => new Set(after.find((list) => list.id === id)?.symbols.map(instrumentOf))
  for (const { name, symbols } of sections) {
    const wanted = new Set(symbols.map(instrumentOf))
    if (into === null && after.length >= MAX_LISTS) {
      leftOut += wanted.size
      continue
    }
    const id = into ?? freeId(after)
    if (into === null) after = addList(after, id, name)
    const had = instrumentsOf(id)
    after = addSymbols(after, id, symbols)
    const has = instrumentsOf(id)
    leftOut += [...wanted].filter((one) => !has.has(one)).length
    const news = [...wanted].filter((one) => has.has(one) && !had.has(one))
    added.set(id, { isNew: into === null, symbols: new Set([...(added.get(id)?.symbols ?? []), ...news]) })
  }
  return { lists: after, added, leftOut }
}

/** Takes back what an import added, and only that: a list made for it goes once it is empty, unless it is the last. */
export function undoImport(lists: Lists, added: ListImportResult['added']): Watchlist[] {
  const left = lists.map((list) => {
    const mine = added.get(list.id)?.symbols
    return mine ? { ...list, symbols: list.symbols.filter((one) => !mine.has(instrumentOf(one))) } : list
  })
  const kept = left.filter(({ id, symbols }) => symbols.length > 0 || added.get(id)?.isNew !== true)
  return kept.length > 0 ? kept : left.slice(0, 1)
}

/** Changes the flag or note of a symbol; undefined removes it. */
export function markSymbol(
  lists: Lists,
  id: string,
  instrument: InstrumentId,
  mark: { readonly flag?: Flag | undefined } | { readonly note?: string | undefined },
): Watchlist[] {
  return change(lists, id, (list) => ({
    ...list,
    symbols: list.symbols.map((one) => (instrumentOf(one) === instrument ? { ...one, ...mark } : one)),
  }))
}

/** Gives a list its own columns; null: the columns that lists share. */
export function setColumns(lists: Lists, id: string, columns: readonly string[] | null): Watchlist[] {
  return change(lists, id, ({ columns: _, ...list }) => (columns === null ? list : { ...list, columns: [...columns] }))
}

export function removeSymbol(lists: Lists, id: string, instrument: InstrumentId): Watchlist[] {
  return change(lists, id, (list) => ({
    ...list,
    symbols: list.symbols.filter((one) => instrumentOf(one) !== instrument),
  }))
}

/** Moves `instrument` before `before` (null: to the end). Manual reordering ends sorting by a column. */
export function moveSymbol(
  lists: Lists,
  id: string,
  instrument: InstrumentId,
  before: InstrumentId | null,
): Watchlist[] {
  if (instrument === before) return [...lists]
  return change(lists, id, (list) => {
    const moved = list.symbols.find((one) => instrumentOf(one) === instrument)
    if (!moved) return list
    const symbols = list.symbols.filter((one) => one !== moved)
    const at = before === null ? -1 : symbols.findIndex((one) => instrumentOf(one) === before)
    symbols.splice(at < 0 ? symbols.length : at, 0, moved)
    return { ...list, symbols, sort: null }
  })
}

/** Adds an empty list, unless there are `MAX_LISTS`; the caller creates the `id`. */
export function addList(lists: Lists, id: string, name: string): Watchlist[] {
  if (lists.length >= MAX_LISTS) return [...lists]
  return [...lists, { id, name: name.slice(0, 80), symbols: [], sort: null }]
}

export function renameList(lists: Lists, id: string, name: string): Watchlist[] {
  const trimmed = name.trim().slice(0, 80)
  return trimmed === '' ? [...lists] : change(lists, id, (list) => ({ ...list, name: trimmed }))
}

/** Removes a list; the last one stays. */
export function removeList(lists: Lists, id: string): Watchlist[] {
  return lists.length > 1 ? lists.filter((list) => list.id !== id) : [...lists]
}

/** Puts a removed list back where it was, unless there are `MAX_LISTS`. */
export function restoreList(lists: Lists, list: Watchlist, at: number): Watchlist[] {
  if (lists.length >= MAX_LISTS) return [...lists]
  const all = lists.filter((one) => one.id !== list.id)
  all.splice(at, 0, list)
  return all
}

/** The next sort of a column: largest first, smallest first, then manual order again. */
export function nextSort(sort: Watchlist['sort'], column: string): Watchlist['sort'] {
  const firstDescending = column !== 'symbol'
  if (sort?.column !== column) return { column, descending: firstDescending }
  return sort.descending === firstDescending ? { column, descending: !firstDescending } : null
}

export function setSort(lists: Lists, id: string, sort: Watchlist['sort']): Watchlist[] {
  return change(lists, id, (list) => ({ ...list, sort }))
}

/** A line of the watchlist pane: a group heading or a symbol. */
export type WatchLine =
  | { readonly is: 'group'; readonly asset: AssetClass; readonly count: number }
  | { readonly is: 'symbol'; readonly instrument: InstrumentId; readonly symbol: WatchSymbol }

/** The lines in display order: grouped by asset class if enabled, sorted within each group. */
export function watchLines(
  list: Watchlist,
  grouped: boolean,
  rowOf: (instrument: InstrumentId) => QuoteRow | undefined,
): WatchLine[] {
  const lines = list.symbols.map((symbol) => ({ is: 'symbol' as const, instrument: instrumentOf(symbol), symbol }))
  const sorted = sortLines(lines, list.sort, rowOf)
  if (!grouped) return sorted
  const out: WatchLine[] = []
  for (const asset of ASSET_CLASSES) {
    const group = sorted.filter((line) => line.symbol.asset === asset)
    if (group.length > 0) out.push({ is: 'group', asset, count: group.length }, ...group)
  }
  return out
}

type SymbolLine = Extract<WatchLine, { is: 'symbol' }>

function sortLines(
  lines: SymbolLine[],
  sort: Watchlist['sort'],
  rowOf: (instrument: InstrumentId) => QuoteRow | undefined,
): SymbolLine[] {
  if (!sort) return lines
  const sign = sort.descending ? -1 : 1
  if (sort.column === 'flag') {
    const rank = (line: SymbolLine) => (line.symbol.flag === undefined ? FLAGS.length : FLAGS.indexOf(line.symbol.flag))
    return lines.toSorted((a, b) => -sign * (rank(a) - rank(b)))
  }
  if (!isColumnId(sort.column)) {
    return lines.toSorted((a, b) => sign * (a.symbol.symbol < b.symbol.symbol ? -1 : 1))
  }
  const { value } = COLUMNS[sort.column]
  const keyed = lines.map((line) => {
    const row = rowOf(line.instrument)
    return { line, key: row ? value(row) : null }
  })
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null ? 1 : 0) - (b.key === null ? 1 : 0)
    return sign * (a.key - b.key)
  })
  return keyed.map((one) => one.line)
}
