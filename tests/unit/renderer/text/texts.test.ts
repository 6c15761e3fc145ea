/** Rules for every English text of the window. */
import { describe, expect, it } from 'vitest'
import { allTexts, textsIn } from '../../../../scripts/lib/texts.mjs'

/** Labels that stand before a list or another part. */
const LABELS = new Set(['In the background:'])
/** Parses every file of the window. */
const LONG_MS = 60_000

describe('the list of texts', () => {
  it('has the texts of calls, their branches, plural forms and tables', () => {
    const script = `
      t('One')
      t(many ? 'Two' : three ? 'Three' : 'Four')
      t({ one: '{count} row', other: '{count} rows' }, { count })
      const table = labelsOf({ a: 'Five', b: { one: 'x', other: 'xs' } })
      const NAMES = { c: 'Six' } as const
      around(NAMES[key], 'value')
      t(computed)
      other('not this')`
    expect(textsIn(script)).toEqual([
      'One',
      'Two',
      'Three',
      'Four',
      { one: '{count} row', other: '{count} rows' },
      'Five',
      { one: 'x', other: 'xs' },
      'Six',
    ])
  })
  it(
    'has no empty text, no placeholder without a name, and no piece of a sentence',
    () => {
      const messages = allTexts()
      expect(messages.length).toBeGreaterThan(1_500)
      const texts = messages.flatMap((message) => (typeof message === 'string' ? [message] : Object.values(message)))
      const isPiece = (text: string) =>
        text !== text.trim() || /^[,;:·)]|[,;·(]$/.test(text) || (/:$/.test(text) && !LABELS.has(text))
      expect(texts.filter((text) => text === '' || /\{\W*\}/.test(text) || isPiece(text))).toEqual([])
      const chord = /\b(Ctrl|Alt|Shift)\+|\bF\d{1,2}\b/
      // Examples of what can be typed, and keys of a text box, which users don't set.
      expect(texts.filter((text) => chord.test(text)).toSorted()).toMatchInlineSnapshot(`
        [
          "Ctrl+Space lists what you can write.",
          "For example Ctrl+Alt+M. Adds a bookmark to the session from any app. Leave empty for none.",
          "Text (F2)",
          "Text (Shift+Enter for a new line)",
          "That isn’t a valid shortcut on this system. Write it like Ctrl+Alt+M.",
        ]
      `)
    },
    LONG_MS,
  )
})
