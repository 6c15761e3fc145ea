import { expect, it } from 'vitest'
import { eventLabel, PLAIN_NUMBERS } from '../../../../../src/shared/features/alerts/labels.ts'
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
