import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, mergeSettings } from '../../../kit/settings.ts'
import { instrumentId, type InstrumentId } from '../../../../src/shared/base/units.ts'
import { guessAssets, guessSymbol } from '../../../../src/main/core/market/instruments.ts'
import { tickSymbols, subscribeAll } from '../../../../src/main/core/feeds/subscriptions.ts'
import { createKnownSecrets } from '../../../../src/main/base/known-secrets.ts'
import { blot, createLog, fileSink } from '../../../../src/main/core/log/log.ts'
import { createSymbols, type SymbolFacts } from '../../../../src/main/core/views/symbols.ts'
import { makeFolder } from '../../../kit/folder.ts'

describe('the log', () => {
  it.each([
    ['sent Authorization: Bearer abc.def-1', 'sent Authorization: Bearer ***'],
    ['{"password":"p w","x":1}', '{"password":***,"x":1}'],
    [JSON.stringify({ password: 'wr0ng "Pässword" of tonight', x: 1 }), '{"password":***,"x":1}'],
    ['{"password":"cut off in the mid', '{"password":***'],
    ['Authorization: Token 0123456789abcdef', 'Authorization: Token ***'],
    ['{"authorization":"Token 0123456789abcdef","x":1}', '{"authorization":"Token ***","x":1}'],
    ['Proxy-Authorization: Basic Ym9iOnB3', 'Proxy-Authorization: Basic ***'],
    ['token=eyJhbGciOi.eyJzdWIi.c2ln next', 'token=*** next'],
    ['got eyJhbGciOi.eyJzdWIi.c2ln', 'got ***'],
    ['https://bob:hunter2@example.com/x', 'https://bob:***@example.com/x'],
    ['a plain sentence about a token', 'a plain sentence about a token'],
  ])('blots %s', (text, safe) => expect(blot(text)).toBe(safe))

  it('contains no known secret, whatever surrounds it and however it is encoded', () => {
    const known = createKnownSecrets()
    const password = 'a "b" c/d & ü'
    for (const one of [password, 'short', null, undefined, 'k3y-of-nobody']) known.note(one)
    const spelt = [
      password,
      JSON.stringify(password).slice(1, -1),
      encodeURIComponent(password),
      btoa('k3y-of-nobody').replace(/=+$/, ''),
    ]
    for (const text of spelt) expect(blot(`he said ${text}.`, known.variants())).toBe('he said ***.')
    expect(blot(`${'x'.repeat(1_995)}${password}`, known.variants())).toBe(`${'x'.repeat(1_995)}***`)
    expect(blot('a short word', known.variants())).toBe('a short word')
    for (let i = 0; i < 100; i++) known.note(`token number ${i}`)
    expect(known.variants().length).toBeLessThan(1_000)
    expect(blot('token number 99', known.variants())).toBe('***')
  })

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
    const folder = makeFolder('log')
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
  })
})

describe('subscriptions', () => {
  it('are the tick feeds of each instrument, once, and more where asked', () => {
    const btc = instrumentId('crypto', 'BTC-USD')
    const eur = instrumentId('forex', 'EURUSD')
    expect(Object.fromEntries(tickSymbols([btc, eur, btc], guessSymbol))).toEqual({
      'crypto/XT': ['BTC-USD'],
      'crypto/XQ': ['BTC-USD'],
      'forex/C': ['EURUSD'],
    })
    expect([...tickSymbols([eur], guessSymbol, ['forex/CA']).keys()]).toEqual(['forex/C', 'forex/CA'])
  })

  it('are given back once', () => {
    let held = 0
    const feeds = {
      subscribe: () => {
        let mine = 1
        held += 1
        return { release: () => void ((held -= mine), (mine = 0)) }
      },
    }
    const want = subscribeAll(feeds, tickSymbols([instrumentId('crypto', 'BTC-USD')], guessSymbol))
    expect(held).toBe(2)
    want.release()
    want.release()
    expect(held).toBe(0)
  })
})

describe('symbols', () => {
  const symbols = (part: Partial<SymbolFacts> = {}) =>
    createSymbols({
      settings: () => DEFAULT_SETTINGS,
      seen: () => [],
      alias: () => undefined,
      guessAssets,
      guessSymbol,
      demo: () => true,
      ...part,
    })

  it('finds by symbol, by symbol without dashes and by a word of the name', () => {
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
    expect(box.symbolOf('crypto:WIFUSD' as InstrumentId)).toBe('WIF_USD')
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
  it('says of a list which symbols it knows, and what the others may mean', () => {
    const read = symbols().resolve(['btcusd', 'AAPL', 'WIFUSD', 'QWXZ', '<b>'])
    expect(read.map(({ isKnown, hits }) => [isKnown, hits[0]?.instrument, hits[0]?.symbol, hits[0]?.isGuess])).toEqual([
      [true, 'crypto:BTCUSD', 'BTC-USD', undefined],
      [true, 'stocks:AAPL', 'AAPL', undefined],
      [false, 'stocks:WIFUSD', 'WIFUSD', true],
      [false, 'stocks:QWXZ', 'QWXZ', true],
      [false, undefined, undefined, undefined],
    ])
    // As the service writes it, not as the other tool did.
    expect(read[2].hits.find(({ asset }) => asset === 'crypto')?.symbol).toBe('WIF-USD')
  })
  it('offers nothing for what can be no symbol', () => {
    expect(symbols().search('<b>hello</b>', 50)).toEqual([])
  })
  it('writes a symbol as in the watchlist, else as the service does, else as the demo market does', () => {
    const id = instrumentId('crypto', 'BTC-USD')
    const settings = mergeSettings(DEFAULT_SETTINGS, {
      watchlists: [{ id: 'a', name: 'a', sort: null, symbols: [{ asset: 'crypto', symbol: 'X:BTC/USD' }] }],
    })
    expect(symbols({ settings: () => settings }).symbolOf(id)).toBe('X:BTC/USD')
    const spelling = () => 'WIF/USD'
    expect(symbols({ alias: spelling }).symbolOf('crypto:WIFUSD' as InstrumentId)).toBe('WIF/USD')
    expect(symbols().symbolOf('crypto:SHIBUSD' as InstrumentId)).toBe('SHIB-USD')
  })
})
