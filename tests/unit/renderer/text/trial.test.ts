import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../../../src/renderer/text/trial.ts'

describe('a catalogue on trial', () => {
  it('is read with its language, and only what is a message of ours is taken', () => {
    const messages = {
      'settings.title': 'Ustawienia',
      'toasts.more': { one: '{count} inna', other: '{count} innych' },
      'modal.close': { one: 'no other form' },
      'top.help': 5,
      'not.ours': 'x',
    }
    expect(readCatalogue(JSON.stringify({ tag: 'pl-pl', messages }))).toEqual({
      tag: 'pl-PL',
      messages: { 'settings.title': messages['settings.title'], 'toasts.more': messages['toasts.more'] },
    })
  })
  it('is none where it cannot be read', () => {
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
