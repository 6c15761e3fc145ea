import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, mergeSettings } from '../../../../src/shared/settings.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../../../../src/shared/units.ts'
import type { Feeds } from '../../../../src/main/feeds/port.ts'
import { guessAssets, guessSpelling } from '../../../../src/main/market/instruments.ts'
import { createInterests, tickWishes } from '../../../../src/main/terminal/interests.ts'
import { blot, createLog, fileSink } from '../../../../src/main/terminal/log.ts'
import { createSymbols, type SymbolFacts } from '../../../../src/main/terminal/symbols.ts'

describe('the log', () => {
  it.each([
    ['sent Authorization: Bearer abc.def-1', 'sent Authorization: Bearer ***'],
    ['{"password":"p w","x":1}', '{"password":***,"x":1}'],
    ['token=eyJhbGciOi.eyJzdWIi.c2ln next', 'token=*** next'],
    ['got eyJhbGciOi.eyJzdWIi.c2ln', 'got ***'],
    ['https://bob:hunter2@example.com/x', 'https://bob:***@example.com/x'],
    ['a plain sentence about a token', 'a plain sentence about a token'],
  ])('blots %s', (text, safe) => expect(blot(text)).toBe(safe))

  it('gives the last 500 on opening, then what came, and says what a slow window missed', () => {
    const log = createLog(() => 1, 'info', null)
    for (let i = 0; i < 600; i += 1) log.add('info', 'test', `line ${i}`)
    log.add('debug', 'test', 'below the level')
    let woken = 0
    const stream = log.stream(() => (woken += 1))
    const first = stream.take()
    expect([first?.entries.length, first?.entries[0]?.text, first?.dropped]).toEqual([500, 'line 100', 0])
    expect(stream.take()).toBeUndefined()
    for (let i = 0; i < 510; i += 1) log.add('warn', 'test', `more ${i}`)
    expect(woken).toBe(510)
    expect(stream.take()).toMatchObject({ dropped: 10 })
    stream.close()
    log.add('info', 'test', 'x')
    expect(woken).toBe(510)
  })

  it('keeps a file of bounded size, one line an entry whatever a server sent', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapedeck-log-'))
    const file = join(folder, 'logs', 'tapedeck.log')
    const log = createLog(() => 0, 'info', fileSink(file, 2_000))
    for (let i = 0; i < 200; i += 1) log.add('warn', 'feeds', `bad\n1970 error forged ${i}`, 'Bearer s3cret')
    const names = readdirSync(join(folder, 'logs')).sort()
    expect(names).toEqual(['tapedeck.log', 'tapedeck.log.1'])
    for (const name of names) {
      const text = readFileSync(join(folder, 'logs', name), 'utf8')
      expect(text.length).toBeLessThan(2_200)
      expect(text).not.toContain('s3cret')
      for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^1970-01-01T00:00:00.000Z warn feeds bad ⏎/)
    }
    rmSync(folder, { recursive: true })
  })
})

describe('interests', () => {
  const spy = () => {
    const wants = new Map<string, number>()
    const feeds = {
      want(feed: FeedId, symbols: readonly string[]) {
        const key = `${feed} ${symbols.join()}`
        wants.set(key, (wants.get(key) ?? 0) + 1)
        return { release: () => void wants.set(key, wants.get(key)! - 1) }
      },
    } as Partial<Feeds> as Feeds // only want is called
    return { feeds, wants }
  }
  const btc = instrumentId('crypto', 'BTC-USD')
  const eur = instrumentId('forex', 'EURUSD')
  const wishes = tickWishes([btc, eur, btc], guessSpelling)

  it('asks for the tick feeds of each instrument once, and gives back on release', () => {
    const { feeds, wants } = spy()
    const interests = createInterests()
    interests.attach(feeds)
    const want = interests.add(wishes)
    expect(Object.fromEntries(wants)).toEqual({ 'crypto/XT BTC-USD': 1, 'crypto/XQ BTC-USD': 1, 'forex/C EURUSD': 1 })
    want.release()
    want.release()
    expect([...wants.values()]).toEqual([0, 0, 0])
  })

  it('asks again for everything still wanted when the feeds change', () => {
    const interests = createInterests()
    const gone = interests.add(wishes)
    interests.add(tickWishes([eur], guessSpelling))
    gone.release()
    const { feeds, wants } = spy()
    interests.attach(feeds)
    expect(Object.fromEntries(wants)).toEqual({ 'forex/C EURUSD': 1 })
  })
})

describe('symbols', () => {
  const symbols = (part: Partial<SymbolFacts> = {}) =>
    createSymbols({
      settings: () => DEFAULT_SETTINGS,
      seen: () => [],
      guessAssets,
      guessSpelling,
      demo: () => true,
      ...part,
    })

  it('finds by symbol, by spelling without dashes and by a word of the name', () => {
    for (const text of ['btc-usd', 'BTCUSD', 'btc/usd', 'bitcoin']) {
      expect(symbols().search(text, 5)[0]).toMatchObject({
        instrument: 'crypto:BTCUSD',
        symbol: 'BTC-USD',
        watched: true,
      })
    }
  })
  it('offers what nobody has met, in each class it may be, and remembers how it was typed', () => {
    const box = symbols()
    const hits = box.search('zzz.q', 50)
    expect(hits.map((hit) => hit.instrument)).toEqual(['stocks:ZZZ.Q', 'crypto:ZZZ.Q'])
    expect(box.search('WIF_USD', 50).at(0)).toMatchObject({ instrument: 'crypto:WIFUSD' })
    expect(box.spell('crypto:WIFUSD' as InstrumentId)).toBe('WIF_USD')
  })
  it('gives at most the limit, the watched first for an empty query, a guess never crowded out', () => {
    expect(
      symbols()
        .search('', 3)
        .every((hit) => hit.watched),
    ).toBe(true)
    const hits = symbols().search('U', 5)
    expect(hits.length).toBe(5)
    expect(hits.map((hit) => hit.instrument)).toContain('stocks:U')
  })
  it('offers nothing for what can be no symbol', () => {
    expect(symbols().search('<b>hello</b>', 50)).toEqual([])
  })
  it('spells as watched, else as the service told, else as the demo market does', () => {
    const id = instrumentId('crypto', 'BTC-USD')
    const settings = mergeSettings(DEFAULT_SETTINGS, {
      watchlists: [{ id: 'a', name: 'a', sort: null, symbols: [{ asset: 'crypto', symbol: 'X:BTC/USD' }] }],
    })
    expect(symbols({ settings: () => settings }).spell(id)).toBe('X:BTC/USD')
    const seen = () => [{ id: instrumentId('crypto', 'WIFUSD'), symbol: 'WIF/USD', spelt: true }]
    expect(symbols({ seen }).spell('crypto:WIFUSD' as InstrumentId)).toBe('WIF/USD')
    expect(symbols().spell('crypto:SHIBUSD' as InstrumentId)).toBe('SHIB-USD')
  })
})
