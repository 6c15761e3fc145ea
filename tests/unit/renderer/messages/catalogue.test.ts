import { afterEach, describe, expect, it } from 'vitest'
import { en } from '../../../../src/renderer/messages/en.ts'
import { fill, languageTag, say, sayIfThere, useLanguage } from '../../../../src/renderer/messages/catalogue.ts'
import { SETTING_TABS, SETTINGS } from '../../../../src/renderer/panes/settings/settings-table.ts'
import { CODES } from '../../../../src/renderer/workspace/palette/codes.ts'

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
    for (const [key, message] of Object.entries<string | Readonly<Record<string, string>>>(en)) {
      const texts = typeof message === 'string' ? [message] : Object.values(message)
      for (const text of texts) expect([key, text.trim() !== '' && !/\{\W*\}/.test(text)]).toEqual([key, true])
    }
  })
})
