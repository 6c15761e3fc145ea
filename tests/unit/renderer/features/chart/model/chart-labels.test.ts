import { expect, it } from 'vitest'
import { builtFromText } from '../../../../../../src/renderer/features/chart/model/chart-labels.ts'

it.each([
  ['service', 'crypto', '1m', 'Service bars (crypto/XA)'],
  ['service', 'crypto', '15s', 'Service bars (crypto/XAS)'],
  ['service', 'stocks', '1D', 'Service bars (stocks/AM)'],
  ['service', 'crypto', '100ms', 'Service bars'],
  ['trade', 'crypto', '1m', 'Trades'],
  ['mid', 'forex', '1m', 'Mid'],
] as const)('a chart of %s bars of %s at %s says "%s"', (of, asset, interval, text) => {
  expect(builtFromText(of, asset, interval)).toBe(text)
})
