import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isListText, parseListText } from '../../../../../src/shared/features/watchlist/list-text.ts'

const plain = (text: string) =>
  parseListText(text).sections.map(({ name, symbols }) => [name, symbols.map(({ symbol }) => symbol).join(' ')])

describe('a list of symbols', () => {
  it.each([
    ['commas', 'AAPL,MSFT, IBM'],
    ['spaces', ' AAPL MSFT  IBM '],
    ['lines', 'AAPL\r\nMSFT\nIBM\n'],
    ['semicolons and tabs', 'AAPL;MSFT\tIBM'],
    ['quotes, small letters and cashtags', '"aapl" \'msft\' $IBM'],
    ['a byte order mark, and each once', '\uFEFFAAPL MSFT AAPL IBM'],
  ])('is read with %s', (_, text) => {
    expect(plain(text)).toEqual([[null, 'AAPL MSFT IBM']])
  })

  it('of TradingView has sections, and exchanges that say what is traded', () => {
    const text = '###BIG TECH,NASDAQ:AAPL,NYSE:BRK.B,###FX & CRYPTO,FX:EURUSD,COINBASE:BTCUSD,BINANCE:ETHUSDT'
    expect(parseListText(text).sections).toEqual([
      {
        name: 'BIG TECH',
        symbols: [
          { symbol: 'AAPL', asset: 'stocks' },
          { symbol: 'BRK.B', asset: 'stocks' },
        ],
      },
      {
        name: 'FX & CRYPTO',
        symbols: [
          { symbol: 'EURUSD', asset: 'forex' },
          { symbol: 'BTCUSD', asset: 'crypto' },
          { symbol: 'ETHUSDT', asset: 'crypto' },
        ],
      },
    ])
  })
  it('keeps the prefixes of the service, which are part of its symbols', () => {
    expect(parseListText('X:BTC-USD C:EURUSD').sections[0].symbols).toEqual([
      { symbol: 'X:BTC-USD', asset: 'crypto' },
      { symbol: 'C:EURUSD', asset: 'forex' },
    ])
  })
  it('leaves out empty sections, and names what can’t be a symbol', () => {
    const read = parseListText('###EMPTY,###FULL,AAPL,224.14,+1.2%,<b>,12')
    expect(read.sections.map(({ name }) => name)).toEqual(['FULL'])
    expect(read.refused).toEqual(['224.14', '+1.2%', '<b>', '12'])
  })
  it('says how many are too many', () => {
    const many = Array.from({ length: 2_003 }, (_, i) => `S${i}`).join('\n')
    const read = parseListText(many)
    expect(read.sections[0].symbols).toHaveLength(2_000)
    expect(read.beyond).toBe(3)
  })
  it('never throws, and never gives one symbol twice', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        const all = parseListText(text).sections.flatMap(({ symbols }) => symbols.map((one) => JSON.stringify(one)))
        expect(new Set(all).size).toBe(all.length)
      }),
    )
  })
  it('is more than one symbol', () => {
    expect(isListText(' BTC-USD ')).toBe(false)
    expect(isListText('BTC-USD,ETH-USD')).toBe(true)
    expect(isListText('BTC-USD\nETH-USD')).toBe(true)
  })
})
