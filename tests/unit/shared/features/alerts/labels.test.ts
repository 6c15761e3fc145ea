import { expect, it } from 'vitest'
import { conditionLabel, eventLabel, PLAIN_NUMBERS } from '../../../../../src/shared/features/alerts/labels.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'

const snoozed = (forMs: number) =>
  eventLabel(
    {
      is: 'snoozed',
      id: 1,
      alert: 'a',
      instrument: instrumentId('crypto', 'BTC-USD'),
      condition: { is: 'price', of: 'last', direction: 'up', level: 1 },
      note: '',
      atMs: 1_000_000,
      untilMs: 1_000_000 + forMs,
    },
    PLAIN_NUMBERS,
  )

// The window chooses the end before the alert notes the snooze: a second or two pass in between.
it.each([
  [3_600_000, '1 h'],
  [3_598_700, '1 h'],
  [299_100, '5 min'],
  [20_000, '1 min'],
])('a snooze of %d ms is told as %s', (ms, time) => {
  expect(snoozed(ms)).toMatch(new RegExp(`snoozed for ${time}$`))
})

it.each([
  ['', 'close - open', [], 0, 'Formula crosses 2, 1m'],
  ['Body', 'close - open', [], 0, 'Body crosses 2, 1m'],
  ['', 'n = input("Length", 20)\nplot("Away", close - sma(close, n))', [9], 0, 'Away 9 crosses 2, 1m'],
  ['Ends', 'plot("Top", high)\nplot("Bottom", low)', [], 1, 'Ends Bottom crosses 2, 1m'],
  ['', 'plot("Top", high)\nplot("Bottom", low)', [], 1, 'Formula Bottom crosses 2, 1m'],
])('the formula “%s” %j is told as its line', (name, text, values, output, sentence) => {
  const line = { id: 'formula' as const, name, text, values, output }
  const against = { is: 'level' as const, level: 2 }
  expect(
    conditionLabel(
      { is: 'indicator', of: 'trade', interval: '1m', line, against, direction: 'either', on: 'close' },
      PLAIN_NUMBERS,
    ),
  ).toBe(sentence)
})
