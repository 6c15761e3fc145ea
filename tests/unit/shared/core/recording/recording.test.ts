import { expect, test } from 'vitest'
import { countGaps, GAP_CAUSES } from '../../../../../src/shared/core/recording/recording.ts'

test('every gap counts but the ordinary edges of a recording', () => {
  expect(countGaps([])).toBe(0)
  expect(countGaps([{ cause: 'connect' }, { cause: 'quit' }])).toBe(0)
  expect(countGaps([{ cause: 'connect' }, { cause: 'drop' }, { cause: 'drop' }, { cause: 'quit' }])).toBe(2)
  expect(countGaps(GAP_CAUSES.map((cause) => ({ cause })))).toBe(GAP_CAUSES.length - 2)
})
