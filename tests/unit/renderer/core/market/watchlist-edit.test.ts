import { describe, expect, it } from 'vitest'
import * as edit from '../../../../../src/renderer/core/market/watchlist-edit.ts'
import { makeQuoteRow } from '../../../../kit/market.ts'
import { DEFAULT_WATCHLISTS } from '../../../../../src/shared/core/settings/settings.ts'
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
