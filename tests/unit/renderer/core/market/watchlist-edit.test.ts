import { describe, expect, it } from 'vitest'
import * as edit from '../../../../../src/renderer/core/market/watchlist-edit.ts'
import { makeQuoteRow } from '../../../../kit/market.ts'
import { Watchlists } from '../../../../../src/renderer/core/market/watchlists.ts'
import { DEFAULT_WATCHLISTS, type Watchlist } from '../../../../../src/shared/core/settings/settings.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'

const lists = DEFAULT_WATCHLISTS
const symbols = (all: ReturnType<typeof edit.addList>) => all[0]?.symbols.map((one) => one.symbol) ?? []
const btc = instrumentId('crypto', 'BTC-USD')
const eth = instrumentId('crypto', 'ETH-USD')

describe('watchlists', () => {
  it('add a symbol once, whatever its alias', () => {
    const twice = edit.addSymbol(lists, 'majors', { asset: 'crypto', symbol: 'btc/usd' })
    expect(symbols(twice)).toEqual(symbols([...lists]))
    expect(symbols(edit.addSymbol(lists, 'majors', { asset: 'stocks', symbol: 'TSLA' })).at(-1)).toBe('TSLA')
  })
  it('take no symbol beyond the 2,000th, and no list beyond the 50th', () => {
    const names = Array.from({ length: edit.MAX_SYMBOLS }, (_, i) => `S${i}`)
    const full = [{ ...lists[0], symbols: names.map((symbol) => ({ asset: 'stocks' as const, symbol })) }]
    expect(edit.addSymbol(full, 'majors', { asset: 'stocks', symbol: 'TSLA' })).toEqual(full)
    const many = Array.from({ length: edit.MAX_LISTS }, (_, i) => ({ ...lists[0], id: `${i}` }))
    expect(edit.addList(many, 'new', 'New')).toEqual(many)
    expect(edit.restoreList(many, lists[0], 0)).toEqual(many)
  })
  it('say so when they are full, instead of adding', () => {
    const names = Array.from({ length: edit.MAX_SYMBOLS - 1 }, (_, i) => `S${i}`)
    let all: readonly Watchlist[] = [{ ...lists[0], symbols: names.map((symbol) => ({ asset: 'stocks', symbol })) }]
    const said: string[] = []
    const watchlists = new Watchlists({
      all: () => all,
      list: () => all[0],
      set: (patch) => (all = patch.watchlists ?? all),
      toasts: { say: (text) => void said.push(text), show: (text) => void said.push(text) },
    })
    for (const symbol of ['LAST', 'LAST', 'TSLA']) watchlists.add({ asset: 'stocks', symbol })
    expect(all[0].symbols).toHaveLength(edit.MAX_SYMBOLS)
    expect(said).toEqual([
      'LAST added to Majors.',
      'LAST is already in Majors.',
      'Majors is full: a watchlist holds up to 2,000 symbols. TSLA wasn’t added.',
    ])
    all = Array.from({ length: edit.MAX_LISTS }, (_, i) => ({ ...lists[0], id: `${i}` }))
    expect(watchlists.addList()).toBeNull()
    expect(said.at(-1)).toBe('There is room for 50 watchlists. Remove one to add another.')
  })
  it('give a removed symbol back to its place', () => {
    const without = edit.removeSymbol(lists, 'majors', eth)
    expect(symbols(without)).not.toContain('ETH-USD')
    expect(symbols(edit.addSymbol(without, 'majors', { asset: 'crypto', symbol: 'ETH-USD' }, 1))).toEqual(
      symbols([...lists]),
    )
  })
  it('move a symbol before another and to the end, and forget the sort then', () => {
    const sorted = edit.setSort(lists, 'majors', { column: 'last', descending: true })
    const moved = edit.moveSymbol(sorted, 'majors', eth, btc)
    expect(symbols(moved).slice(0, 2)).toEqual(['ETH-USD', 'BTC-USD'])
    expect(moved[0]?.sort).toBeNull()
    expect(symbols(edit.moveSymbol(lists, 'majors', btc, null)).at(-1)).toBe('BTC-USD')
    expect(symbols(edit.moveSymbol(lists, 'majors', btc, btc))).toEqual(symbols([...lists]))
  })
  it('keep at least one list and a name', () => {
    expect(edit.removeList([lists[0]], 'majors')).toHaveLength(1)
    expect(edit.renameList(lists, 'majors', '  ')[0]?.name).toBe('Majors')
    const removed = edit.removeList(lists, 'fx')
    expect(edit.restoreList(removed, lists[2], 2).map((list) => list.id)).toEqual(lists.map((list) => list.id))
  })
  it('sort a column down, up, and then by hand again', () => {
    const down = edit.nextSort(null, 'last')
    const up = edit.nextSort(down, 'last')
    expect([down, up, edit.nextSort(up, 'last')]).toEqual([
      { column: 'last', descending: true },
      { column: 'last', descending: false },
      null,
    ])
  })
  describe('an import', () => {
    const coins = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ asset: 'crypto' as const, symbol: `C${i}-USD` }))
    let made = 0
    const freeId = () => `new-${++made}`
    const section = (name: string, count: number) => ({ name, symbols: coins(count) })

    it('says how many found no room in a list, or no list', () => {
      const into = edit.importSections(lists, 'fx', [section('a', 2_100)], freeId)
      const had = lists.find(({ id }) => id === 'fx')?.symbols.length ?? 0
      expect(into.leftOut).toBe(100 + had)
      expect(edit.importSections(into.lists, 'fx', [section('a', 1_900)], freeId).leftOut).toBe(0)
      const full = edit.importSections(
        lists,
        null,
        Array.from({ length: 60 }, (_, i) => section(`s${i}`, 3)),
        freeId,
      )
      expect(full.lists).toHaveLength(50)
      expect(full.leftOut).toBe((60 - (50 - lists.length)) * 3)
    })
    it('is undone without what changed since then', () => {
      const { lists: into, added } = edit.importSections(lists, 'majors', [section('a', 2)], freeId)
      const since = edit.markSymbol(edit.removeSymbol(into, 'majors', eth), 'majors', btc, { note: 'since' })
      expect(edit.undoImport(since, added)).toEqual(
        edit.markSymbol(edit.removeSymbol(lists, 'majors', eth), 'majors', btc, { note: 'since' }),
      )
      const fresh = edit.importSections(lists, null, [section('a', 2), section('b', 2)], freeId)
      const [first] = fresh.added.keys()
      const grown = edit.addSymbol(fresh.lists, first, { asset: 'stocks', symbol: 'TSLA' })
      const undone = edit.undoImport(grown, fresh.added)
      expect(undone.map(({ id }) => id)).toEqual([...lists.map(({ id }) => id), first])
      expect(undone.at(-1)?.symbols).toEqual([{ asset: 'stocks', symbol: 'TSLA' }])
    })
  })
  it('are grouped by market, sorted inside a group, what is missing last', () => {
    const list = { ...lists[0], sort: { column: 'last', descending: true } }
    const prices: Record<string, number> = { [btc]: 5, [eth]: 9 }
    const lines = edit.watchLines(list, true, (id) => makeQuoteRow({ instrument: id, last: prices[id] ?? null }))
    expect(lines[0]).toMatchObject({ is: 'group', asset: 'crypto', count: 4 })
    expect(lines.slice(1, 3).map((line) => line.is === 'symbol' && line.instrument)).toEqual([eth, btc])
    expect(lines.filter((line) => line.is === 'group')).toHaveLength(3)
    expect(edit.watchLines(list, false, () => undefined)).toHaveLength(12)
  })
})
