import { afterEach, describe, expect, it } from 'vitest'
import { around, labelsOf, languageTag, listed, t, useLanguage } from '../../../../src/shared/base/text.ts'
import { conditionLabel, PLAIN_NUMBERS } from '../../../../src/shared/features/alerts/labels.ts'

describe('texts', () => {
  afterEach(() => useLanguage('en'))

  it('fill their placeholders and keep those without a value', () => {
    expect(t('Show {symbol}', { symbol: 'BTC-USD' })).toBe('Show BTC-USD')
    expect(t('{n}', { n: 12_345.5 })).toBe('12,345.5')
    const untyped: string = '{a} of {b}'
    expect(t(untyped)).toBe('{a} of {b}')
  })
  it('use the plural form of the language, and English where it has no translation', () => {
    const more = (count: number) => t({ one: '{count} more', other: '{count} more items' }, { count })
    expect([more(1), more(2)]).toEqual(['1 more', '2 more items'])
    useLanguage('pl', { '{count} more items': { one: '{count} inna', few: '{count} inne', other: '{count} innych' } })
    expect(languageTag()).toBe('pl')
    expect([1, 3, 5].map(more)).toEqual(['1 inna', '3 inne', '5 innych'])
    expect(t('Settings')).toBe('Settings')
  })
  it('are looked up by computed keys in a table', () => {
    const label = labelsOf({ up: 'Above {level}', down: 'Below {level}' })
    expect(label('up', { level: 5 })).toBe('Above 5')
    useLanguage('de', { 'Above {level}': 'Über {level}' })
    expect(label('up', { level: 5 })).toBe('Über 5')
  })
  it('never take a translation from the prototype of an object', () => {
    useLanguage('de', {})
    const untyped: string = 'constructor'
    expect(t(untyped)).toBe('constructor')
  })
  it('of shared code are in the language of the window', () => {
    const condition = { is: 'price', of: 'bid', direction: 'up', level: 5 } as const
    expect(conditionLabel(condition, PLAIN_NUMBERS)).toBe('Bid rises to 5')
    useLanguage('de', { '{of} rises to {level}': '{level} wird von {of} erreicht', Bid: 'Geld' })
    expect(conditionLabel(condition, PLAIN_NUMBERS)).toBe('5 wird von Geld erreicht')
  })
  it('are listed as the language does, and leave room for an element within a sentence', () => {
    expect(listed(['a', '', 'b'])).toBe('a, b')
    expect(listed(['a', 'b', 'c'], 'conjunction')).toBe('a, b, and c')
    expect(around('{keys} resumes', 'keys')).toEqual(['', ' resumes'])
    useLanguage('de', { '{keys} resumes': 'Weiter mit {keys}' })
    expect(around('{keys} resumes', 'keys')).toEqual(['Weiter mit ', ''])
  })
})
