import { afterEach, describe, expect, it } from 'vitest'
import { en } from '../../../../src/renderer/text/en.ts'
import { around, languageTag, listed, say, sayIfThere, useLanguage } from '../../../../src/renderer/text/catalogue.ts'
import { SETTING_TABS, SETTINGS } from '../../../../src/renderer/core/settings/settings-table.ts'
import { CODES } from '../../../../src/renderer/features/palette/codes.ts'
import { conditionWords, PLAIN_NUMBERS } from '../../../../src/shared/features/alerts/labels.ts'
import { INDICATORS, VOLUME_PROFILE } from '../../../../src/shared/core/market/indicators/table.ts'
import { fill } from '../../../../src/shared/base/text.ts'

/** What stands before a list or a part of its own. */
const LABELS = new Set(['panels.underneath'])
const texts = () =>
  Object.entries<string | Readonly<Record<string, string>>>(en).flatMap(([key, message]) =>
    (typeof message === 'string' ? [message] : Object.values(message)).map((text) => [key, text] as const),
  )

describe('the catalogue', () => {
  afterEach(() => useLanguage('en'))

  it('fills places and leaves those it has nothing for', () => {
    expect(fill('{a} of {b}', { a: 'x' })).toBe('x of {b}')
    expect(fill('{n}', { n: 12_345.5 })).toBe('12,345.5')
    expect(say('palette.entry.show', { symbol: 'BTC-USD' })).toBe('Show BTC-USD')
  })
  it('chooses the plural form of the language, and falls back to English for what it lacks', () => {
    expect(say('toasts.more', { count: 1 })).toBe('1 more')
    useLanguage('pl', { 'toasts.more': { one: '{count} inna', few: '{count} inne', other: '{count} innych' } })
    expect(languageTag()).toBe('pl')
    expect([1, 3, 5].map((count) => say('toasts.more', { count }))).toEqual(['1 inna', '3 inne', '5 innych'])
    expect(say('settings.title')).toBe('Settings')
  })
  it('has a text for each row of the tables that it names', () => {
    for (const { code } of CODES) expect(sayIfThere(`code.${code}`, '')).not.toBe('')
    for (const { id } of SETTINGS) expect(sayIfThere(`setting.${id}`, '')).not.toBe('')
    for (const tab of SETTING_TABS) expect(sayIfThere(`settings.tab.${tab}`, '')).not.toBe('')
    expect(sayIfThere('no.such', 'otherwise')).toBe('otherwise')
  })
  it('has no empty text and no place without a name', () => {
    for (const [key, text] of texts()) expect([key, text.trim() !== '' && !/\{\W*\}/.test(text)]).toEqual([key, true])
  })
  it('has whole texts only: none that begins or ends as a piece of a sentence', () => {
    const pieces = texts().filter(
      ([key, text]) => text !== text.trim() || /^[,;:·)]|[,;·(]$/.test(text) || (/:$/.test(text) && !LABELS.has(key)),
    )
    expect(pieces).toEqual([])
  })
  it('calls what shared tables name as they do', () => {
    const said = (key: string) => [key, sayIfThere(key, '')]
    for (const [id, row] of [...Object.entries(INDICATORS), ['volume-profile', VOLUME_PROFILE] as const]) {
      expect(said(`indicator.${id}`)[1]).toBe(row.title)
      for (const { title } of row.parameters) expect(said(`parameter.${title}`)[1]).toBe(title)
    }
    for (const { outputs } of Object.values(INDICATORS))
      for (const title of outputs) expect(said(`output.${title}`)[1]).toBe(title)
  })
  it('says what shared code says in the language of the window', () => {
    const condition = { is: 'price', of: 'bid', direction: 'up', level: 5 } as const
    expect(conditionWords(condition, PLAIN_NUMBERS)).toBe('Bid rises to 5')
    useLanguage('de', { 'alertWords.cross.up': '{level} wird von {of} erreicht', 'alertWords.price.bid': 'Geld' })
    expect(conditionWords(condition, PLAIN_NUMBERS)).toBe('5 wird von Geld erreicht')
  })
  it('lists as the language does, and leaves room for an element within a sentence', () => {
    expect(listed(['a', '', 'b'])).toBe('a, b')
    expect(listed(['a', 'b', 'c'], 'conjunction')).toBe('a, b, and c')
    expect(around('tape.keys-run', 'keys')).toEqual(['', ' resumes'])
    useLanguage('de', { 'tape.keys-run': 'Weiter mit {keys}' })
    expect(around('tape.keys-run', 'keys')).toEqual(['Weiter mit ', ''])
  })
})
