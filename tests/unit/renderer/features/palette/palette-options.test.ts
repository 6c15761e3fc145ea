import { describe, expect, it } from 'vitest'
import type { SymbolHit } from '../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type AssetClass } from '../../../../../src/shared/base/units.ts'
import { CODE_FORMS, CODES } from '../../../../../src/renderer/features/palette/codes.ts'
import { parseEntry } from '../../../../../src/renderer/features/palette/entry.ts'
import type { PaletteItem } from '../../../../../src/renderer/features/palette/items.ts'
import {
  knownSymbol,
  paletteOptions,
  resolveSymbol,
} from '../../../../../src/renderer/features/palette/palette-options.ts'
import { replayPlace } from '../../../../../src/renderer/features/palette/replay-at.ts'
import { makeSession } from '../../../../kit/market.ts'

const hit = (asset: AssetClass, symbol: string, name: string | null = null): SymbolHit => ({
  instrument: instrumentId(asset, symbol),
  asset,
  symbol,
  name,
  watched: false,
})
const HITS = [hit('crypto', 'ETH-USD', 'Ether'), hit('stocks', 'FA', 'First Advantage'), hit('stocks', 'AAPL')]
const item = (kind: PaletteItem['kind'], title: string): PaletteItem => ({
  id: `${kind}:${title}`,
  kind,
  title,
  run: () => undefined,
})
const ITEMS = [item('command', 'Export'), item('code', 'FA'), item('pane', 'Earnings'), item('setting', 'Theme')]

/** What the chart shows. */
const SHOWN = { instrument: instrumentId('crypto', 'BTC-USD'), spread: null }

const ids = (text: string, hits: readonly SymbolHit[] = [], recent: readonly string[] = [], answered = true) =>
  paletteOptions({ text, entry: parseEntry(text, CODE_FORMS), hits, answered, items: ITEMS, ...SHOWN, recent }).flatMap(
    ({ options }) => options.map(({ id }) => id),
  )

