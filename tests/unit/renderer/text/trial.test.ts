import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../../../src/renderer/text/trial.ts'

describe('a translation on trial', () => {
  it('is read with its language, without entries that are no messages', () => {
    const messages = {
      Settings: 'Ustawienia',
      '{count} more': { one: '{count} inna', other: '{count} innych' },
      Close: { one: 'no other form' },
      Help: 5,
    }
    expect(readCatalogue(JSON.stringify({ tag: 'pl-pl', messages }))).toEqual({
      tag: 'pl-PL',
      messages: { Settings: messages.Settings, '{count} more': messages['{count} more'] },
    })
  })
  it('is ignored if it can’t be read', () => {
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"tag":"pl"}',
      '{"tag":"not a tag","messages":{}}',
      '{"tag":1,"messages":{}}',
    ])
      expect(readCatalogue(text)).toBeNull()
  })
})
