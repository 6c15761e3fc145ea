import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEntry, parseRatio, type CodeForm } from '../../../../../src/renderer/features/palette/entry.ts'
import { fit, rank, remembered } from '../../../../../src/renderer/text/fuzzy-rank.ts'

const CODES: readonly CodeForm[] = [
  { code: 'FA', takes: 'nothing' },
  { code: 'TAS', takes: 'nothing' },
  { code: 'REPLAY', takes: 'text' },
]

describe('classic entry', () => {
  it.each([
    ['BTC-USD 5m', 'BTC-USD', '5m', null, ''],
    ['BTC-USD 250ms', 'BTC-USD', '250ms', null, ''],
    ['btc-usd 5', 'BTC-USD', '5m', null, ''],
    ['btc-usd 60', 'BTC-USD', '1h', null, ''],
    ['AAPL FA', 'AAPL', null, 'FA', ''],
    ['aapl fa', 'AAPL', null, 'FA', ''],
    ['  AAPL   1d  FA ', 'AAPL', '1D', 'FA', ''],
    ['EURUSD REPLAY 09:30', 'EURUSD', null, 'REPLAY', '09:30'],
    ['EURUSD 1m REPLAY 4 Nov 09:30 New York', 'EURUSD', '1m', 'REPLAY', '4 Nov 09:30 New York'],
    ['REPLAY 09:30', null, null, 'REPLAY', '09:30'],
    ['REPLAY 1 Jan 2020 09:30', null, null, 'REPLAY', '1 Jan 2020 09:30'],
    ['replay', null, null, 'REPLAY', ''],
    ['FA', null, null, 'FA', ''],
    ['FA FA', 'FA', null, 'FA', ''],
    ['FA 5m', 'FA', '5m', null, ''],
    ['5m', null, '5m', null, ''],
    ['btc-usd Ticks', 'BTC-USD', 'ticks', null, ''],
    ['ticks', null, 'ticks', null, ''],
    ['30s TAS', null, '30s', 'TAS', ''],
    ['X:BTC/USD 1h', 'X:BTC/USD', '1h', null, ''],
    ['BRK.B FA', 'BRK.B', null, 'FA', ''],
  ])('reads %s', (text, symbol, interval, code, argument) => {
    expect(parseEntry(text, CODES)).toEqual({ symbol, interval, code, argument })
  })
  it.each([
    '',
    '   ',
    'BTC-USD',
    'apple inc',
    'BTC-USD 7x',
    'BTC-USD 5m 15m',
    'BTC-USD 5m ticks',
    'AAPL FA now',
    '5m 1h',
    '??? 5m',
    '12345',
    'AAPL FA 5m',
  ])('takes “%s” for no entry', (text) => {
    expect(parseEntry(text, CODES)).toBeNull()
  })
  it('never throws, and means the same in capitals and with more space', () => {
    const word = fc.constantFrom('BTC-USD', 'eurusd', '5m', 'Ticks', '1h', '7', 'fa', 'REPLAY', '09:30', '…', 'x y')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const entry = parseEntry(words.join(' '), CODES)
        expect(parseEntry(`  ${words.join('   ')} `, CODES)).toEqual(entry)
        if (entry && entry.argument === '') expect(parseEntry(words.join(' ').toUpperCase(), CODES)).toEqual(entry)
      }),
    )
  })
})

describe('ranking', () => {
  const item = (title: string, words: readonly string[] = [], bonus = 0) => ({ id: title, title, words, bonus })
  const titles = (query: string, items: readonly ReturnType<typeof item>[], recent: readonly string[] = []) =>
    rank(query, items, recent).map((one) => one.title)
  const ITEMS = [
    item('Show or hide the log'),
    item('Settings'),
    item('Go to time'),
    item('Technical indicators'),
    item('Switch between dark and light', ['theme']),
    item('Reset the layout'),
  ]

  it('puts exact before start, start before word, word before middle, and letters last', () => {
    const all = [item('catalogue'), item('the log book'), item('logarithm'), item('log'), item('let only go')]
    expect(titles('log', all)).toEqual(['log', 'logarithm', 'the log book', 'catalogue', 'let only go'])
  })
  it.each([
    ['sett', ['Settings']],
    ['gtt', ['Go to time']],
    ['hide log', ['Show or hide the log']],
    ['log hide', ['Show or hide the log']],
    ['theme', ['Switch between dark and light']],
    ['qqq', []],
  ])('finds by “%s”', (query, expected) => {
    expect(titles(query, ITEMS)).toEqual(expected)
  })
  it('does not find a letter in the middle of words', () => {
    expect(fit('x', 'Export')).toBeNull()
    expect(fit('stg', 'the longest thing')).toBeNull()
  })
  it('ignores accents and capitals', () => {
    expect(fit('zurich', 'Zürich')).not.toBeNull()
    expect(fit('ÉTÉ', 'ete')).toBe(fit('ete', 'ete'))
  })
  it('puts what was chosen lately before its equals, but not before what fits better', () => {
    const all = [item('Next list'), item('New list'), item('New')]
    expect(titles('ne', all)).toEqual(['New', 'New list', 'Next list'])
    expect(titles('ne', all, ['Next list'])).toEqual(['Next list', 'New', 'New list'])
    expect(titles('new', all, ['New list'])[0]).toBe('New')
  })
  it('keeps the order given where nothing is typed, recent ones first', () => {
    expect(titles('', ITEMS.slice(0, 3), ['Settings'])).toEqual(['Settings', 'Show or hide the log', 'Go to time'])
  })
  it('holds for any text: what is found contains its letters, and the whole title finds it first', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), (query) => {
        for (const found of rank(query, ITEMS)) {
          const text = [found.title, ...found.words].join(' ').toLowerCase()
          for (const letter of query.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase())
            expect(text).toContain(letter)
        }
      }),
    )
    for (const one of ITEMS) expect(titles(one.title, ITEMS)[0]).toBe(one.title)
  })
  it('remembers what was chosen once, newest first, and not for ever', () => {
    expect(remembered(['a', 'b'], 'b')).toEqual(['b', 'a'])
    expect(remembered(['a', 'b', 'c'], 'd', 3)).toEqual(['d', 'a', 'b'])
  })
})

it.each([
  ['ETH-USD/BTC-USD', ['ETH-USD', 'BTC-USD']],
  [' aapl / msft ', ['AAPL', 'MSFT']],
  ['X:BTC/USD', ['X:BTC', 'USD']],
  ['ETH-USD', null],
  ['ETH-USD/', null],
  ['a/b/c', null],
  ['/2', null],
])('takes “%s” for the ratio %j', (text, sides) => {
  expect(parseRatio(text)).toEqual(sides)
})