describe('the palette', () => {
  it('puts a symbol before what fits alike, and a symbol that nobody has seen last', () => {
    expect(ids('fa', [hit('stocks', 'FA', 'First Advantage')]).slice(0, 2)).toEqual(['symbol:stocks:FA', 'code:FA'])
    expect(ids('eth', [hit('crypto', 'ETH-USD')])).toEqual(['symbol:crypto:ETH-USD', 'symbol:stocks:ETH'])
    expect(ids('eth', [], [], false)).toEqual([])
  })
  it('offers a ratio of two known symbols, and never to ask the service for its text', () => {
    const [ether, bitcoin] = [hit('crypto', 'ETH-USD'), hit('crypto', 'BTC-USD')]
    const guess = { ...hit('crypto', 'ETH-USD/BTC-USD'), isGuess: true as const }
    const offered = (text: string, ratio: readonly (SymbolHit | undefined)[]) =>
      paletteOptions({
        text,
        entry: parseEntry(text, CODE_FORMS),
        hits: [guess],
        ratio,
        answered: true,
        items: ITEMS,
        ...SHOWN,
        recent: [],
      }).flatMap(({ options }) => options)
    expect(offered('eth-usd/btc-usd', [ether, bitcoin])).toMatchObject([
      { is: 'ratio', of: ether, by: bitcoin, interval: null },
    ])
    expect(offered('eth-usd/btc-usd 5m', [ether, bitcoin])).toMatchObject([{ is: 'ratio', interval: '5m' }])
    expect(offered('eth-usd/btc-usd ticks', [ether, bitcoin])).toMatchObject([{ is: 'ratio', interval: null }])
    expect(offered('eth-usd/foo', [ether, undefined])).toEqual([])
    // Two unknown sides are one symbol.
    expect(offered('btc/usd', [undefined, undefined]).map(({ is }) => is)).toContain('hit')
    expect(knownSymbol('ethusd', [guess, ether])).toBe(ether)
    expect(knownSymbol('ETH-USD/BTC-USD', [guess])).toBeUndefined()
  })
  it('ranks a guessed symbol below an exact name', () => {
    expect(ids('export', [hit('stocks', 'EXPORT')]).slice(0, 2)).toEqual(['command:Export', 'symbol:stocks:EXPORT'])
    expect(ids('xyz', [hit('stocks', 'XYZ')])[0]).toBe('symbol:stocks:XYZ')
  })
  it('keeps what the terminal found for another reason than its letters', () => {
    expect(ids('ether', [hit('crypto', 'ETH-USD', null)])[0]).toBe('symbol:crypto:ETH-USD')
  })
  it('begins with what an entry says, and names a symbol that is not known', () => {
    const options = (text: string, hits: readonly SymbolHit[]) =>
      paletteOptions({
        text,
        entry: parseEntry(text, CODE_FORMS),
        hits,
        answered: true,
        items: ITEMS,
        ...SHOWN,
        recent: [],
      })[0]?.options[0]
    expect(options('eth-usd 5m', HITS)).toMatchObject({ is: 'entry', hit: { symbol: 'ETH-USD' }, unresolved: false })
    expect(options('aapl fa', HITS)).toMatchObject({ is: 'entry', hit: { symbol: 'AAPL' }, entry: { code: 'FA' } })
    expect(options('NOSUCHTHING fa', [])).toMatchObject({ is: 'entry', hit: null, unresolved: true })
    expect(options('5m', [])).toMatchObject({ is: 'entry', hit: null, unresolved: false })
  })
  it.each([
    ['eur/usd ticks', SHOWN, { symbol: 'EUR/USD', interval: null }],
    ['eur/usd ticks tas', SHOWN, { symbol: 'EUR/USD', interval: null, code: 'TAS' }],
    ['eth-usd ticks', SHOWN, { symbol: 'ETH-USD', interval: 'ticks' }],
    ['eth-usd ticks', { ...SHOWN, spread: { of: instrumentId('crypto', 'ETH-USD') } }, { interval: null }],
    ['ticks', SHOWN, { symbol: null, interval: 'ticks' }],
    ['ticks', { ...SHOWN, spread: { of: SHOWN.instrument } }, undefined],
    ['ticks', { ...SHOWN, instrument: instrumentId('forex', 'EUR/USD') }, undefined],
  ])('offers ticks only where the chart can show them: %s on %o', (text, shown, expected) => {
    const entry = parseEntry(text, CODE_FORMS)
    const hits = [...HITS, hit('forex', 'EUR/USD')]
    const options = paletteOptions({ text, entry, hits, answered: true, items: ITEMS, recent: [], ...shown }).flatMap(
      (section) => section.options,
    )
    const found = options.find(({ is }) => is === 'entry')
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject({ entry: expected })
  })
  it('begins with a command typed in full, although it also reads as a symbol and a code', () => {
    const tour = item('command', 'One-minute tour')
    const [section] = paletteOptions({
      text: 'one-minute tour',
      entry: parseEntry('one-minute tour', CODE_FORMS),
      hits: [],
      answered: true,
      items: [...ITEMS, tour],
      ...SHOWN,
      recent: [],
    })
    expect(section?.options.slice(0, 2).map(({ id }) => id)).toEqual([tour.id, 'entry'])
  })
  it('offers a code alone as one of many', () => {
    expect(ids('FA', [])[0]).toBe('code:FA')
    expect(ids('FA', [])).not.toContain('entry')
  })
  it('shows only commands after a >', () => {
    expect(ids('>')).toEqual(['command:Export'])
    expect(ids('> exp', HITS)).toEqual(['command:Export'])
  })
  it('starts with what was chosen lately, symbols among it, and drops what is gone', () => {
    const recent = ['setting:Theme', 'symbol:stocks:AAPL', 'list:gone']
    const sections = paletteOptions({
      text: '',
      entry: null,
      hits: HITS,
      answered: true,
      items: ITEMS,
      ...SHOWN,
      recent,
    })
    expect(sections.map(({ title, options }) => [title, options.map(({ id }) => id)])).toEqual([
      ['recent', ['setting:Theme', 'symbol:stocks:AAPL']],
      ['symbols', ['symbol:crypto:ETH-USD', 'symbol:stocks:FA']],
      ['commands', ['command:Export']],
    ])
  })
  it('finds the symbol of an entry however it is written', () => {
    expect(resolveSymbol('X:ETH/USD', HITS)?.symbol).toBe('ETH-USD')
    expect(resolveSymbol('eth', HITS)?.symbol).toBe('ETH-USD')
    expect(resolveSymbol('MSFT', HITS)).toMatchObject({ symbol: 'MSFT', asset: 'stocks' })
    expect(resolveSymbol('NOSUCHTHING', HITS)).toBeNull()
  })
  it('has every code once, with an example that the grammar reads as that code', () => {
    const all = CODE_FORMS.map(({ code }) => code)
    expect(new Set(all).size).toBe(all.length)
    for (const { code, example } of CODES) expect([code, parseEntry(example, CODE_FORMS)?.code]).toEqual([code, code])
  })
})

describe('the recording of a typed time', () => {
  const at = Date.UTC(2026, 10, 4, 9)
  const session = (id: string, fromMs: number, toMs: number | null, messages = 5) =>
    makeSession(id, {
      startedMs: unixMs(fromMs),
      endedMs: toMs === null ? null : unixMs(toMs),
      live: toMs === null,
      messages,
    })
  const all = [
    session('old', at - 86_400_000, at - 82_800_000),
    session('new', at, at + 3_600_000),
    session('empty', at + 4_000_000, at + 4_000_001, 0),
    session('now', at + 7_200_000, null),
  ]
  it('is the newest that reaches it, and the newest that ended where no time is typed', () => {
    const now = at + 9_000_000
    expect(replayPlace('', all, 'UTC', now)).toEqual({ is: 'found', session: 'new', atMs: null })
    expect(replayPlace('09:30', all, 'UTC', now)).toEqual({ is: 'found', session: 'new', atMs: at + 1_800_000 })
    expect(replayPlace('3 Nov 09:30', all, 'UTC', now)).toMatchObject({ session: 'old' })
    expect(replayPlace('11:10', all, 'UTC', now)).toMatchObject({ session: 'now' })
  })
  it('is none where nothing was recorded, and says why where the time is outside or none', () => {
    expect(replayPlace('09:30', [], 'UTC', at)).toEqual({ is: 'none' })
    const outside = replayPlace('10:45', all, 'UTC', at + 9_000_000)
    expect(outside).toMatchObject({ is: 'not then' })
    expect(replayPlace('soon', all, 'UTC', at)).toMatchObject({ is: 'not then' })
  })
})
